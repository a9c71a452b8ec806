#!/bin/sh
# Archives and compressed files: the same figures as from the bare folder, repeats, names, damage, hostile members, bombs.
. "$SRC/tests/lib.sh"
capture=$(cd "$logs" && ls tf_leak/plugins/profile/*/vm.xplane.pb)
events=$(cd "$logs" && ls keras3_fast_input/train/events.out.tfevents.*)

# make_zip ZIP FOLDER
make_zip() { python3 -c 'import shutil, sys; shutil.make_archive(sys.argv[1][:-4], "zip", sys.argv[2])' "$1" "$2"; }
# rows STORE : the ledger without the archive itself, paths below it
rows() { sql "$1" "SELECT replace(replace(path, '$2/', ''), '$logs/', ''), kind, size_bytes, bytes_read, records, state FROM source_file WHERE kind <> 'archive' ORDER BY 1"; }
# report STORE SELECTOR : all figures, without the row number
report() { "$TFPROF" report --db "$1" --json "$2" | python3 -c 'import json, sys; d = json.load(sys.stdin); (d["session"] or {}).pop("id", 0); print(json.dumps(d))'; }
same_reports()
{
	for s in keras3_slow_input/train tf_leak jax_4cpu tf_summaries
	do
		want=want.$(basename $s); test -s $want || report bare.db run:$s >$want
		report "$1" run:$s >got && test -s $want && cmp $want got || return 1
	done
}

tar -C "$logs" -cf logs.tar . && gzip -k logs.tar && cp logs.tar.gz logs.tgz && zstd -q logs.tar && cp logs.tar.zst logs.tzst && make_zip logs.zip "$logs"
"$TFPROF" ingest --db bare.db "$logs"
rows bare.db - >bare.rows
"$TFPROF" report --json "$logs" >path.json
for a in logs.tar logs.tar.gz logs.tgz logs.tar.zst logs.tzst logs.zip
do
	ok "$a goes in" exits 0 "$TFPROF" ingest --db $a.db --strict --json $a
	ok "$a: every member is in the ledger, and the archive" prints 19 json 'd["totals"]["files"]' out
	ok "$a: as files of their own would be" prints "$(cat bare.rows)" rows $a.db $a
	ok "$a: the reports are those of the folder" same_reports $a.db
	ok "$a: again" exits 0 "$TFPROF" ingest --db $a.db --json $a
	ok "$a: unchanged is one row" prints '[["archive", "unchanged"]]' json 'json.dumps([[f["kind"], f["state"]] for f in d["files"]])' out
	ok "$a: report PATH" sh -c '"$TFPROF" report --json "$1" | cmp - path.json' - $a
	ok "$a: standard input" sh -c '"$TFPROF" report --json - <"$1" | cmp - path.json' - $a
done
ok 'through a pipe' exits 0 sh -c 'cat logs.tar.zst | "$TFPROF" ingest --db pipe.db --strict -'
ok 'the reports are the same' same_reports pipe.db
ok 'another pipe of the same' exits 0 sh -c 'cat logs.zip | "$TFPROF" ingest --db pipe.db --json -'
ok 'changes nothing of what is loaded' prints 0 json 'sum(f["state"] in ("new", "failed") for f in d["files"])' out
ok 'inspect lists the members' prints 19 sh -c '"$TFPROF" inspect logs.zip | grep -c "^logs.zip"'
ok 'check judges one' exits 0 "$TFPROF" check --max step_time_ms.mean=30ms logs.tgz
ok 'or what comes by standard input' exits 1 sh -c '"$TFPROF" check --max step_time_ms.mean=1us - <logs.zip'
ok 'inspect reads standard input' prints '-: xspace, 44433 bytes, 1720 records, tail clean' sh -c '"$TFPROF" inspect - <"$1" | head -1' - "$logs/$capture"
ok 'a session of an archive is read again for another step event' \
	sh -c '"$TFPROF" report --db logs.zip.db --json --step-event "^ThreadpoolListener::Record\$" run:tf_leak >again.json'
"$TFPROF" report --db bare.db --json --step-event '^ThreadpoolListener::Record$' run:tf_leak >want.json
ok 'as that of a folder is' prints "$(json 'd["metrics"]' want.json)" json 'd["metrics"]' again.json
ok 'nothing was unpacked' prints '' find . -name '*.xplane.pb' -o -name '*tfevents*'

# One file, compressed.
zstd -q -o h.xplane.pb.zst "$logs/$capture"
ok 'a zstd file goes in' exits 0 "$TFPROF" ingest --db z.db --strict h.xplane.pb.zst
ok 'with all its events' prints '1720|h' sql z.db 'SELECT (SELECT count(*) FROM event), (SELECT name FROM host)'
zstd -qc "$logs"/keras3_slow_input/train/plugins/profile/*/vm.xplane.pb | head -c 100000 >cut.xplane.pb.zst
ok 'one that was cut' exits 0 "$TFPROF" ingest --db zc.db cut.xplane.pb.zst
ok 'is told' prints 'truncated|the zstd stream ends early or is damaged' sql zc.db "SELECT code, message FROM ingest_issue WHERE message LIKE '%zstd%'"
ok 'and incomplete' prints 0 sql zc.db 'SELECT complete FROM session'

# Names: an archive in a folder is a folder of its name without the extension.
mkdir -p ci/a && tar -C "$logs" -czf ci/job1.tar.gz tf_leak && tar -C "$logs" -cf ci/a/job2.tar ./tf_leak && tar -C "$logs/$capture/.." -cf ci/up.tar ../vm.xplane.pb 2>log
ok 'a folder of archives' exits 0 "$TFPROF" ingest --db n.db --run nightly ci
ok 'keeps them apart' prints 'nightly/a/job2/tf_leak nightly/job1/tf_leak' sql n.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM run WHERE name LIKE '%leak' ORDER BY 1)"
ok 'whose path is that of the folder' prints 'ci/' sql n.db "SELECT DISTINCT path FROM run"
ok 'the ledger has the archive and the member' prints "ci/job1.tar.gz/$capture" sql n.db "SELECT path FROM source_file WHERE path LIKE '%job1%.pb'"
mkdir other && cp logs.zip other/model.keras && cp "$logs/$capture" other/h.xplane.pb
ok 'a zip that is not named like an archive' exits 0 "$TFPROF" ingest --db k.db --json --strict other
ok 'is left alone in a folder' prints 'skipped unsupported' json '[f["state"] + " " + f["issues"][0]["code"] for f in d["files"] if "keras" in f["path"]][0]' out
ok 'and read where it is PATH' exits 0 "$TFPROF" report other/model.keras

