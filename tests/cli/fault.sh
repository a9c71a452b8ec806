#!/bin/sh
# A few calls of each kind that fail, and a few kills; `make fault` does many more.
if nm -D "$TFPROF" 2>/dev/null | grep -q __asan; then echo '1..0 # SKIP the sanitizer has its own allocator'; exit 0; fi
python3 "$SRC/tests/fault/run.py" "$TFPROF" "$O/fault.so" "$SRC" 0
