# `make help` lists the targets. A fresh machine needs Rust, Python 3.10 or later with venv and pip, and gcc.

PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
CARGO_TEST := cargo test --release --locked
SOURCES := $(shell find crates python/temper \( -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml' -o -name '*.csv' \) -not -path '*/tests/*') Cargo.toml Cargo.lock pyproject.toml README.md

.DEFAULT_GOAL := help
.PHONY: help demo test test-rust test-python test-pythons lint format bench venv wheel clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Temper needs Python 3.10 or later; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --upgrade pip
	@touch $@

# The wheel is built as `pip install .` builds it, by the build backend in an environment of its own.
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

wheel: target/wheels/.built  ## Build the wheel into target/wheels

venv: $(VENV)/.installed $(VENV)/.dev  ## Make .venv with Temper and what its tests need

demo: $(VENV)/.installed  ## Install Temper into .venv and run it on the examples
	@sh examples/demo.sh $(abspath $(VENV))/bin/temper

test: test-rust test-python  ## Run all tests

test-rust: venv  ## Run the Rust tests
	INSTA_UPDATE=no TEMPER_TEST_PYTHON=$(abspath $(PY)) $(CARGO_TEST)

test-python: venv  ## Run the Python tests against the installed package
	$(PY) -m pytest -p no:randomly python/tests

test-pythons: target/wheels/.built  ## Run the tests that involve Python on every installed version from 3.10
	@sh scripts/test-pythons.sh

lint: $(VENV)/.dev  ## Check formatting and lints, Rust and Python
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets -- -D warnings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(PY) scripts/licences.py

format:  ## Format the code
	cargo fmt --all
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: venv  ## Measure Temper beside its peers and print the ratios
	$(PY) benches/scan.py

clean:  ## Remove what the build made
	rm -rf target .venv .venv-*
