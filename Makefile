# tfprof: `make help` lists targets and knobs.
O       ?= build
PREFIX  ?= /usr/local
CFLAGS  ?= -O2 -g
PKGS    := zlib libzstd libarchive sqlite3 libcjson
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wcast-qual
SAN     := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
cflags  := -std=c11 -D_XOPEN_SOURCE=700 -I. $(WARN) $(if $(WERROR),-Werror) $(SAN) -pthread \
	-ffile-prefix-map=$(abspath $(O))=build -ffile-prefix-map=$(O)=build -ffile-prefix-map=$(CURDIR)=.
# Not with sanitizers, which do more than these, nor without optimisation, which they need.
harden  := $(if $(SANITIZE)$(filter -O0,$(CFLAGS)),,-fstack-protector-strong -D_FORTIFY_SOURCE=2)
cflags  += $(harden) -fPIE
LDFLAGS ?= -pie -Wl,-z,relro,-z,now
have    := $(shell pkg-config --exists $(PKGS) cmocka && echo yes)
ifeq ($(have),yes)
cflags  += $(shell pkg-config --cflags $(PKGS))
libs    := $(shell pkg-config --libs $(PKGS)) -lm -pthread
endif

packages := gcc make pkg-config zlib1g-dev libzstd-dev libarchive-dev libsqlite3-dev libcjson-dev \
	libcmocka-dev sqlite3 perl python3 zstd zip

export LC_ALL := C

