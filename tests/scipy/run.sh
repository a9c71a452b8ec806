#!/bin/sh
# run.sh - the significance of the gate against SciPy, NumPy and brute force; the packages go into a virtual environment under $O.
. "$SRC/tests/lib.sh"
venv=$O/scipy
if ! "$venv/bin/python" -c 'import scipy' 2>/dev/null
then
	python3 -m venv "$venv" >venv.log 2>&1 && "$venv/bin/pip" install -q numpy scipy >>venv.log 2>&1 || {
		skip 'significance against SciPy' 'numpy and scipy cannot be installed'
		done_testing
	}
fi
if ! (cd "$SRC" && ${CC:-cc} -std=c11 -D_XOPEN_SOURCE=700 -O2 -fPIC -shared -I. -o "$work/significance.so" lib/analyze/significance.c \
	lib/analyze/rank_pairs.c lib/analyze/block_bootstrap.c lib/analyze/student_t.c lib/analyze/stats.c lib/base/error.c -lm)
then
	ok 'the library is built' false
	done_testing
fi
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$SRC/tests/scipy/compare.py" "$work/significance.so" "${COUNT:-100}" "${SEED:-1}"
