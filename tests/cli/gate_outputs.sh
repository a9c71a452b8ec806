#!/bin/sh
# check: all outputs of one verdict, and where they go.
. "$SRC/tests/lib.sh"

"$TFPROF" ingest --db a.db "$logs"
"$TFPROF" report --db a.db --json -o fast.json run:keras3_fast_input/train
slow=run:keras3_slow_input/train
cat >tfprof.json <<'J'
{"baseline": "fast.json",
 "limits": {
  "step_time_ms.mean": {"max_regress": "5%"},
  "input.exposed_share": {"max": "20%"}},
 "waivers": [{"metric": "input.*", "expires": "2030-01-01", "reason": "disks"}]}
J
check() { env GITHUB_STEP_SUMMARY= "$TFPROF" check --db a.db --now 2026-01-01 "$@" $slow; }

ok 'one run writes them all' exits 1 check --json --junit j.xml --sarif s.json --md m.md
ok 'which tell the same' python3 - <<'P'
import json, re, xml.etree.ElementTree as e
d, s, m = json.load(open('out')), json.load(open('s.json')), open('m.md').read()
j = e.parse('j.xml').getroot()
want = {(c['metric'], c['kind']): c['verdict'] for c in d['checks']}
assert want == {('step_time_ms.mean', 'regress'): 'fail', ('input.exposed_share', 'max'): 'waived'}, want
sarif = {(r['partialFingerprints']['tfprofMetric/v1'], r['ruleId'].split('/')[1]): r for r in s['runs'][0]['results']}
assert sarif.keys() == want.keys()
assert [k for k, r in sarif.items() if 'suppressions' in r] == [('input.exposed_share', 'max')]
cases = {(c.get('name'), c.get('classname').split('.')[1]): c for c in j.iter('testcase')}
assert cases.keys() == want.keys()
assert cases['step_time_ms.mean', 'regress'].find('failure') is not None
assert cases['input.exposed_share', 'max'].find('skipped') is not None
rows = re.findall(r'^\| (\w+) \| <code>(.*?)</code> \| (\w+) \|', m, re.M)
assert {(metric, kind): verdict for verdict, metric, kind in rows} == want, rows
P
ok 'SARIF points at the line of the rule' prints 'tfprof.json 3' json \
	'[(l["artifactLocation"]["uri"] + " " + str(l["region"]["startLine"])) for r in d["runs"][0]["results"] if r["level"] == "error" and "suppressions" not in r
	  for l in [r["locations"][0]["physicalLocation"]]][0]' s.json
ok 'a pull request is annotated' exits 1 check --github
ok 'at that line' grep -q '^::error file=tfprof.json,line=3,title=tfprof%3A step_time_ms.mean::fail: ' out
ok 'once, since the other is waived' prints 1 grep -c ^::error out
ok 'and told of the waiver' grep -q '^::notice title=tfprof::waivers: 1 used' out
ok 'before the text' grep -q '^fail: ' out
echo 'what was there' >sum.md
ok 'the summary is added to' exits 1 env GITHUB_STEP_SUMMARY=sum.md "$TFPROF" check --db a.db --now 2026-01-01 --github $slow
ok 'and kept' prints 'what was there' head -1 sum.md
"$TFPROF" check --db a.db --now 2026-01-01 --md - $slow >m2.md
ok 'by the Markdown' sh -c 'tail -n +2 sum.md | cmp - m2.md && cmp m.md m2.md'
ok 'one that cannot be written is a system error' exits 4 env GITHUB_STEP_SUMMARY=no/sum.md "$TFPROF" check --db a.db --github $slow
ok 'as is a file' exits 4 check --sarif no/s.json
ok 'and a full disk' exits 4 check --md /dev/full
for two in '--json --github' '--json --md -' '--junit - --sarif -' '--github --sarif -' '--md - --junit -'
do ok "two documents do not fit one stream: $two" exits 2 check $two
done
for one in '--junit -' '--sarif -' '--md -'
do ok "$one goes to stdout alone" sh -c 'env GITHUB_STEP_SUMMARY= "$TFPROF" check --db a.db --now 2026-01-01 $1 $2 | cmp - $3' sh "$one" $slow \
	"$(case $one in *junit*) echo j.xml ;; *sarif*) echo s.json ;; *) echo m.md ;; esac)"
done
done_testing
