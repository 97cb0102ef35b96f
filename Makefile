# bench: make run gives a method its place among those of the reference run; make test runs the tests.
#
#   make build   bin/bench
#   make run     the reference run, a part of it computed again, a method of one's own and its place; report.html
#   make test    formatting and order of imports, vet, every test; how many ran, and why some did not
#   make thorough  make test with all that its tests are made for
#   make staticcheck   what staticcheck finds
#   make race    the race detector
#   make portable  the same bits without features of the processor, and in a build without C or assembly
#   make release  dist/: binaries, wheels and what belongs to them, made twice and checked (needs qemu-user-static)
#   make clang   kernels in C by clang, with the bits of the Go code (needs zig)
#   make arm64   the same bits on another processor (needs zig and qemu-user-static)
#   make elsewhere  compiles for macOS and Windows (needs zig)
#   make oracles, slurm, wheels-check   what depends on other programs
#   make vulns   known vulnerabilities of what the program is linked with, where Go's database of them answers
#   make fire    kills, limits and faults, many times over
#   make figures the benchmarks behind the figures in the documents

GO      ?= go
BENCH   := bin/bench
VERSION := $(shell git describe --always --dirty --tags 2>/dev/null || echo devel)
LDFLAGS := -X github.com/kernelboosting/bench/harness/environment.ProgramVersion=$(VERSION)

.PHONY: build wheels release run test race thorough portable clang arm64 elsewhere oracles slurm rpage wheels-check recipe vulns lint staticcheck fire figures clean

# An empty cache of builds costs a third less processor time so (155 s, 237 s without): SQLite at -O1 and without what
# only debuggers read, the packages of NATS without optimisation, which wait for cells, and a collector that seldom runs
# in the compiler. Go's own packages keep the flags that other programs have. make test compiles nothing of that again.
export CGO_CFLAGS ?= -O1
export GOFLAGS += -gcflags=all=-dwarf=false -gcflags=std= '-gcflags=github.com/nats-io/...=-N -l -dwarf=false'

build:
	GOGC=400 $(GO) build -buildvcs=auto -ldflags '-w $(LDFLAGS)' -o $(BENCH) ./cmd/bench

# The Python packages, in dist/: one for plugins alone, and one that carries the program.
wheels: build
	scripts/wheels.sh

release:
	scripts/release.sh

run: build
	@scripts/first.sh $(BENCH)

# The limit of time is for tests that hang, not for a machine whose cores are busy. Test programs are linked without
# symbols and what debuggers read; lint, which runs beside the tests, has vet. Many tests wait for processes, so that
# more of them, and of packages, run at a time than there are cores. Property tests draw 25 times from one seed here, and
# 1,000 times from new seeds in make fire. What tests allocate is little for the machine's memory, so that the collector
# runs seldom. Tally says at the end what was skipped.
TEST := RAPID_SEED=1 RAPID_CHECKS=25 GOGC=400 $(GO) test -timeout 60m -vet=off -ldflags="-s -w" -p 3 -parallel 4
test:
	@$(GO) build -o bin/tally ./scripts/tally
	@bin/tally '$(MAKE) -s lint' '$(TEST) -json ./...'

# The race detector, for what a run shares: the store, the scheduler, workers, and the packages that need the methods.
# Go compiles C again for it whatever the flags are (7.5 s of processor time for SQLite without optimisation, 58 s with
# it: CGO_CFLAGS=-O0 go build -race github.com/mattn/go-sqlite3), and it does not look into C. The programs wait for a
# second at their end; 10 ms do. It has the short forms: what the full ones have more of are cases, not goroutines. ./cmd
# starts processes, which share nothing.
RACE := BENCH_THOROUGH= CGO_CFLAGS=-O0 GORACE=atexit_sleep_ms=10 $(TEST) -race -short
race:
	$(RACE) ./registry ./datasets/fetch ./harness ./harness/schedule ./harness/remote ./harness/store \
	  ./harness/runner ./methods/external ./reports/evidence

# All that tests are made for, where make test takes a part: comparisons with other programs, published figures, each check of plugins
# with one that fails it. The tests ask testenv.Thorough.
thorough:
	BENCH_THOROUGH=1 $(MAKE) test

# make test runs these two tests in the ordinary build. Here are processes without fused products and sums and without
# other features of the processor, and the build without any assembly. make arm64 and make fire run those in which the compiler
# fuses products and sums.
PINNED := -vet=off -run '^(TestScoresAreTheSameBits|TestReferenceIsTheSame)$$' ./methods
# BENCH_BUILD is the longest cell, in seconds of the ordinary build, that another build computes.
portable clang arm64: export BENCH_BUILD ?= 2
portable: export BENCH_THOROUGH = 1
portable:
	BENCH_FEATURES=all $(GO) test -vet=off -ldflags=-w -run '^TestWithoutFeatures$$' ./methods
	$(GO) test -ldflags=-w -tags 'nokernels noasm' $(PINNED)

# Kernels in C by clang, which fuses products and sums where it is not told otherwise. Their bits must be those of the Go code.
ZIG ?= zig
clang:
	CC='$(ZIG) cc' $(GO) test -vet=off ./methods/internal/svm ./methods/internal/vmath ./methods/internal/gbdt
	CC='$(ZIG) cc' $(GO) test -timeout 60m $(PINNED)