# An archive changes: what it no longer has goes, what is the same stays.
mkdir v && cp -r "$logs/tf_leak" "$logs/tf_mirrored_2cpu" v && tar -C v -cf v.tar . && "$TFPROF" ingest --db v.db v.tar
rm -r v/tf_mirrored_2cpu && cp -r "$logs/tf_custom_loop" v && tar -C v -cf v.tar .
ok 'a changed archive' exits 0 "$TFPROF" ingest --db v.db --json v.tar
ok 'has new members, and old ones' prints '[["archive", "replaced"], ["xspace", "new"], ["xspace", "new"], ["xspace", "unchanged"]]' json \
	'json.dumps(sorted([f["kind"], f["state"]] for f in d["files"]))' out
ok 'and lacks some' prints 'tf_custom_loop/fast tf_custom_loop/slow tf_leak' sql v.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM run ORDER BY 1)"
ok 'of which no row is left' prints 3 sql v.db 'SELECT count(DISTINCT host_id) FROM line'
touch v.tar
ok 'the same bytes under a new date' exits 0 "$TFPROF" ingest --db v.db --json v.tar
ok 'are not read again' prints '[["archive", "unchanged"]]' json 'json.dumps([[f["kind"], f["state"]] for f in d["files"]])' out
ok 'and are still known for another step event' exits 0 "$TFPROF" report --db v.db --step-event x run:tf_leak
head -c 100000 v.tar >w && mv w v.tar
ok 'when it is cut' exits 0 "$TFPROF" ingest --db v.db v.tar
ok 'what it had behind the cut stays' prints 3 sql v.db 'SELECT count(*) FROM session'
cp "$logs/$capture" v.tar
ok 'and when it is an archive no more' exits 0 "$TFPROF" ingest --db v.db v.tar
ok 'its members go' prints 1 sql v.db 'SELECT count(*) FROM source_file'

