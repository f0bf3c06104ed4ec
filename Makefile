# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. Every target does the set-up that it needs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := $(CURDIR)/.venv
export PATH := $(VENV)/bin:$(PATH)

JOBS ?= $(shell nproc)
RESULTS ?= results
# What `make test` selects: a path or a name (T), the random seed (SEED), waveforms (WAVES=1).
T ?=
SEED ?=
WAVES ?=
export SEED WAVES
# What `make guest-shell` boots, and the board on its bus, or in its logic, on which level, with
# which processor's time.
GUEST ?=
BOARD ?=
LEVEL ?=
PROCESSOR ?=
# STUB=1: `make gpu-test` without a GPU.
STUB ?=

.PHONY: help
help: ## List the targets
	@echo "Sluice: moves data between a CPU running Linux, FPGA logic and memory. Targets:"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20 | sed 's/^/  make /'
	@echo "Variables: T=<path or name> SEED=<n> WAVES=1 (make test), RESULTS=<folder> (make run), JOBS=<n>"

.PHONY: setup-run setup-dev setup-hw setup-guest setup-docs
setup-run:
	@tools/setup run
setup-dev:
	@tools/setup dev
setup-hw:
	@tools/setup hw
setup-guest:
	@tools/setup guest
setup-docs:
	@tools/setup docs

# native-build OPTIONS [TARGETS]: configure and build the native parts, or some of them.
define native-build
	@cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLUICE_TESTS=OFF $(1) >build/.configure.log 2>&1 || { cat build/.configure.log >&2; exit 1; }
	@cmake --build build/release -j $(JOBS) $(if $(2),--target $(2))
endef

.PHONY: build
build: setup-run ## Build all simulated boards, libsluice and sluice-bench
	$(call native-build,-DSLUICE_ALL_DESIGNS=ON -DSLUICE_PYTHON=ON)

# What `make run` needs, and no more: the measuring loops and the one design that they measure.
.PHONY: build-run
build-run: setup-run
	$(call native-build,$(if $(wildcard build/release/CMakeCache.txt),,-DSLUICE_ALL_DESIGNS=OFF),sluice-bench)

build build-run: | build-folder
.PHONY: build-folder
build-folder:
	@mkdir -p build

.PHONY: run
run: build-run ## Measure every HP port of a simulated Zynq-7010 and write the report
	@mkdir -p $(RESULTS)
	sluice run zynq7010-hp --json $(RESULTS)/zynq7010-hp.json
	sluice run zynq7010-streamsize --json $(RESULTS)/zynq7010-streamsize.json
	sluice report $(RESULTS)/zynq7010-hp.json $(RESULTS)/zynq7010-streamsize.json -o $(RESULTS)/report

.PHONY: test
test: setup-dev build ## Run the tests; T=<path or name>, SEED=<n>, WAVES=1
	@tools/run_tests --jobs $(JOBS) $(if $(T),--select '$(T)')

.PHONY: test-full
test-full: setup-hw setup-guest setup-docs build ## Run the tests with more seeds and the long sweeps; CONTINUE=1 goes on
	@tools/run_tests --jobs $(JOBS) --full $(if $(T),--select '$(T)') $(if $(CONTINUE),--continue)

.PHONY: evidence
evidence: setup-dev ## Keep in docs/evidence what the last `make test-full` said
	@python -m tools.evidence

.PHONY: wheel
wheel: setup-dev build ## Make dist/sluice-*.whl: the command, sluice.io and the simulated boards
	@python -m tools.packages.wheel

.PHONY: deb
deb: setup-dev ## Make dist/*.deb and their source package; needs what debian/control names
	@python -m tools.packages.deb

.PHONY: lint
lint: setup-dev ## Check style and types of every language
	@tools/lint

.PHONY: generate
generate: setup-dev ## Rebuild what is generated: versions, registers, device trees, man pages, references, schema of results
	@python -m tools.version
	@python -m tools.regs
	@python -m tools.devicetree
	@python -m tools.man
	@python python/tools/reference.py

.PHONY: figures
figures: build-run ## Measure again what the README shows, and draw its plot
	@python python/tools/figures.py

.PHONY: check-generated
check-generated: setup-dev ## Fail if a generated file is not what its source says
	@python -m tools.version --check
	@python -m tools.regs --check
	@python -m tools.devicetree --check
	@python -m tools.man --check
	@python python/tools/reference.py --check
	@python python/tools/figures.py --check
	@python python/tools/linux_tables.py --check
	@python -m tools.evidence --check

.PHONY: docs
docs: setup-docs | build-folder ## Build the documentation site into build/site, and check its links
	@python -m tools.site

.PHONY: prove
prove: setup-hw ## Prove properties of the RTL with sby
	@python -m tools.prove

.PHONY: fpga-report
fpga-report: setup-hw ## Measure the engines' size and speed on FPGAs with open tools
	@python -m tools.fpga

.PHONY: engine-bench
engine-bench: setup-dev ## Measure the engines' rates and latencies in simulation
	@python -m tools.engines

.PHONY: cosim-bench
cosim-bench: build ## Measure how fast a card moves a virtual machine's memory
	@mkdir -p $(RESULTS)
	@build/release/cosim/card-bench --json $(RESULTS)/card-bench.json --commit $$(git rev-parse --short HEAD)

.PHONY: gpu-test
gpu-test: build ## Test and measure memory shared with this machine's GPU; STUB=1 on the test double
	@mkdir -p $(RESULTS)
	@python python/tools/gpu_test.py $(if $(STUB),--stub) --json $(RESULTS)/gpu-test$(if $(STUB),-stub).json

.PHONY: linux-overhead
linux-overhead: setup-guest | build-folder ## Count what a transfer costs Linux, in instructions
	@mkdir -p $(RESULTS)
	@python -m driver.overhead --json $(RESULTS)/linux-overhead.json --page

.PHONY: linux-iio
linux-iio: build setup-guest ## Measure the queue beside IIO's, in instructions and modelled time
	@mkdir -p $(RESULTS)
	@python -m driver.overhead.iio --json $(RESULTS)/linux-iio.json --page

.PHONY: zynq-queue
zynq-queue: build setup-guest ## Measure what a program under Linux gets of a Zynq's ports, in modelled time
	@mkdir -p $(RESULTS)
	@python -m driver.overhead.queue --json $(RESULTS)/zynq-queue.json

.PHONY: guest-shell
guest-shell: setup-guest | build-folder ## A prompt in a virtual machine; GUEST=arm64 BOARD=zynq7010/cdma
	$(call native-build,$(if $(wildcard build/release/CMakeCache.txt),,-DSLUICE_ALL_DESIGNS=ON),sluice-card sluice-pl pl)
	@python -m cosim.guests $(if $(GUEST),'$(GUEST)',--help) $(if $(BOARD),--board '$(BOARD)') $(if $(LEVEL),--level '$(LEVEL)') $(if $(PROCESSOR),--processor '$(PROCESSOR)')

.PHONY: lock
lock: setup-dev ## Rebuild the Python lock files from tools/requirements/*.in
	@tools/lock

.PHONY: clean
clean: ## Remove build products (keeps .venv and results)
	rm -rf build
