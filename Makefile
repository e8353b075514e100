# `make` alone lists the targets. The work is done by scripts/; here they get
# their names.

SHELL := bash
.DEFAULT_GOAL := help

# What the interop tests run as their peer. Absolute: each test runs in the
# directory of its package.
export GOZMQ_PYTHON ?= $(CURDIR)/build/venv/bin/python

# libzmq's own measuring tools, zbench's peers in its tests.
export GOZMQ_PERF ?= $(CURDIR)/build/perf

# Handed through to the scripts. RUN and BENCH are regular expressions, PKG is a
# list of packages, SKIP one of those to leave out, COUNT a number of runs; each script says what it defaults to.
export RUN COUNT PKG BENCH DIR LABEL TIMEOUT V WORKLOADS UPDATE BASE BENCHTIME COUNTER TUNED PATTERNS SIZES IMPLS RUNS N DURATION LANES SHORT FUZZTIME SKIP VERSION

.PHONY: help demo test test-draft libzmq race portable asan cgocheck api-report lint bench bench-dot bench-smoke bench-rivals bench-tables bench-check bench-compare instructions profile sweep syscalls stress stress-poller link tidy clean libzmq-installed test-needs peers-needs hosts-needs perf-tools account soak interop builds go-get fuzz faults

## help: this list
help:
	@echo 'usage: make TARGET [VARIABLE=value ...]'
	@sed -n 's/^## \([a-z-]*\): /  \1:/p' Makefile | awk -F: '{printf "%-16s%s\n", $$1, substr($$0, length($$1) + 2)}'

## demo: install libzmq if it is missing, then measure: five ways to receive, beside C
demo: libzmq-installed
	@cd cmd/zbench && go run . quick

## test: install what the tests need, then run all of them (RUN=, PKG=, COUNT=, V=1)
test: test-needs
	@scripts/test.sh test

## test-draft: all tests on a libzmq that has the draft API; CGOCHECK=1: with Go checking every pointer that reaches C memory (RUN=, PKG=, COUNT=)
test-draft: test-needs libzmq
	@GOZMQ_LIBRARY='$(CURDIR)/build/libzmq/lib/libzmq.so.5' $(if $(CGOCHECK),GOEXPERIMENT=cgocheck2) scripts/test.sh draft

## libzmq: build a libzmq with the draft API and full optimisation in build/libzmq (VERSION=4.3.5)
libzmq:
	@scripts/libzmq.sh

## perf-tools: build libzmq's own measuring tools in build/perf, for zbench's tests against them
perf-tools: libzmq-installed
	@scripts/perf-tools.sh

## race: all tests under the race detector (RUN=, PKG=, COUNT=)
race: test-needs
	@scripts/test.sh race -race

## asan: all tests, with the C side under AddressSanitizer, its leak detector and UBSan
asan: test-needs
	@scripts/asan.sh

## cgocheck: all tests, with Go checking every pointer that reaches C memory
cgocheck: test-needs
	@GOEXPERIMENT=cgocheck2 scripts/test.sh cgocheck

## portable: package poller's tests on zmq_poll instead of epoll or kqueue, under the race detector
portable: test-needs
	@PKG="$${PKG:-./poller/... ./internal/readiness/...}" scripts/test.sh portable -race -tags zmq_poll_portable

## stress: RUN= PKG= tests 50 times (COUNT=) under -race, with GOMAXPROCS 1, 2 and 16
stress: test-needs
	@scripts/stress.sh

## stress-poller: ten million events over 500 sockets, and over 500 descriptors (EVENTS=)
stress-poller: libzmq-installed
	@set -o pipefail; go test -count=1 -timeout=30m -v -run '^TestStress' ./poller -events $(or $(EVENTS),10000000) | grep -v '^=== '

## account: 10 million messages, or N=, each accounted for; then under faults
account: libzmq-installed hosts-needs
	@scripts/account.sh

## soak: mixed load with churn and reconnects for DURATION= (60s); fails when anything grows, memory by its slope from an hour on
soak: libzmq-installed
	@scripts/soak.sh

## fuzz: every fuzz target for FUZZTIME= (60s), one after the other (SHORT=1, RUN=, PKG=)
fuzz: libzmq-installed
	@scripts/fuzz.sh
## faults: allocations, descriptors, threads, sockets that fail, one after the other (SHORT=1: some of them)
faults: libzmq-installed
	@scripts/faults.sh

