#!/bin/sh
# The recipes of cmd/GATE.md: their shell parts, taken out of the page and run as they stand.
. "$SRC/tests/lib.sh"

python3 - "$SRC/cmd/GATE.md" <<'P'
import re, sys, textwrap
blocks = re.findall(r'^```(\w+)\n(.*?)^```$', open(sys.argv[1], encoding='utf-8').read(), re.M | re.S)
def write(name, text):
    open(name, 'w').write(text)
for kind, text in blocks:
    if kind == 'yaml' and text.startswith('name:'):
        # each step's `run: |`, as GitHub runs it, by the step's name
        for step in re.split(r'^      - ', text, flags=re.M)[1:]:
            run = re.search(r'^        run: \|\n((?:          .*\n)+)', step, re.M)
            if run:
                write('github_' + re.match(r'name: (.*)', step)[1].replace(' ', '_'), textwrap.dedent(run[1]))
    elif kind == 'yaml':
        lines = re.search(r'^  script:\n((?:    - .*\n)+)', text, re.M)[1]
        write('gitlab', ''.join(line[6:] + '\n' for line in lines.splitlines()))
    elif kind == 'groovy':
        write('jenkins', textwrap.dedent(re.search(r"sh '''\n(.*?)'''", text, re.S)[1]))
    elif kind == 'sh':
        write('pre-merge.sh', text)
    elif kind == 'make':
        write('Makefile', text)
P
ok 'all recipes are there' ls github_train github_first_baseline github_gate gitlab jenkins pre-merge.sh Makefile
PATH=$(dirname "$TFPROF"):$PATH; export PATH
export CAPTURES="$logs" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GITHUB_STEP_SUMMARY=
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# project NAME : an empty project in its own folder, whose training leaves the capture that `input` names
project()
{
	mkdir "$work/$1" && cd "$work/$1" || exit 1
	printf '#!/bin/sh\nrm -rf logs && mkdir -p logs/train && cp -r "$CAPTURES/$(cat input)/train/." logs/train/\n' >train.sh
	chmod +x train.sh
	fast
}
fast() { echo keras3_fast_input >input; }
slow() { echo keras3_slow_input >input; }

project github
# github JOB BRANCH : the steps of one job, each by `bash -e` as on GitHub; ends with the first that fails
github()
{
	export JOB=$1 BRANCH=$2
	bash -e ../github_train || return
	[ "$BRANCH" != main ] || bash -e ../github_first_baseline || return
	bash -e ../github_gate
}
ok 'GitHub: main makes the baseline' exits 0 github 1-1 main
ok 'GitHub: unchanged code passes' exits 0 github 2-1 docs
slow
ok 'GitHub: a slower input fails' exits 1 github 3-1 augment
ok 'GitHub: and is annotated' grep -q '^::error title=tfprof%3A input.exposed_share::fail' out
ok 'GitHub: SARIF is there to be uploaded' prints 2.1.0 json 'd["version"]' check.sarif
ok 'GitHub: a slower main does not move the baseline' exits 1 github 4-1 main
fast
ok 'GitHub: nor stays it slow' exits 0 github 5-1 main

project lab
# GitLab joins the lines of a script and stops at the first that fails.
gitlab() { CI_JOB_ID=$1 CI_COMMIT_REF_NAME=$2 CI_DEFAULT_BRANCH=main sh -e ../gitlab; }
ok 'GitLab: main makes the baseline' exits 0 gitlab 1 main
ok 'GitLab: unchanged code passes' exits 0 gitlab 2 docs
slow
ok 'GitLab: a slower input fails' exits 1 gitlab 3 augment
ok 'GitLab: JUnit counts it' sh -c 'grep -q "failures=\"2\"" check.xml'
ok 'GitLab: and the Markdown says so' grep -q '^### tfprof check: fail' check.md

project merge
git init -q . && git add train.sh && git commit -qm 'a project'
ok 'a baseline is a commit' exits 0 sh ../pre-merge.sh --renew 'the first one'
ok 'with its reason' prints 'perf: new baseline: the first one' git log -1 --format=%s
ok 'unchanged code may be merged' exits 0 sh ../pre-merge.sh
slow
ok 'a slower input may not' exits 1 sh ../pre-merge.sh
ok 'Jenkins: nor there' exits 1 env BRANCH_NAME=augment sh -xe ../jenkins
ok 'Jenkins: JUnit counts it' sh -c 'grep -q "failures=\"2\"" check.xml'
fast
ok 'Jenkins: unchanged code passes' exits 0 env BRANCH_NAME=main sh -xe ../jenkins
ok 'a capture that is cut renews nothing' exits 5 sh -c 'cp train.sh t && printf "f=\$(echo logs/train/plugins/profile/*/vm.xplane.pb)\nhead -c 300000 \$f >c && mv c \$f\n" >>train.sh
	sh ../pre-merge.sh --renew hurry; got=$?; mv t train.sh; exit $got'

project make
cp ../Makefile .
ok 'Makefile: three runs are the baseline' exits 0 make -s baseline
ok 'Makefile: of three files' ls perf/run1.json perf/run2.json perf/run3.json
ok 'Makefile: unchanged code passes' exits 0 make -s gate
slow
ok 'Makefile: a slower input fails' exits 2 make -s gate # make's own status
ok 'Makefile: by the gate' grep -q '^fail  *input.exposed_share' out
done_testing
