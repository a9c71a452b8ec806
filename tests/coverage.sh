#!/bin/sh
# coverage.sh - lines that `make check` runs, per folder of lib, and the files below 90 %. Built by `make coverage` in $O.
set -u
for source in lib/*/*.c
do
	# gcov -n prints for each source of the object: File 'path', then Lines executed:P% of N.
	gcov -n -o "$O/obj/$(dirname "$source")" "$O/obj/${source%.c}.o" 2>/dev/null | awk -v want="$source" '
		/^File/ { file = $2; gsub(/\047/, "", file); sub(/^\.\//, "", file) }
		/^Lines executed/ && file == want { sub(/.*:/, ""); p = $1; sub(/%/, "", p); print want, p, $NF; exit }'
done | awk '
	{ split($1, part, "/"); folder = part[1] "/" part[2]; run[folder] += $2 * $3 / 100; all[folder] += $3
	  if ($2 < 90) low[$1] = $2 }
	END { for (f in all) printf "%-14s %5.1f %% of %d lines\n", f, 100 * run[f] / all[f], all[f] | "sort"
	  close("sort")
	  for (f in low) printf "below 90 %%: %-34s %5.1f %%\n", f, low[f] | "sort -k5n" }'
