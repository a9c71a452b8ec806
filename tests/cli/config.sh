#!/bin/sh
# tfprof.json: what it may say, mistakes with file and line, what is extended where, waivers by date.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
fast=run:keras3_fast_input/train # a step takes 11.693367 ms
check() { "$TFPROF" check --db a.db "$@"; }
valid() { python3 "$SRC/tests/validate.py" "$SRC/schemas/config.schema.json" "$1"; }

cat >all.json <<'J'
{
  "$schema": "https://example.org/config.schema.json",
  "schema": "tfprof.config/1",
  "alpha": 0.01, "min_effect": "2%", "min_steps": 10,
  "allow_env": false, "accept_inferred": false, "inconclusive": "fail",
  "environments": [{"hosts": 1, "devices": 0, "framework": "tensor*"}],
  "limits": {
    "step_time_ms.mean": {"max": "20ms"},
    "step_time_ms.m*": {"max": 30},
    "memory.peak_bytes[*]": {"max": "1GiB", "min": 1.5e3},
    "scalar[epoch_loss].last": {"max": 10, "max_regress": "5%", "worse": "up"}
  },
  "waivers": [{"metric": "step_time_ms.*", "kind": "max", "expires": "2031-12-31", "reason": "slow disks"}]
}
J
ok 'all keys are in the schema' valid all.json
"$TFPROF" report --db a.db --json -o fast.json $fast
ok 'and are read' exits 0 check --config all.json --baseline fast.json --now 2026-01-01 --json $fast
ok 'the document says so' python3 "$SRC/tests/validate.py" "$SRC/schemas/check.schema.json" out
ok 'a rule tells where it was written' prints "all.json 8" json \
	'["%s %s" % (c["file"], c["line"]) for c in d["checks"] if c["metric"] == "step_time_ms.mean"][0]' out
ok 'the level is that of the file' prints 0.01 json 'd["alpha"]' out
ok 'an option counts more' exits 0 check --config all.json --alpha 0.2 --baseline fast.json --json $fast
ok 'than the file' prints 0.2 json 'd["alpha"]' out
ok 'a limit on the command line replaces that of the file' exits 1 check --config all.json --now 2032-01-01 --baseline fast.json --max step_time_ms.mean=1ms --json $fast
ok 'of that metric' prints "['step_time_ms.mean']" json '[c["metric"] for c in d["checks"] if c["verdict"] == "fail"]' out
ok 'without a baseline what compares is inconclusive, which the file maps' exits 1 check --config all.json --json $fast
ok 'and says so' prints no_baseline json '[c["reason"] for c in d["checks"] if c["verdict"] == "inconclusive"][0]' out

echo '{"limits": {"step_time_ms.mean": {"max": "20ms"}}}' >tfprof.json
ok 'tfprof.json of the folder is the default' exits 0 check $fast
ok 'another one replaces it' exits 1 check --config all.json --now 2031-01-01 --min-steps 99 $fast
echo '{"baseline": "fast.json"}' >named.json
ok 'a baseline can be named there' exits 1 check --config named.json run:keras3_slow_input/train
mkdir sub && cp fast.json sub/ && echo '{"baseline": ["fast.json"]}' >sub/named.json
rm fast.json
ok 'relative to the file' exits 1 check --config sub/named.json run:keras3_slow_input/train
rm tfprof.json

# wrong LINE WHAT TEXT : the file is refused, with its line
wrong()
{
	printf '%s' "$3" >bad.json
	ok "$2: usage" exits 2 check --config bad.json $fast
	ok "$2: where" says "bad.json:$1: "
}
wrong 3 'an unknown key' '{
 "limits": {
  "step_time_ms.mean": {"max_regres": "5%"}}}'
ok 'has the nearest one as hint' says "did you mean 'max_regress'?"
wrong 1 'an unknown key of the file' '{"limit": {}}'
ok 'has too' says "did you mean 'limits'?"
wrong 2 'a metric that does not exist' '{"limits": {
 "step_time_ms.maen": {"max": 1}}}'
