#!/bin/sh
# run.sh - every point of every event file against TensorBoard's EventAccumulator; stock TensorBoard goes into a virtual environment under $O.
. "$SRC/tests/lib.sh"
venv=$O/tensorboard here=$SRC/tests/differential/tensorboard shared=$SRC/../shared
if ! "$venv/bin/python" -c 'import tensorboard, tensorboardX' 2>/dev/null
then
	python3 -m venv "$venv" >venv.log 2>&1 && "$venv/bin/pip" install -q tensorboard==2.21.0 tensorboardX==2.6.5 >>venv.log 2>&1 || {
		skip 'event files against TensorBoard' 'tensorboard and tensorboardX cannot be installed'
		done_testing
	}
fi
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
# compare WHAT FOLDER... : TensorBoard and tfprof agree on the folders
compare()
{
	what=$1; shift
	ok "TensorBoard and tfprof agree on $what" "$venv/bin/python" "$here/accumulator.py" "$TFPROF" "$work" "$@"
	grep '^#' log
}
ok 'files of every plugin are written' "$venv/bin/python" "$here/writers.py" written
compare 'files of every plugin' written
compare 'our own logs' "$logs"
# trials FOLDER... : and on the trials of the searches in them
trials()
{
	ok 'TensorBoard and tfprof agree on trials and their metrics' "$venv/bin/python" "$here/trials.py" "$TFPROF" "$work" "$@"
	grep '^#' log
}
trials written/search written/tensorboardX "$logs/tf_hparams"
if [ -d "$shared/data" ]
then
	compare 'real logs' "$shared/data/own" "$shared/data/public"
	public=$shared/data/public
	trials "$public/Alwaysproblem+tensorboard-review/log/text_hp/hparam_tuning" "$public/ahettiarac+context-predictor/logs"
	mkdir fixtures && (cd fixtures && sh "$shared/fixtures/mkall.sh" >/dev/null)
	compare 'damaged files' fixtures
else
	skip 'TensorBoard and tfprof agree on real and damaged logs' '../shared is not here'
fi
done_testing
