#!/bin/sh
# Whole reports for a person, byte by byte. Their figures are checked elsewhere against referees; this guards the layout.
# `make golden` rewrites tests/golden.
. "$SRC/tests/lib.sh"

expected=$SRC/tests/golden
"$TFPROF" ingest --db a.db "$logs" >ingest.txt
# golden NAME COMMAND... : the command's output is tests/golden/NAME
golden()
{
	name=$1; shift
	"$@" >"$name" 2>&1
	[ "${GOLDEN:-}" != rewrite ] || cp "$name" "$expected/$name"
	ok "$name" diff -u "$expected/$name" "$name"
	ok "$name ends no line with a space" sh -c '! grep -n " $" "$1"' - "$name"
	ok "$name keeps to 100 columns but for names" sh -c '! grep -nE "^ .{100}" "$1"' - "$name"
}

golden keras3_slow_input.txt "$TFPROF" report --db a.db run:keras3_slow_input/train
golden tf_leak.txt "$TFPROF" report --db a.db --steps 2:4 --top 3 run:tf_leak
golden jax_4cpu.txt "$TFPROF" report --db a.db run:jax_4cpu
golden tf_mirrored_2cpu.txt "$TFPROF" report --db a.db run:tf_mirrored_2cpu
golden memory_jump.txt "$TFPROF" report --db a.db run:memory_jump
golden ls.txt "$TFPROF" ls --db a.db
golden check_fails.txt "$TFPROF" check --db a.db --max step_time_ms.mean=1ms --max input.share=5% run:tf_leak
golden inspect.txt sh -c 'cd "$1" && "$2" inspect tf_leak' - "$logs" "$TFPROF"
done_testing