ok 'has the nearest name' says "'step_time_ms.mean'"
wrong 1 'a pattern that means nothing' '{"limits": {"stepp*": {"max": 1}}}'
wrong 1 'a pattern of several units' '{"limits": {"memory.*[*]": {"max": "1GiB"}}}'
wrong 2 'a limit that is none' '{"limits": {"step_time_ms.mean": {
 "max": "20 parsecs"}}}'
wrong 1 'a share over 1' '{"limits": {"input.share": {"max": 20}}}'
wrong 1 'an allowance without a sign' '{"limits": {"step_time_ms.mean": {"max_regress": "5"}}}'
wrong 1 'an allowance without quotes' '{"limits": {"step_time_ms.mean": {"max_regress": 5}}}'
wrong 1 'a regression without a direction' '{"limits": {"scalar[a].last": {"max_regress": "5%"}}}'
wrong 1 'an empty limit' '{"limits": {"step_time_ms.mean": {}}}'
wrong 3 'a key that stands twice' '{
 "alpha": 0.05,
 "alpha": 0.01}'
wrong 1 'a comma too many' '{"alpha": 0.05,
}'
wrong 1 'two commas' '{"alpha": 0.05,, "min_steps": 5}'
wrong 1 'a comma too many in a list' '{"waivers": [,]}'
wrong 1 'a word that is no number' '{"limits": {"step_time_ms.mean": {"max": 30ms}}}'
wrong 1 'a number with a plus' '{"limits": {"step_time_ms.mean": {"max": +30}}}'
wrong 1 'not a number' '{"alpha": NaN}'
wrong 1 'a level of 1' '{"alpha": 1}'
wrong 1 'a level of the wrong kind' '{"alpha": [0.05]}'
wrong 1 'steps that are not whole' '{"min_steps": 2.5}'
wrong 1 'no steps' '{"min_steps": 0}'
wrong 1 'a flag in quotes' '{"allow_env": "true"}'
wrong 1 'an unknown mapping' '{"inconclusive": "maybe"}'
wrong 1 'another schema' '{"schema": "tfprof.config/2"}'
wrong 1 'a list' '[]'
wrong 1 'nothing' ''
wrong 2 'a text that ends early' '{"alpha": 0.05,
 "limits": {'
wrong 2 'text behind it' '{}
{}'
wrong 1 'an unknown escape' '{"baseline": "\q"}'
wrong 1 'a line break in a string' '{"baseline": "a
b"}'
wrong 1 'bytes that are no UTF-8' "$(printf '{"baseline": "\377"}')"
wrong 2 'a waiver without a reason' '{"waivers": [
 {"metric": "step_time_ms.mean", "expires": "2026-12-31"}]}'
wrong 1 'a waiver until a day that is none' '{"waivers": [{"metric": "step_time_ms.mean", "expires": "2026-02-30", "reason": "x"}]}'
wrong 1 'a waiver of nothing' '{"waivers": [{"metric": "step_tme_ms.mean", "expires": "2026-02-03", "reason": "x"}]}'
wrong 1 'a waiver for an unknown kind' '{"waivers": [{"metric": "step_time_ms.mean", "kind": "most", "expires": "2026-02-03", "reason": "x"}]}'
wrong 1 'an environment with an unknown key' '{"environments": [{"gpus": 1}]}'
wrong 1 'an environment without hosts' '{"environments": [{"hosts": 0}]}'
wrong 1 'what extends nothing' '{"extends": {"branch": "main"}}'
wrong 1 'a file that is not there' '{"extends": "none.json"}'
ok 'is named' says "'none.json'"
wrong 1 'a file that extends itself' '{"extends": "bad.json"}'
python3 -c 'print("{\"limits\": {" + ", ".join("\"scalar[t%d].last\": {\"max\": 1}" % i for i in range(4097)) + "}}")' >bad.json
ok 'more limits than anyone writes are refused' exits 2 check --config bad.json $fast
head -c 1048577 /dev/zero >bad.json
ok 'and more bytes' exits 2 check --config bad.json $fast
ok 'a configuration that is not there is usage' exits 2 check --config none.json $fast
ok 'nor is a folder one' exits 2 check --config sub $fast
echo '{}' >empty.json
ok 'one without limits checks nothing' exits 2 check --config empty.json $fast
ok 'which is no pass' says 'nothing to check'