# A value that another member of the run had replaced counts again when that one goes.
mkdir -p w/run && cp "$logs/$events" w/run/events.out.tfevents.1.a && cp "$logs/$events" w/run/events.out.tfevents.2.a && tar -C w -cf w.tar . && "$TFPROF" ingest --db w.db w.tar
half=$(sql w.db 'SELECT count(*) / 2 FROM scalar')
ok 'of two writes of a step one counts' prints "$half" sql w.db 'SELECT count(*) FROM scalar WHERE superseded'
rm w/run/events.out.tfevents.2.a && tar -C w -cf w.tar . && "$TFPROF" ingest --db w.db w.tar
ok 'and it alone when it is alone' prints "$half|0" sql w.db 'SELECT count(*), sum(superseded) FROM scalar'
"$TFPROF" doctor --db w.db --json >doctor.json
ok 'doctor finds the store sound, and knows members' prints '[true, 2, []]' json 'json.dumps([d["sound"], d["unchanged_files"], d["files"]])' doctor.json

# --include and --exclude speak of members.
ok 'what is asked for alone' exits 0 "$TFPROF" ingest --db i.db --include '*tfevents*' logs.zip
ok 'is loaded' prints 0 sql i.db "SELECT count(*) FROM source_file WHERE kind NOT IN ('event_file', 'archive')"
ok 'the rest when it is asked for' exits 0 "$TFPROF" ingest --db i.db --exclude '*tf_leak*' logs.zip
ok 'later' prints 7 sql i.db 'SELECT count(*) FROM session'
ok 'and all' exits 0 "$TFPROF" ingest --db i.db logs.zip
ok 'in the end' prints 8 sql i.db 'SELECT count(*) FROM session'

# Damage: members before it are read, it is said, and what may be incomplete is no pass.
head -c 800000 logs.tar >cut.tar && head -c 400000 logs.tar.gz >cut.tar.gz && head -c 400000 logs.tar.zst >cut.tar.zst && head -c 400000 logs.zip >cut.zip
for a in cut.tar cut.tar.gz cut.tar.zst cut.zip
do
	ok "$a: goes in" exits 0 "$TFPROF" ingest --db $a.db --json $a
	ok "$a: the cut is said with its place" prints "truncated $(stat -c %s $a)" json '[i["code"] + " " + str(i["offset"]) for i in d["files"][0]["issues"]][0]' out
	ok "$a: the member it lies in too" prints 1 json 'sum("ends inside this member" in i["message"] for f in d["files"] for i in f["issues"])' out
	ok "$a: --strict refuses it" exits 3 "$TFPROF" ingest --db strict.db --strict $a
	ok "$a: no session is complete" prints 0 sql $a.db 'SELECT count(*) FROM session WHERE complete'
	ok "$a: nor passes" exits 5 "$TFPROF" check --db $a.db --max step_time_ms.mean=1s
done
python3 - logs.zip <<'P'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
at = b.find(b'tf_leak/plugins/profile/'); at = b.find(b'vm.xplane.pb', at) + 6000
b[at] ^= 0xff  # in its deflated data
open('bad.zip', 'wb').write(b)
P
ok 'one damaged member' exits 0 "$TFPROF" ingest --db bad.db --json bad.zip
ok 'costs no other' prints '["tf_leak"]' json 'json.dumps([f["path"].split("/")[1] for f in d["files"] for i in f["issues"] if i["code"] == "truncated" and "member" in i["message"]])' out
ok 'of which all is loaded' prints 7 sql bad.db 'SELECT count(*) FROM session WHERE complete'
zip -q -P secret -j enc.zip "$logs/$capture"
ok 'an encrypted member' exits 3 "$TFPROF" ingest --db enc.db --json enc.zip
ok 'is said' prints 'failed io_error encrypted: there is no password to read it with' json \
	'[f["state"] + " " + i["code"] + " " + i["message"] for f in d["files"] for i in f["issues"]][0]' out
for f in none.tar none.zip; do echo 'no archive' >$f; done
ok 'what is only named like an archive' exits 3 "$TFPROF" ingest --db none.db none.tar none.zip
ok 'is said' says '2 files are damaged or unreadable'

# Hostile members: names lead nowhere, links and devices are passed over, the last of several of one name counts.
python3 - "$logs/$capture" "$logs/$events" <<'P'
import io, sys, tarfile, zipfile
capture, events = (open(p, 'rb').read() for p in sys.argv[1:])
with tarfile.open('names.tar', 'w') as t:
    def add(name, data=capture, **more):
        i = tarfile.TarInfo(name)
        i.size = len(data)
        for k, v in more.items():
            setattr(i, k, v)
        t.addfile(i, io.BytesIO(data))
    for n in ('/abs/h.xplane.pb', '../../up/h.xplane.pb', './a/./../b//h.xplane.pb', '\u00fc\u4e2d/h.xplane.pb', 'esc\x1b[31m\nline/h.xplane.pb', '..'):
        add(n)
    add('dup/h.xplane.pb', events)
    add('dup/h.xplane.pb')
    for k, ty in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)):
        add('special%d/h.xplane.pb' % k, b'', type=ty, linkname='/etc/passwd')
