#!/bin/sh
# A store in company: two ingests at once, readers meanwhile, a disk without room, another hand in its file.
. "$SRC/tests/lib.sh"
events=$(ls "$logs"/keras3_fast_input/train/events.out.tfevents.*)
rows() { sql "$1" 'SELECT (SELECT count(*) FROM source_file) || " " || (SELECT count(*) FROM scalar)'; }

for side in a b
do for i in 1 2 3 4 5 6 7 8 9 10
	do mkdir -p "$side/$i" && cp "$events" "$side/$i/"
	done
done
"$TFPROF" ingest --db each.db --run a a && "$TFPROF" ingest --db each.db --run b b

"$TFPROF" ingest --db both.db --run a a 2>a.err & first=$!
"$TFPROF" ingest --db both.db --run b b 2>b.err & second=$!
reads=0 refused=0
while kill -0 $first 2>/dev/null || kill -0 $second 2>/dev/null
do
	"$TFPROF" ls --db both.db files >/dev/null 2>ls.err
	case $? in 0 | 3) reads=$((reads + 1)) ;; *) refused=$((refused + 1)) ;; esac
done
ok 'of two ingests into one store the first ends well' wait $first
ok 'and so does the second' wait $second
ok 'with all rows of one after the other' prints "$(rows each.db)" rows both.db
ok 'in a sound store' prints ok sql both.db 'PRAGMA integrity_check'
ok 'readers came meanwhile' test "$reads" -gt 0
ok 'and none met a lock' test "$refused" -eq 0

if mkdir disk && mount -t tmpfs -o size=64k none disk 2>/dev/null
then
	trap 'umount "$work/disk" 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
	ok 'a store that finds no room is a system error' exits 4 "$TFPROF" ingest --db disk/s.db a
	ok 'that names the store' says disk/s.db
	mount -o remount,size=64m disk
	ok 'with room the next ingest ends well' exits 0 "$TFPROF" ingest --db disk/s.db --run a a
	ok 'with all rows' prints "$(sql each.db "SELECT count(*) FROM scalar WHERE run LIKE 'a/%'")" sql disk/s.db 'SELECT count(*) FROM scalar'
	ok 'in a sound store too' prints ok sql disk/s.db 'PRAGMA integrity_check'
	umount disk
else
	skip 'a store on a full disk' 'no right to mount'
fi
# The limit is in blocks of 512 bytes; with the signal ignored a write beyond it fails.
ok 'a store that may not grow is a system error' exits 4 sh -c 'trap "" XFSZ; ulimit -f 200; exec "$TFPROF" ingest --db small.db a'
ok 'without the limit the next ingest ends well' exits 0 "$TFPROF" ingest --db small.db --run a a
ok 'and leaves a sound store' prints ok sql small.db 'PRAGMA integrity_check'
printf '\377\377\377\377\377\377\377\377' | dd of=small.db bs=1 seek=100 conv=notrunc 2>/dev/null
ok 'a store whose first page is overwritten is a system error' exits 4 "$TFPROF" ls --db small.db
ok 'that names the store once' test "$(grep -o small.db err | wc -l)" -eq 1
done_testing
