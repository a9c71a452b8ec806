#!/bin/sh
# page.sh TFPROF : print SCHEMA.md, the page of all views, from what `tfprof schema` says of them.
set -eu
version=$(sed -n 's/^## //p' "${0%/*}/CHANGES.md" | tail -1)
cat <<P
# Views

Version $version ([what changed](CHANGES.md)). \`make docs\` writes this page from \`schemas/views\`; \`tfprof schema\` prints the same.
Every view is readable with a stock \`sqlite3\`. A column without a word under *null* is never null. Times are from the session's start
unless a column says otherwise; ratios lie in 0..1; flags are 0 and 1. Type *any*: it differs by row.
P
"$1" schema --format tsv | LC_ALL=C awk -F '\t' '
NR == 1 { next }
{ for (i = 1; i <= NF; i++) { gsub(/\|/, "\\\\&", $i) } }
$2 == "" { printf "\n## %s\n%s\n\n| column | type | unit | null | meaning |\n|---|---|---|---|---|\n", $1, $6; next }
{
	# What a null means has a column of its own here.
	doc = $6
	if ($5 != "") sub(/(^|; )null:? [^;]*$/, "", doc)
	printf "| %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, doc == "" ? "as its name says" : doc
}'