lib_src := $(sort $(wildcard lib/*/*.c)) $(O)/gen/sql.c
cmd_src := $(sort $(wildcard cmd/*.c))
unit_src := $(sort $(wildcard tests/unit/*_test.c))
tool_src := $(sort $(wildcard tests/bench/*.c))
fuzz_src := $(sort $(wildcard tests/fuzz/*_fuzz.c))
help_src := $(sort $(wildcard tests/unit/support_*.c))
sql     := $(sort $(wildcard schemas/*.sql)) $(sort $(wildcard schemas/views/*.sql)) schemas/explain/metrics.sql $(sort $(wildcard schemas/queries/*.sql))
objects  = $(patsubst %.c,$(O)/obj/%.o,$(patsubst $(O)/%,%,$(1)))
lib_obj := $(call objects,$(lib_src))
cmd_obj := $(call objects,$(cmd_src))
ext_obj := $(patsubst lib/store/%.c,$(O)/extension/%.o,$(wildcard lib/store/sql_*.c))
help_obj := $(call objects,$(help_src))
unit    := $(unit_src:tests/unit/%.c=$(O)/unit/%)
tools   := $(tool_src:tests/bench/%.c=$(O)/bench/%)
replays := $(fuzz_src:tests/fuzz/%.c=$(O)/replay/%)
fuzzers := $(fuzz_src:tests/fuzz/%.c=$(O)/libfuzzer/%)
fuzz_help := $(call objects,tests/fuzz/support_file.c tests/fuzz/support_laws.c tests/unit/support_proto.c)
fuzz_main := $(call objects,tests/fuzz/support_replay.c)
T       ?= 60
names   := $(shell sed -n 's/^TF_CMD(\(.*\))$$/\1/p' cmd/cmds.def 2>/dev/null)
links   := $(names:%=$(O)/tfprof-%)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

all: $(O)/tfprof $(links) $(O)/tfprof_sql.so

# What a fresh Debian 12 lacks.
deps:
	$(if $(filter 0,$(shell id -u)),,sudo) apt-get update -qq
	$(if $(filter 0,$(shell id -u)),,sudo) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(packages)

# Targets that build run make again after `deps`, so that pkg-config is asked anew.
ifneq ($(have),yes)
demo check check-long coverage docs fault fuzz fuzz-replay golden lint bench:
	@test -z '$(DEPS_TRIED)' || { echo 'tfprof: pkg-config still does not find: $(PKGS) cmocka' >&2; exit 1; }
	@$(MAKE) deps
	@$(MAKE) DEPS_TRIED=yes $@
else

demo: all
	@rm -f $(O)/demo.db
	$(O)/tfprof ingest --db $(O)/demo.db testdata/logs
	$(O)/tfprof ls --db $(O)/demo.db sessions
	$(O)/tfprof report --db $(O)/demo.db run:keras3_slow_input/train

check: all $(unit) $(O)/fault.so
	$(Q)TFPROF=$(abspath $(O))/tfprof SRC=$(CURDIR) O=$(abspath $(O)) prove -j2 -e '' $(unit) $(sort $(wildcard tests/cli/*.sh tests/sql/*.sh tests/differential/*.sh))

# Rewrites the reports that tests/cli/golden.sh expects. Read the difference before you commit it.
golden: all
	$(Q)GOLDEN=rewrite TFPROF=$(abspath $(O))/tfprof SRC=$(CURDIR) sh tests/cli/golden.sh

# The page of the views, and the list of them that tests/sql/stable.sh guards.
docs: all
	$(Q)GOLDEN=rewrite TFPROF=$(abspath $(O))/tfprof SRC=$(CURDIR) sh tests/sql/stable.sh

# What takes minutes: the gate's statistics against SciPy and on many pairs of runs, every capture of ../shared under the sanitizers,
# and the referees.
check-long: check
	$(Q)O=$(abspath $(O)) SRC=$(CURDIR) TFPROF=$(abspath $(O))/tfprof CC="$(CC)" sh tests/check_long.sh

# The corpus through every decoder, under the sanitizers.
fuzz-replay:
	$(Q)$(MAKE) --no-print-directory O=$(O)/san SANITIZE=address,undefined replay
replay: $(replays)
	$(Q)SRC=$(CURDIR) prove -e '' $(replays)

# T seconds of libFuzzer a target, from the corpus on. An input that crashes it is left in $(O)/fuzz.
fuzz:
	$(Q)$(MAKE) --no-print-directory O=$(O)/fuzz CC=clang SANITIZE=address,undefined,fuzzer-no-link T=$(T) libfuzzer
libfuzzer: $(fuzzers)
	$(Q)rc=0; for f in $(fuzzers); do \
		n=$$(basename $$f _fuzz); echo "== $$n"; mkdir -p $(O)/found/$$n; \
		dict=tests/fuzz/$$n.dict; test -f $$dict && dict=-dict=$$dict || dict=; \
		nice -n 19 $$f -max_total_time=$(T) -max_len=4096 -timeout=20 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$(O)/$$n- $$dict $(O)/found/$$n testdata/corpus/$$n || rc=1; \
	done; exit $$rc

# N faults of each kind of call, one run each, and as many kills; check makes a few of them.
N       ?= 100
fault: all $(O)/fault.so
	$(Q)rc=0; python3 tests/fault/run.py $(abspath $(O))/tfprof $(abspath $(O))/fault.so $(CURDIR) $(N) || rc=1; \
	python3 tests/fault/kill.py $(abspath $(O))/tfprof $(CURDIR) $(N) || rc=1; exit $$rc
$(O)/fault.so: tests/fault/shim.c
	$(call say,CC,$<)
	$(Q)$(CC) -O1 $(WARN) -shared -fPIC -o $@ $< -ldl

# Lines of lib that the tests run.
coverage:
	$(Q)$(MAKE) --no-print-directory O=$(O)/cov CFLAGS='-O0 -g --coverage' check >$(O)/coverage.log 2>&1 || tail -5 $(O)/coverage.log
	$(Q)O=$(O)/cov sh tests/coverage.sh

lint: all
	$(Q)O=$(O) CC="$(CC)" sh tests/lint.sh

bench: all $(tools)
	$(Q)TFPROF=$(abspath $(O))/tfprof SRC=$(CURDIR) O=$(abspath $(O)) sh tests/bench/run.sh
endif

# The flags are a prerequisite: changing them rebuilds, and nothing else does.
stamp := $(CC) $(CFLAGS) $(CPPFLAGS) $(cflags) $(LDFLAGS) $(libs)
$(O)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(stamp)' | cmp -s - $@ || printf '%s\n' '$(stamp)' >$@

$(O)/gen/sql.c: schemas/embed.sh $(sql) $(O)/sql.list
	@mkdir -p $(@D)
	$(Q)sh schemas/embed.sh $(sql) >$@.tmp && mv $@.tmp $@
# The list of names too: a deleted .sql must not stay embedded.
$(O)/sql.list: FORCE
	@mkdir -p $(@D); printf '%s\n' $(sql) | cmp -s - $@ || printf '%s\n' $(sql) >$@

$(O)/obj/gen/%.o: $(O)/gen/%.c $(O)/flags
	$(call say,CC,$(<F))
	@mkdir -p $(@D)
	$(Q)$(CC) $(cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/obj/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
# The SQL functions once more, as an extension that any SQLite loads. It is never sanitized: its host is not.
$(O)/extension/%.o: lib/store/%.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize% -fno-omit% -fPIE,$(cflags)) -DTF_SQL_EXTENSION -fPIC -fvisibility=hidden $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/tfprof_sql.so: $(ext_obj)
	$(call say,LD,$(@F))
	$(Q)$(CC) $(CFLAGS) $(filter-out -pie,$(LDFLAGS)) -shared -o $@ $^ -lm
$(O)/libtfprof.a: $(lib_obj)
	$(call say,AR,$(@F))
	@rm -f $@
	$(Q)$(AR) rcsD $@ $^
$(O)/tfprof: $(cmd_obj) $(O)/libtfprof.a
	$(call say,LD,$(@F))
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)
$(links): $(O)/tfprof
	@ln -sf tfprof $@
$(O)/unit/%: $(O)/obj/tests/unit/%.o $(help_obj) $(O)/libtfprof.a
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs) -lcmocka
$(O)/bench/%: $(O)/obj/tests/bench/%.o $(O)/libtfprof.a
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)
$(O)/replay/%: $(O)/obj/tests/fuzz/%.o $(fuzz_main) $(fuzz_help) $(O)/libtfprof.a
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)
$(O)/libfuzzer/%: $(O)/obj/tests/fuzz/%.o $(fuzz_help) $(O)/libtfprof.a
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(CC) -fsanitize=fuzzer $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libs)

install: all
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(O)/tfprof '$(DESTDIR)$(PREFIX)/bin/tfprof'
	for n in $(names); do ln -sf tfprof '$(DESTDIR)$(PREFIX)/bin/tfprof-'$$n; done
	install -d '$(DESTDIR)$(PREFIX)/lib'
	install -m 644 $(O)/tfprof_sql.so '$(DESTDIR)$(PREFIX)/lib/tfprof_sql.so'
uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/tfprof' $(names:%='$(DESTDIR)$(PREFIX)/bin/tfprof-%') '$(DESTDIR)$(PREFIX)/lib/tfprof_sql.so'
clean:
	rm -rf $(O)

help:
	@echo 'Targets:'
	@echo '  all         tfprof, its tfprof-X links and tfprof_sql.so in $$(O) (default)'
	@echo '  demo        build, ingest testdata/logs, show a report'
	@echo '  check       unit, command-line and SQL tests (TAP, prove)'
	@echo '  golden      rewrite the reports that the tests expect'
	@echo '  docs        write schemas/SCHEMA.md from the views'
	@echo '  check-long  check, then the statistics of the gate, all captures of ../shared under sanitizers, and the referees'
	@echo '  fuzz        T seconds of libFuzzer (clang) on each decoder; fuzz-replay: the corpus under the sanitizers'
	@echo '  coverage    lines of lib that the tests run, per folder (gcov)'
	@echo '  fault       N calls of each kind made to fail, N kills of an ingest'
	@echo '  lint        layers, symbols, headers, file and function sizes, SQL documentation'
	@echo '  bench       figures against a bare SQLite insert measured beside them'
	@echo '  deps        install the Debian packages that building and testing needs'
	@echo '  install     into $$(DESTDIR)$$(PREFIX)/bin and lib; uninstall removes it'
	@echo '  clean       remove $$(O)'
	@echo 'Knobs: O=dir V=1 CC= CFLAGS= SANITIZE=address,undefined WERROR=1 T=60 N=100 PREFIX= DESTDIR='

FORCE:
.PHONY: all deps demo check check-long coverage docs fault fuzz fuzz-replay libfuzzer replay golden lint bench install uninstall clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
-include $(lib_obj:.o=.d) $(ext_obj:.o=.d) $(cmd_obj:.o=.d) $(unit_src:%.c=$(O)/obj/%.d) $(tool_src:%.c=$(O)/obj/%.d) $(help_obj:.o=.d) \
	$(fuzz_src:%.c=$(O)/obj/%.d) $(fuzz_help:.o=.d) $(fuzz_main:.o=.d)