with zipfile.ZipFile('names.zip', 'w') as z:
    for n in ('/abs/h.xplane.pb', '../../up/h.xplane.pb', '\u00fc\u4e2d/h.xplane.pb'):
        z.writestr(n, capture)
with tarfile.open('tiny.tar', 'w') as t:
    for k in range(2000):
        i = tarfile.TarInfo('d%d/note.txt' % k)
        i.size = 9
        t.addfile(i, io.BytesIO(b'not a log'))
P
ok 'hostile names' exits 0 "$TFPROF" ingest --db names.db --json --strict names.tar
ok 'are harmless' prints "a/b abs dup esc??line up üz" sql names.db \
	"SELECT group_concat(replace(replace(replace(name, char(27) || '[31m', '?'), char(10), '?'), '中', 'z'), ' ') FROM (SELECT name FROM run ORDER BY 1)"
ok 'what is no file is counted' prints '4 links, devices or entries without a name: passed over' json 'd["files"][0]["issues"][0]["message"]' out
ok 'the last of one name counts' prints xspace sql names.db "SELECT kind FROM source_file WHERE path LIKE '%/dup/%'"
ok 'in a zip too' exits 0 "$TFPROF" ingest --db nz.db --strict names.zip
ok 'they have their names' prints 'abs up ü中' sql nz.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM run ORDER BY 1)"
ok 'thousands of tiny members' exits 3 timeout 60 "$TFPROF" ingest --db tiny.db --json tiny.tar
ok 'are all in the ledger' prints 2001 json 'd["totals"]["files"]' out
cp logs.tar.gz one.tar.gz && tar -cf two.tar one.tar.gz && tar -cf three.tar two.tar && tar -cf four.tar three.tar
ok 'archives inside archives' exits 0 "$TFPROF" ingest --db three.db --strict three.tar
ok 'are named through all of them' prints "three.tar/two.tar/one.tar.gz/$capture" sql three.db "SELECT path FROM source_file WHERE path LIKE '%tf_leak%'"
ok 'but only so deep' exits 3 "$TFPROF" ingest --db four.db four.tar
ok 'which is said' prints limit sql four.db 'SELECT code FROM ingest_issue'

# Bombs: in 450 MB of address space, far below what they inflate to; soon; said.
python3 - "$logs/$events" <<'P'
import sys, zipfile
events = open(sys.argv[1], 'rb').read()
zeros = bytes(1 << 20)
with zipfile.ZipFile('large.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('events.out.tfevents.1', 'w') as f:
        f.write(events)
        for _ in range(200):
            f.write(zeros)
P
{ cat "$logs/$events"; head -c 300000000 /dev/zero; } | gzip -1 >events.out.tfevents.1.gz
{ cat "$logs/$events"; head -c 1000000000 /dev/zero; } | zstd -q -o events.out.tfevents.2.zst
{ printf '{"traceEvents":['; head -c 1200000000 /dev/zero | tr '\0' ' '; } | zstd -q -o s.trace.json.zst
truncate -s 20G events.out.tfevents.3 && dd if="$logs/$events" of=events.out.tfevents.3 conv=notrunc 2>log && tar -S -cf sparse.tar events.out.tfevents.3 && rm events.out.tfevents.3
grep -q __asan_init "$TFPROF" && address_space=unlimited || address_space=450000
for a in events.out.tfevents.1.gz events.out.tfevents.2.zst s.trace.json.zst large.zip sparse.tar
do
	ok "$a: ends in little memory" sh -c 'ulimit -v $2; timeout 60 "$TFPROF" ingest --db bomb.db "$1"; s=$?; [ $s = 3 ] || [ $s = 0 ]' - $a $address_space
	ok "$a: and is told" sh -c 'sqlite3 bomb.db "SELECT i.code FROM ingest_issue i JOIN source_file f USING (file_id) WHERE f.path LIKE '"'$a%'"'" | grep -qx limit'
done
done_testing