# Checks that depend on other programs: the oracle files made anew by the libraries that they come from, workers in a real
# Slurm, plugins in R and their page of the documents, a release as README installs it, the recipe of conda-forge, and known
# vulnerabilities. A continuous run makes one of these, portable and arm64 in turn.
oracles:
	$${BENCH_PEERS:-python3} scripts/oracle --check --without '$(WITHOUT)'

slurm:
	scripts/slurm-check.sh

rpage: # Debian's r-base-core has Rscript, and BENCH_PEERS is the Python of the pages
	Rscript --version && test -n "$$BENCH_PEERS"
	BENCH_THOROUGH=1 $(GO) test -v -count 1 -run '^TestRSkeleton$$|^TestPages$$/docs/how-to/^r.md$$' ./cmd

wheels-check: wheels recipe
	scripts/wheels-check.sh

recipe:
	python3 -m venv bin/conda
	bin/conda/bin/pip install -q --disable-pip-version-check --require-hashes --no-deps -r scripts/conda.txt
	bin/conda/bin/python scripts/conda-check.py

vulns:
	scripts/vulns.sh

# Another processor, by a C compiler for all of them (ZIG may be "python -m ziglang"), linked without the system's library, so
# that an emulator runs it. Go's compiler fuses more products there than for any amd64. make release and make fire build the program.
ARM := CC='$(ZIG) cc -target aarch64-linux-musl' CGO_ENABLED=1 GOOS=linux GOARCH=arm64
arm64:
	$(ARM) $(GO) test -short -timeout 60m -ldflags='-linkmode=external -w' -exec qemu-aarch64-static $(PINNED)
	$(ARM) $(GO) test -vet=off -ldflags='-linkmode=external -w' -exec qemu-aarch64-static -run '^(TestEqualRemainders|TestGenerate.*)$$' ./harness/split ./datasets/read

# The program compiles for systems on which nothing of ours is run. A program for macOS needs Apple's libraries to be linked.
elsewhere:
	CGO_CFLAGS=-O0 CC='$(ZIG) cc -target aarch64-macos' CGO_ENABLED=1 GOOS=darwin GOARCH=arm64 $(GO) list -export -deps ./cmd/bench >/dev/null
	CGO_CFLAGS=-O0 CC='$(ZIG) cc -target x86_64-windows-gnu' CGO_ENABLED=1 GOOS=windows GOARCH=amd64 $(GO) list -export -deps ./cmd/bench >/dev/null

# The linter has a module file of its own, so that its needs stay out of ours.
lint:
	@files=$$($(GO) tool -modfile=tools/go.mod goimports -l .); test -z "$$files" || { echo "goimports would change: $$files"; exit 1; }
	$(GO) vet ./...

# It takes as much processor time as a quarter of the tests, so that a continuous run takes it in turn.
staticcheck:
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

# What takes minutes and hours: the program killed 200 times, workers and coordinators killed, stopped and cut off 200 times,
# 100,000 histories of workers, a thousand small problems for every method, a limit of time passed a hundred times, every fuzz
# target for a minute, the faults three times over, every method in every build, and all checks of which a continuous run takes one.
FUZZTIME := 1m
fire:
	BENCH_THOROUGH=1 BENCH_KILLS=200 $(GO) test -timeout 60m -run '^TestKilledAndResumed$$' ./cmd
	BENCH_THOROUGH=1 BENCH_ROUNDS=200 $(GO) test -timeout 60m -run '^TestRoundsOfMisfortune$$' ./cmd
	BENCH_FIRE=1 BENCH_THOROUGH=1 $(GO) test -timeout 60m -run '^(TestHistories|TestEveryBitFlipIsNoticed|TestLossOfPower|TestFailingDisk|TestQuickExperiments)$$' ./harness/schedule ./harness/store ./cmd
	RAPID_CHECKS=1000 $(GO) test -timeout 60m $$(grep -rl '"pgregory.net/rapid"' --include=*_test.go . | xargs -n1 dirname | sort -u)
	BENCH_PROBLEMS=1000 $(GO) test -timeout 0 -run '^TestSmallProblems$$' ./methods
	BENCH_TIMINGS=1 $(GO) test -run '^TestTimeoutsEndInTime$$' ./harness/runner
	BENCH_THOROUGH=1 $(GO) test -v -count 1 -run '^TestFilesMadeAnew$$' ./harness/externaltrees
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh
	BENCH_BUSY=1 BENCH_THOROUGH=1 $(GO) test -timeout 60m -count 3 -run \
	  '^(TestFaultyMethods|TestHostilePlugins.*|TestNothingOutlivesAKilledHarness|TestPluginsThatRemember)$$' ./cmd
	$(MAKE) staticcheck race clang elsewhere portable arm64 oracles slurm rpage wheels-check vulns
	BENCH_FIRE=1 BENCH_THOROUGH=1 $(GO) test -timeout 0 -v -run '^TestReferenceIsTheSame$$' ./methods
	for build in 'GOAMD64=v3' 'GOFLAGS=-tags=noasm' 'GOFLAGS=-tags=nokernels'; do \
	  env $$build BENCH_BUILD=2 BENCH_FIRE=1 $(GO) test -timeout 0 -v $(PINNED) || exit; done

figures: # first how long fits take beside those of the libraries of BENCH_PEERS, and the last table
	GOMAXPROCS=1 $(GO) test -run '^$$' -bench '^BenchmarkBeside$$' -benchtime 5x -timeout 0 ./methods
	$(GO) test -run '^$$' -bench . -skip '^Benchmark(Beside|Peak)$$' -timeout 0 ./...

clean:
	rm -rf bin report.html run.log
