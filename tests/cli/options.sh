#!/bin/sh
# Options of every command: help, unknown ones, missing and odd values, "--", the store's path.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs/tf_leak"
for c in ingest report check baseline ls inspect explain query schema
do
	ok "$c --help ends well" exits 0 "$TFPROF" $c --help
	ok "$c --help goes to stdout" test -s out
	ok "$c -h is the same" sh -c '"$TFPROF" '$c' -h | cmp -s - out'
	ok "$c names each option once" sh -c 'test -z "$(sed -n "s/^  [ -].[ ,] --\([a-z-]*\).*/\1/p" out | sort | uniq -d)"'
	ok "$c --nonsense is usage" exits 2 "$TFPROF" $c --nonsense
	ok "$c names it" says "--nonsense"
	ok "$c -Z is usage" exits 2 "$TFPROF" $c -Z
	ok "tfprof-$c is the same program" sh -c '"$(dirname "$TFPROF")/tfprof-'$c'" --help | cmp -s - out2 || { "$TFPROF" '$c' --help >out2; "$(dirname "$TFPROF")/tfprof-'$c'" --help | cmp -s - out2; }'
	rm -f out2
done
for o in '--db' '--output' '--section' '--top' '--steps' '--step-event'
do ok "report $o without a value is usage" exits 2 "$TFPROF" report "$o"
done
ok 'a value may follow an equals sign' exits 0 "$TFPROF" report --db=a.db --json
ok 'a flag takes none' exits 2 "$TFPROF" report --db a.db --json=yes
ok 'letters have values too' exits 0 "$TFPROF" report --db a.db -j -o r.json
ok 'written where they say' test -s r.json
ok 'letters join' exits 0 "$TFPROF" report --db a.db -jo r2.json
ok 'and mean the same' cmp r.json r2.json
ok 'an unknown letter among them is usage' exits 2 "$TFPROF" report --db a.db -jZ
ok 'behind -- nothing is an option' exits 3 "$TFPROF" report --db a.db -- --json
ok 'the store may be named by the environment' exits 0 env TFPROF_DB=a.db "$TFPROF" report --json
ok 'the option counts before it' exits 0 env TFPROF_DB=none.db "$TFPROF" report --db a.db --json
ok 'an empty name in it is none' exits 3 env TFPROF_DB= "$TFPROF" report
ok 'but tfprof.db' says "'tfprof.db'"
ok 'the last of two stores counts' exits 0 "$TFPROF" report --db none.db --db a.db
for c in 'report' 'check --max steps.count=99' ls 'explain steps.count' 'query SELECT-1'
do
	ok "$c: a store without a name is usage" exits 2 "$TFPROF" $c --db ''
	ok "$c: one in memory would be empty" exits 2 "$TFPROF" $c --db :memory:
	ok "$c: a missing store is no data" exits 3 "$TFPROF" $c --db none.db
	ok "$c: and is not made" test ! -e none.db
done
ok 'ingest: a store without a name is usage' exits 2 "$TFPROF" ingest --db '' "$logs/tf_leak"
ok 'ingest: one in memory would be lost' exits 2 "$TFPROF" ingest --db :memory: "$logs/tf_leak"
ok 'ingest: a store in a folder that is not there' exits 4 "$TFPROF" ingest --db none/s.db "$logs/tf_leak"
ok '--top wants a number' exits 2 "$TFPROF" report --db a.db --top many
ok 'that fits' exits 2 "$TFPROF" report --db a.db --top 99999999999999999999
ok 'and is none below zero' exits 2 "$TFPROF" report --db a.db --top -1
ok 'for explain too' exits 2 "$TFPROF" explain --db a.db --top -1 steps.count
ok '--top 0 cuts nothing' exits 0 "$TFPROF" report --db a.db --json --top 0
ok 'as without it' cmp out r.json
for s in '' ',' 'metrics,' 'METRICS' 'metric' 'metrics, ops'
do ok "--section '$s' is usage" exits 2 "$TFPROF" report --db a.db --section "$s"
done
ok 'a section may be named twice' exits 0 "$TFPROF" report --db a.db --json --section ops,ops
ok 'and stands once' prints 1 sh -c 'grep -o "\"ops\":" out | wc -l | tr -d " "'
for s in 'x' '1' '1:' ':2' '1:x' '1:2:3' '1.5:2'
do ok "--steps $s is usage" exits 2 "$TFPROF" report --db a.db --steps "$s"
done
ok '--steps of none lists none' exits 0 "$TFPROF" report --db a.db --json --steps 900:901
ok 'and counts all' prints '0 10' json '"%d %d" % (len(d["steps"]["list"]), d["metrics"]["steps.count"])' out
ok '--step-event wants a regular expression' exits 2 "$TFPROF" report --step-event '(' "$logs/tf_leak"
ok 'two formats exclude each other' exits 2 "$TFPROF" report --db a.db --json --text
ok 'two sessions too' exits 2 "$TFPROF" report --db a.db one two
for m in 'x' 'steps.count' 'steps.count=' '=5' 'steps.count=-1' 'steps.count=abc' 'step_time_ms.mean=5parsecs' 'input.share=2'
do ok "check --max $m is usage" exits 2 "$TFPROF" check --db a.db --max "$m"
done
for m in 'step_time_ms.mean=5' 'step_time_ms.mean=5%+' 'step_time_ms.mean=%' 'steps.count=5%'
do ok "check --max-regress $m is usage" exits 2 "$TFPROF" check --db a.db --baseline r.json --max-regress "$m"
done
ok 'check wants something to check' exits 2 "$TFPROF" check --db a.db
ok '--max-regress wants a baseline' exits 2 "$TFPROF" check --db a.db --max-regress 'step_time_ms.mean=5%'
ok '--inconclusive knows three words' exits 2 "$TFPROF" check --db a.db --max steps.count=99 --inconclusive maybe
ok '--min-steps wants a number' exits 2 "$TFPROF" check --db a.db --max steps.count=99 --min-steps few
ok '--events knows three words' exits 2 "$TFPROF" ingest --db b.db --events some "$logs/tf_leak"
ok '--progress knows three words' exits 2 "$TFPROF" ingest --db b.db --progress maybe "$logs/tf_leak"
ok 'and nothing was loaded' test ! -e b.db
ok '--include chooses' exits 0 "$TFPROF" ingest --db c.db --json --include '*keras3_fast*' "$logs"
ok 'only what matches' prints True json 'all("keras3_fast" in f["path"] for f in d["files"] if f["state"] == "new")' out
ok '--exclude leaves out' exits 0 "$TFPROF" ingest --db d.db --json --exclude '*xplane*' "$logs/keras3_fast_input"
ok 'what matches' prints 0 sql d.db 'SELECT count(*) FROM session'
ok '--progress always draws on stderr' env logs="$logs" sh -c '"$TFPROF" ingest --db e.db --progress always "$logs/tf_leak" 2>bar && test -s bar'
ok 'query wants one statement' exits 2 "$TFPROF" query --db a.db
ok 'not two' exits 2 "$TFPROF" query --db a.db 'SELECT 1' 'SELECT 2'
ok 'from a file' sh -c 'echo "SELECT 42 AS x" >q.sql && test "$("$TFPROF" query --db a.db --format csv -f q.sql | tail -1 | tr -d "\r")" = 42'
ok 'or from standard input' sh -c 'test "$(echo "SELECT 42 AS x" | "$TFPROF" query --db a.db --format csv -f - | tail -1 | tr -d "\r")" = 42'
ok 'a missing file is an error' exits 2 "$TFPROF" query --db a.db -f none.sql
ok 'an unknown format is usage' exits 2 "$TFPROF" query --db a.db --format xml 'SELECT 1'
ok 'a parameter has a name and a value' exits 2 "$TFPROF" query --db a.db --param novalue 'SELECT 1'
ok 'and is one of the statement' exits 2 "$TFPROF" query --db a.db --param x=1 'SELECT 1'
for t in soon -5 -5s nan 1e30s 5parsecs ''
do ok "--timeout '$t' is no time" exits 2 "$TFPROF" query --db a.db --timeout "$t" 'SELECT 1'
done
ok 'less than a millisecond is a limit' exits 4 timeout 20 "$TFPROF" query --db a.db --timeout 1us \
	'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'
