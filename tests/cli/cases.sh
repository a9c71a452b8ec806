#!/bin/sh
# The list of worked cases: every case is there, every test that it names exists.
. "$SRC/tests/lib.sh"
list=$SRC/tests/unit/CASES.md

all='C01 C03 C04 C06 C07 C09 C10 C12 C13 C15 C16 C18 C19 C21 C22 C24 C25 C26 C27 C28 C30 C31 C33 C34 C35 C36 C37 C39 C40 C42 C43
C45 C46 C48 C49 C51 C52 C54 C55 C57 C58 C60 C61 C62 C63 C64 C66 C67 C69 C70 C72 C73 C75 C76 C78 C79 C81 C82 C84'
ok 'every case is listed once' prints "$(echo $all)" sh -c 'sed -n "s/^| \(C[0-9]*\) .*/\1/p" "$0" | tr "\n" " " | sed "s/ \$//"' "$list"

# exist CASE : the test programs and tests of its line
exist()
{
	tests=$(sed -n "s/^| $1 | [^|]* | \(.*\) |\$/\1/p" "$list")
	case $tests in none:*) return 0; esac
	for word in $(printf '%s' "$tests" | grep -oE '[a-z0-9_]+_test\b|\b[a-z][a-z0-9]*(_[a-z0-9]+){2,}')
	do
		case $word in
		*_test) [ -f "$SRC/tests/unit/$word.c" ] || { echo "no $word"; return 1; } ;;
		*) grep -q "^static void $word(" "$SRC"/tests/unit/*_test.c || { echo "no test $word"; return 1; } ;;
		esac
	done
}
for c in $all; do ok "$c" exist "$c"; done
done_testing
