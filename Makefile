# `make` lists the targets. scripts/ does the work. Variables on the command line of make
# are in the environment of the scripts.

SHELL := bash
.DEFAULT_GOAL := help

documents := README.md README.ko.md BENCHMARKS.md docs/ko/benchmarks.md docs/testing.md

.PHONY: help demo test race asan check lint bench bench-compare bench-tables bench-check profile libzmq tidy clean

help:
	@echo 'usage: make TARGET [VARIABLE=value ...]'
	@sed -n 's/^## \([a-z-]*\): /  \1:/p' Makefile | awk -F: '{printf "%-15s %s\n", $$1, substr($$0, length($$1) + 2)}'

## demo: install libzmq if it is missing, then measure throughput beside C and a round trip: about half a minute
demo:
	@echo 'about half a minute if the caches are warm, of which zbench quick measures for 10 s'
	@scripts/install.sh libzmq
	@cd cmd/zbench && go run . quick

## test: install what the tests need, then run every test (RUN=, PKG=, SKIP=, COUNT=, V=1)
test:
	@scripts/check.sh test

## race: every test under the race detector
race:
	@scripts/check.sh race

## asan: every test, with the C code under AddressSanitizer, its leak detector and UBSan
asan:
	@scripts/check.sh asan

## check: another lane, LANE=soak for example (without LANE=: the list of lanes)
check:
	@scripts/check.sh $(LANE)

## lint: formatting, go vet, staticcheck, the layout, shell scripts, workflows and commit subjects
lint:
	@scripts/lint.sh

## bench: everything that BENCHMARKS.md shows (SETS=, COUNT=, DIR=), or BENCH= in PKG= to DIR/LABEL.txt
bench:
	@scripts/bench.sh $(if $(BENCH)$(PKG)$(LABEL),one)

## bench-compare: benchstat of OLD= and NEW= (FLAGS='-col /impl'), or of main (BASE=) and this tree
bench-compare:
	@scripts/bench.sh compare $(FLAGS) $(OLD) $(NEW)

## bench-tables: write the tables of the documents again, or those of DIR= to DIR/TABLES.md
bench-tables:
	@go run ./bench/tables $(if $(DIR),-o '$(DIR)/TABLES.md' '$(DIR)',-update $(documents))

## bench-check: compare the tables of the documents with their results
bench-check:
	@go run ./bench/tables -check $(documents) $(wildcard bench/results/*/TABLES.md)

## profile: profiles of benchmarks (BENCH=, PKG=, BENCHTIME=) in build/profile
profile:
	@scripts/install.sh libzmq
	@scripts/profile.sh

## libzmq: build a libzmq with the draft API in build/libzmq (VERSION=4.3.5)
libzmq:
	@scripts/libzmq.sh

## tidy: go mod tidy in every module, and the formatter on every file
tidy:
	@scripts/lint.sh tidy

## clean: remove build/
clean:
	rm -rf build