## link: all tests, with libzmq linked at build time (-tags zmq_link)
link: test-needs
	@scripts/link.sh

## interop: with pyzmq, C programs on libzmq and go-zeromq, as server and client (SHORT=1, RUN=, COUNT=)
interop: test-needs
	@scripts/interop.sh

## builds: linked, static, musl and arm64 builds, other Gos and libzmqs, each run (LANES=, SHORT=1)
builds: test-needs
	@scripts/builds.sh

## go-get: go get and go install from a module proxy made of this tree, in empty modules
go-get: libzmq-installed
	@scripts/go-get.sh

## api-report: which of libzmq's functions, options and events are bound, and by what
api-report:
	@set -o pipefail; go test -count=1 -run '^TestAPIReport$$' -api-report | sed '/^ok/d; /^PASS$$/d' | grep .

## lint: formatting, go vet, staticcheck, the layout's rules, shellcheck if it is there
lint:
	@scripts/lint.sh

## bench: all times that BENCHMARKS.md shows, 10 rounds (COUNT=, SETS=, DIR=), in bench/results/<date>; BENCH= or PKG=: only that (LABEL=, WORKLOADS=)
bench: libzmq-installed peers-needs
	@scripts/$(if $(BENCH)$(PKG)$(LABEL)$(WORKLOADS),bench,bench-all).sh

## bench-dot: go test -bench=. -benchmem in the root: the ways to receive and the buffer strategies, within ten minutes
bench-dot: libzmq-installed
	@go test -bench=. -benchmem && { [ $$SECONDS -lt 600 ] || { echo "bench-dot: $$SECONDS s, longer than go test's default timeout of 600 s" >&2; exit 1; }; } && echo "bench-dot: $$SECONDS s"

## bench-smoke: every benchmark once, to see that it works
bench-smoke: libzmq-installed peers-needs
	@scripts/bench-smoke.sh

## bench-rivals: the other bindings for Go beside ours and C, 10 times (COUNT=, BENCH=, DIR=, LABEL=), interleaved
bench-rivals: libzmq-installed peers-needs
	@scripts/bench-rivals.sh

## bench-tables: write the tables of README.md, BENCHMARKS.md, docs/testing.md and docs/safety.md again; DIR=bench/results/...: all tables of these results, to DIR/TABLES.md
bench-tables:
	@go run ./internal/benchtables $(if $(DIR),-o '$(DIR)/TABLES.md' '$(DIR)',-update README.md BENCHMARKS.md docs/testing.md docs/safety.md)

## bench-check: the tables in README.md, BENCHMARKS.md, docs/testing.md and docs/safety.md are those of the results that they name
bench-check:
	@go run ./internal/benchtables -check README.md BENCHMARKS.md docs/testing.md docs/safety.md $(wildcard bench/results/*/TABLES.md)

## bench-compare: benchstat of OLD= and NEW= (FLAGS='-col /impl' for its flags); without: main, or BASE=, against this tree
bench-compare:
	@scripts/bench-compare.sh $(FLAGS) $(OLD) $(NEW)

## instructions: instructions per message, against bench/instructions.txt (UPDATE=1 writes that)
instructions: libzmq-installed
	@scripts/instructions.sh

## profile: profiles and flame graphs of benchmarks (BENCH=, PKG=, BENCHTIME=) in build/profile
profile: libzmq-installed
	@scripts/profile.sh

## sweep: sizes of libzmq's own batches, 8 KiB to 1 MiB, on the libzmq of make libzmq (COUNT=, BENCH=)
sweep:
	@scripts/sweep.sh

## syscalls: system calls per message, default against tuned batches, by strace (TUNED=, SIZES=)
syscalls:
	@scripts/syscalls.sh

## tidy: go mod tidy in every module, and the formatter on every file
tidy:
	@scripts/tidy.sh

## clean: remove build/
clean:
	rm -rf build

libzmq-installed:
	@scripts/install-libzmq.sh

test-needs: libzmq-installed peers-needs hosts-needs perf-tools
	@scripts/install-pyzmq.sh build/venv

# The rivals' C libraries: without them internal/peers has fewer rivals.
peers-needs:
	@scripts/install-peers.sh

# ip and tc, for zbench's test of hosts in network namespaces.
hosts-needs:
	@scripts/install-iproute2.sh
