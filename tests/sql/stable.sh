#!/bin/sh
# The views as others rely on them: names, types and order are those of tests/golden/views.tsv, the page tells of them as they are, and
# what is in them has the types that are told, and nulls only where they are. `make docs` rewrites the page and, as far as the rules of
# schemas/CHANGES.md allow, the list.
. "$SRC/tests/lib.sh"

version=$(sed -n 's/^## //p' "$SRC/schemas/CHANGES.md" | tail -1)
"$TFPROF" schema --format tsv | awk -F '\t' -v v="$version" 'NR == 1 { print "version\t" v; next } $2 != "" { print $1 "\t" $2 "\t" $3 }' >views.tsv
# keeps OLD NEW : each view of OLD begins in NEW as it was, or the version is another
keeps()
{
	python3 - "$1" "$2" <<'P'
import sys
def read(path):
    lines = [l.rstrip('\n').split('\t') for l in open(path, encoding='utf-8')]
    views = {}
    for view, *column in lines[1:]: views.setdefault(view, []).append(column)
    return int(lines[0][1]), views
(was, old), (now, new) = map(read, sys.argv[1:])
broken = [(v, c, new.get(v)) for v, c in old.items() if new.get(v, [])[:len(c)] != c]
if broken and now <= was:
    for view, columns, there in broken:
        for at, c in enumerate(columns):
            if not there or at >= len(there) or there[at] != c:
                print('%s.%s (%s) is now %s' % (view, *c, 'gone' if not there or at >= len(there) else '%s (%s)' % tuple(there[at])))
                break
    sys.exit('statements of users break: take it back, or add "## %d" to schemas/CHANGES.md with what to write instead, then make docs' % (was + 1))
P
}
# is_current FILE NEW : what is in the repository is what would be written
is_current() { diff -u "$1" "$2" && return; echo "after a change of the views: make docs"; return 1; }

list=$SRC/tests/golden/views.tsv page=$SRC/schemas/SCHEMA.md
sh "$SRC/schemas/page.sh" "$TFPROF" >SCHEMA.md
if [ "${GOLDEN:-}" = rewrite ]
then
	[ ! -e "$list" ] || keeps "$list" views.tsv || exit 1
	cp views.tsv "$list"
	cp SCHEMA.md "$page"
fi
ok 'no view or column went, moved or has another type without a new version' keeps "$list" views.tsv
ok 'the list of views is up to date' is_current "$list" views.tsv
ok 'the page of views is up to date' is_current "$page" SCHEMA.md
sed '/^step	step_ps	/d' views.tsv >gone.tsv
ok 'a column that went is noticed' exits 1 keeps views.tsv gone.tsv
ok 'with what to do' says 'schemas/CHANGES.md'
sed 's/^step	step_ps	integer/step	step_ps	real/' views.tsv >typed.tsv
ok 'another type too' exits 1 keeps views.tsv typed.tsv
awk '/^step	number/ { held = $0; next } { print } held { print held; held = "" }' views.tsv >moved.tsv
ok 'another order too' exits 1 keeps views.tsv moved.tsv
sed "1s/.*/version	$((version + 1))/" gone.tsv >newer.tsv
ok 'a new version may' exits 0 keeps views.tsv newer.tsv
awk '{ print } END { print "step\tlater\ttext" }' views.tsv | sort -s -k1,1 >added.tsv
(head -1 views.tsv; grep -v '^version' added.tsv) >more.tsv
ok 'a column at the end needs none' exits 0 keeps views.tsv more.tsv

PYTHONDONTWRITEBYTECODE=1 python3 - "$SRC/tests/differential" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
from capture import random_capture
os.makedirs('gpu')
for seed in range(1, 9):
    with open('gpu/s%02d.xplane.pb' % seed, 'wb') as f: f.write(random_capture(seed).encode())
P
"$TFPROF" schema --json >views.json
# holds PATH... : what is ingested from there is as the views tell
holds()
{
	rm -f a.db; "$TFPROF" ingest --db a.db "$@" >ingest.log 2>&1
	python3 - <<'P'
import json, sqlite3
db, seen = sqlite3.connect('a.db'), 0
for c in json.load(open('views.json')):
    if not c['column']: continue
    types = {t for t, in db.execute('SELECT DISTINCT typeof("%(column)s") FROM "%(view)s"' % c)}
    seen += len(types)
    allowed = {'integer', 'real', 'text'} if c['type'] == 'any' else {c['type']}
    if c['null']: allowed.add('null')
    assert types <= allowed, (c, types)
assert seen > 300, seen
P
}
ok 'values have the types that are told, and nulls are where they are told' holds "$logs" gpu
if [ -d "$SRC/../shared/data/public" ]
then ok 'in all other captures too' holds "$SRC/../shared/data/public"
else skip 'in all other captures too' '../shared is not here'
fi
done_testing