ok 'inspect wants a path' exits 2 "$TFPROF" inspect
ok 'schema takes one view' exits 2 "$TFPROF" schema step event
ok 'explain wants a metric' exits 2 "$TFPROF" explain --db a.db
ok 'no command is usage' exits 2 "$TFPROF"
ok 'and help goes to stderr' says 'usage: tfprof COMMAND'
ok 'help that is asked for goes to stdout' exits 0 "$TFPROF" --help
ok 'and is the same' cmp out - <<H
$("$TFPROF" 2>&1)
H
ok 'an unknown command has no help' exits 2 "$TFPROF" help reprot
ok 'but a name near it' says "did you mean 'report'"
ln -s "$TFPROF" tfprof-reprot && ln -s "$TFPROF" profiler
ok 'a link of an unknown name is no command' exits 2 ./tfprof-reprot
ok 'named without its prefix' says "no command 'reprot'"
ok 'a link of another name is the program' exits 0 ./profiler ls --db a.db
ok 'no control character of a name reaches a terminal' exits 2 "$TFPROF" "$(printf 'a\033[31m')"
ok 'but a mark' says 'a?[31m'
ok 'nor of an option' exits 2 "$TFPROF" ls "$(printf -- '--a\033[31m')"
ok 'but a mark too' says '--a?[31m'
ok 'a file may begin with a dash behind --' sh -c 'cp "$1"/tf_leak/plugins/profile/*/vm.xplane.pb ./-x.pb && "$TFPROF" inspect -- -x.pb | grep -q "^-x.pb: xspace"' - "$logs"
ok 'before it, it is an option' exits 2 "$TFPROF" inspect -x.pb
ok '--help counts among others' exits 0 "$TFPROF" report --db none.db --nonsense --help
ok 'but not behind --' exits 3 "$TFPROF" report --db a.db -- --help
ok 'a report into a folder that is not there' exits 4 "$TFPROF" report --db a.db -o none/r.json
ok 'is said' says "'none/r.json'"
ok 'a report into - goes to stdout' sh -c '"$TFPROF" report --db a.db -j -o - | cmp - r.json'
ok 'a failed report makes no file' exits 3 "$TFPROF" report --db a.db -o none.json nothing
ok 'indeed' test ! -e none.json
ok 'a glob that names one session' exits 0 "$TFPROF" report --db a.db '*'
"$TFPROF" ingest --db a.db --run again "$logs/tf_leak"
ok 'a glob that names two is usage' exits 2 "$TFPROF" report --db a.db '*'
ok 'and how many is said' says "names 2 sessions"
"$TFPROF" ingest --db a.db "$logs/keras3_slow_input"
ok 'a run without a session beside the one that a glob names is no rival' exits 0 "$TFPROF" report --db a.db '[tv]*'
ok 'help lists all commands' sh -c 'for c in ingest report check ls inspect explain query schema; do "$TFPROF" help | grep -q "^  *$c" || exit 1; done'
ok 'help of a command is its help' sh -c '"$TFPROF" help report | head -1 | grep -q "^usage: tfprof report"'
done_testing
