#!/bin/sh
# run.sh - JUnit against the schema of Jenkins' xunit plugin (junit-10.xsd, which pytest's source package has), SARIF against that of
# OASIS (2.1.0, which an npm package has). What they come in goes into $O/formats; nothing of it is kept here.
. "$SRC/tests/lib.sh"
have=$O/formats
mkdir -p "$have"
if ! "$have/venv/bin/python" -c 'import lxml, jsonschema' 2>/dev/null
then python3 -m venv "$have/venv" >venv.log 2>&1 && "$have/venv/bin/pip" install -q lxml jsonschema >>venv.log 2>&1
fi
[ -s "$have/junit.xsd" ] || {
	"$have/venv/bin/pip" download -q --no-deps --no-binary :all: -d . pytest==9.2.0 >>venv.log 2>&1 &&
		tar xzOf pytest-9.2.0.tar.gz pytest-9.2.0/testing/example_scripts/junit-10.xsd >"$have/junit.xsd"
}
[ -s "$have/sarif.json" ] || {
	npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >>venv.log 2>&1 &&
		tar xzOf microsoft-jest-sarif-1.0.0-beta.0.tgz package/lib/schemas/sarif-2.1.0-rtm.5.json >"$have/sarif.json"
}
junit() { "$have/venv/bin/python" -c 'import sys; from lxml import etree
etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))' "$have/junit.xsd" "$1"; }
sarif() { "$have/venv/bin/python" -c 'import json, sys; from jsonschema.validators import validator_for
schema = json.load(open(sys.argv[1])); kind = validator_for(schema); kind.check_schema(schema)
kind(schema, format_checker=kind.FORMAT_CHECKER).validate(json.load(open(sys.argv[2])))' "$have/sarif.json" "$1"; }

"$TFPROF" ingest --db a.db "$logs"
slow=run:keras3_slow_input/train fast=run:keras3_fast_input/train
"$TFPROF" report --db a.db --json -o fast.json $fast
cat >c.json <<'J'
{"limits": {"step_time_ms.*": {"max": "20ms"}, "scalar[*].last": {"min": -1}, "steps.count": {"min": 1}},
 "waivers": [{"metric": "step_time_ms.max", "expires": "2099-01-01", "reason": "a <reason> {0} & \"more\""},
             {"metric": "memory.*", "expires": "2001-01-01", "reason": "old"}]}
J
tag=$(printf 'scalar[<&"\033{0}[a](b)\303\251].last=1')
# both WHAT OPTIONS... : the two documents of one verdict are valid
both()
{
	case=$1; shift
	"$TFPROF" check --db a.db --junit j.xml --sarif s.json "$@" >/dev/null 2>&1
	if [ -s "$have/junit.xsd" ]; then ok "JUnit, $case" junit j.xml; else skip "JUnit, $case" 'the schema cannot be had'; fi
	if [ -s "$have/sarif.json" ]; then ok "SARIF, $case" sarif s.json; else skip "SARIF, $case" 'the schema cannot be had'; fi
}
both 'a pass' --max step_time_ms.mean=1s $fast
both 'a regression' --baseline fast.json $slow
both 'limits and waivers of a file' --config c.json $slow
both 'the unknown' --max "$tag" --max device.idle_ratio.mean=1 $fast
both 'what is let through' --inconclusive warn --max device.idle_ratio.mean=1 $fast
"$TFPROF" report --db a.db --json -o scalars.json memory_jump
both 'nothing compared' --baseline scalars.json memory_jump
if [ -s "$have/junit.xsd" ]
then
	sed 's/testcase/testcafe/g' j.xml >bad.xml
	ok 'the schema refuses other XML' sh -c '! "$1" -c "import sys; from lxml import etree
etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))" "$2" bad.xml 2>/dev/null' sh "$have/venv/bin/python" "$have/junit.xsd"
fi
if [ -s "$have/sarif.json" ]
then
	sed 's/"level":"[a-z]*"/"level":"awful"/' s.json >bad.json
	ok 'and other JSON' sh -c '! "$1" -c "import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))" "$2" bad.json 2>/dev/null' sh "$have/venv/bin/python" "$have/sarif.json"
fi
done_testing
