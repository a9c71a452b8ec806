#!/bin/sh
# run.sh - random captures through the program and through the second implementation; COUNT and SEED may be given.
. "$SRC/tests/lib.sh"
if ! command -v python3 >/dev/null
then
	skip 'random captures' 'python3 is not installed'
	done_testing
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/differential/compare.py" "$TFPROF" "${COUNT:-300}" "${SEED:-1}"