# What is extended: the base allows 20 ms, the release branch 11 ms, machines with an accelerator 1 ms.
cat >base.json <<'J'
{"alpha": 0.01, "limits": {"step_time_ms.mean": {"max": "20ms"}, "steps.count": {"min": 1}},
 "waivers": [{"metric": "step_time_ms.*", "expires": "2026-06-30", "reason": "r"}]}
J
echo '{"limits": {"step_time_ms.mean": {"max": "11ms"}}}' >release.json
echo '{"limits": {"step_time_ms.mean": {"max": "1ms"}}}' >gpu.json
cat >main.json <<'J'
{"extends": ["base.json", {"file": "release.json", "branch": "release/*"},
             {"file": "gpu.json", "environment": {"model": "*"}}]}
J
ok 'what extends is in the schema' valid main.json
ok 'a limit comes from the base' exits 0 check --config main.json --now 2026-07-01 --json $fast
ok 'with its place' prints 'base.json' json 'd["checks"][0]["file"]' out
ok 'a release is stricter' exits 1 check --config main.json --now 2026-07-01 --branch release/7 --json $fast
ok 'by its own file' prints 'release.json' json '[c for c in d["checks"] if c["verdict"] == "fail"][0]["file"]' out
ok 'once a metric' prints 2 json 'len(d["checks"])' out
ok 'other branches are not' exits 0 check --config main.json --now 2026-07-01 --branch main $fast
ok 'a waiver of the base lets it through' exits 0 check --config main.json --now 2026-06-30 --branch release/7 $fast
ok 'and is counted' prints 'waivers: 1 used, 0 expired, 0 unused' grep waivers: out
ok 'until its day is over' exits 1 check --config main.json --now 2026-07-01 --branch release/7 $fast
ok 'when it is counted as expired' prints 'waivers: 0 used, 1 expired, 0 unused' grep waivers: out
ok 'a day that is none is usage' exits 2 check --config main.json --now yesterday $fast
ok 'only a machine with accelerators has the limit of the third' exits 0 check --config main.json --now 2026-07-01 $fast
sed 's/"model": "\*"/"devices": 0/' main.json >cpu.json
ok 'as one without has when it is asked for' exits 1 check --config cpu.json --now 2026-07-01 $fast
echo '{"extends": "base.json", "limits": {"step_time_ms.mean": {"max": null}}}' >without.json
ok 'null takes a limit back' exits 0 check --config without.json --json --now 2026-07-01 $fast
ok 'and leaves the other' prints "['steps.count']" json '[c["metric"] for c in d["checks"]]' out
echo '{"extends": "bad.json"}' >one.json
echo '{"extends": "one.json"}' >bad.json
ok 'files that extend each other are refused' exits 2 check --config one.json $fast
ok 'where they do' says "bad.json:1: 'one.json' extends itself"
echo '{"limits": {"step_time_ms.maen": {"max": 1}}}' >release.json
ok 'a mistake in a file of another branch is found' exits 2 check --config main.json --branch main $fast
printf '{"extends": ["base.json", "base.json", "chain0.json"]}' >twice.json
i=0; while [ $i -lt 30 ]; do echo "{\"extends\": [\"chain$((i + 1)).json\", \"chain$((i + 1)).json\"]}" >chain$i.json; i=$((i + 1)); done
echo '{}' >chain30.json
ok 'a file that is extended in a billion ways is read once' exits 0 check --config twice.json --now 2026-07-01 --json $fast
ok 'as are its waivers' prints 1 json 'len(d["waivers"]["list"])' out
i=0; while [ $i -lt 70 ]; do echo "{\"extends\": \"chain$((i + 1)).json\"}" >chain$i.json; i=$((i + 1)); done
ok 'more files than anyone has are refused' exits 2 check --config chain0.json $fast

ok 'a machine that is not wanted is inconclusive' exits 5 sh -c 'echo "{\"environments\": {\"hosts\": 8}, \"limits\": {\"step_time_ms.mean\": {\"max\": 99}}}" >env.json
	"$TFPROF" check --db a.db --config env.json --json "$1"' sh $fast
ok 'which is why' prints environment_not_allowed json 'd["checks"][0]["reason"]' out
done_testing
