#!/bin/sh
# The list of worked cases: every case is there, every test that it names is in its program and runs.
. "$SRC/tests/lib.sh"
list=$SRC/tests/unit/CASES.md

all='C01 C03 C04 C06 C07 C09 C10 C12 C13 C15 C16 C18 C19 C21 C22 C24 C25 C26 C27 C28 C30 C31 C33 C34 C35 C36 C37 C39 C40 C42 C43
C45 C46 C48 C49 C51 C52 C54 C55 C57 C58 C60 C61 C62 C63 C64 C66 C67 C69 C70 C72 C73 C75 C76 C78 C79 C81 C82 C84'
ok 'every case is listed once' prints "$(echo $all)" sh -c 'sed -n "s/^| \(C[0-9]*\) .*/\1/p" "$0" | tr "\n" " " | sed "s/ \$//"' "$list"

# exist CASE : its line is "program: test, test; program: test" and all of them are there, or says why there is none
exist()
{
	tests=$(sed -n "s/^| $1 | [^|]* | \(.*\) |\$/\1/p" "$list")
	case $tests in '') echo "no tests, no reason"; return 1 ;; 'no such tool here: '?*) return 0 ;; esac
	echo "$tests" | tr ';' '\n' | while IFS=: read -r program names
	do
		file=$SRC/tests/unit/$(echo $program).c
		[ -f "$file" ] || { echo "no program '$program'"; exit 1; }
		[ -n "$names" ] || { echo "no test of $program"; exit 1; }
		for name in $(echo "$names" | tr ',' ' ')
		do
			grep -q "^static void $name(" "$file" || { echo "no test $name in $program"; exit 1; }
			grep -q "[( ]$name[,)]" "$file" || { echo "$name does not run"; exit 1; }
		done || exit 1
	done
}
for c in $all; do ok "$c" exist "$c"; done

# The other way round: a test that is named for a case is in the list.
listed() { for name in $(sed -n 's/^static void \(c[0-9][0-9]_[a-z0-9_]*\)(void \*\*state)$/\1/p' "$SRC"/tests/unit/*_test.c); do grep -qw "$name" "$list" || { echo "$name"; return 1; }; done; }
ok 'every test of a case is listed' listed
done_testing
