#!/bin/sh
# run.sh - change points beside the package ruptures and NumPy; the packages go into a virtual environment under $O.
. "$SRC/tests/lib.sh"
venv=$O/ruptures
if ! "$venv/bin/python" -c 'import ruptures' 2>/dev/null
then
	python3 -m venv "$venv" >venv.log 2>&1 && "$venv/bin/pip" install -q numpy ruptures statsmodels >>venv.log 2>&1 || {
		skip 'change points beside ruptures' 'numpy, ruptures and statsmodels cannot be installed'
		done_testing
	}
fi
if ! (cd "$SRC" && ${CC:-cc} -std=c11 -D_XOPEN_SOURCE=700 -O2 -fPIC -shared -I. -o "$work/change_points.so" lib/analyze/change_points.c \
	lib/base/error.c -lm)
then
	ok 'the library is built' false
	done_testing
fi
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$SRC/tests/ruptures/compare.py" "$work/change_points.so" "${COUNT:-200}" "${SEED:-1}"
