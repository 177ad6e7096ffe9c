# crossgate: set up, run, test. `make help` lists the targets.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
MODEL  := inference/.venv
export CROSSGATE_TOOLS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/crossgate/tools
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := run
.PHONY: run setup synth check test lint format catalogue goldens conformance parity inference tools bench lock clean help

run: setup ## set up, then the main job: synthesize dist/, judge it, print the report
	$(BIN)/crossgate synth
	$(BIN)/crossgate check

setup: $(READY) ## make the virtual environment with the pinned packages

$(READY): constraints/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "crossgate needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r constraints/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src constructs # where bytecode may not be written later, start-up would pay for it each time
	@touch $@

synth: setup ## write dist/ from the cdk8s app
	$(BIN)/crossgate synth

check: setup ## judge dist/ and what its claims become
	$(BIN)/crossgate check

test: setup ## the whole suite in parallel; tests that need a real tool skip without it
	$(PYTEST) -q -n auto

lint: setup ## types, style, layers, spelling
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: setup ## write the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

catalogue: setup ## write docs/catalogue from the APIs
	$(BIN)/python apps/catalogue.py

goldens: setup ## write the golden files again
	$(PYTEST) -q -n auto --update-goldens

conformance: setup tools ## tests against the real tools (opa, conftest, cdk8s-cli), which must be there
	CROSSGATE_REQUIRE_TOOLS=1 $(PYTEST) -q -n auto -m tools

parity: setup tools ## the rules on both engines and conftest: the same findings for all documents of the tests and 2,000 more
	CROSSGATE_REQUIRE_TOOLS=1 $(PYTEST) -q tests/conformance/test_policy_parity.py

$(MODEL)/.ready: inference/requirements/test.txt inference/pyproject.toml
	test -x $(MODEL)/bin/python || $(PYTHON) -m venv $(MODEL)
	$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes -r inference/requirements/test.txt
	$(MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e inference
	@touch $@

inference: $(MODEL)/.ready ## the model server's own suite (installs torch: 6.3 GB, and 3 GB more while it does)
	cd inference && .venv/bin/python -m pytest -q -n auto -p no:asyncio
	cd inference && .venv/bin/mypy src tests

tools: ## install the real tools that tests compare with, outside the tree
	@sh scripts/tools.sh

bench: setup ## measure speed against the real tools, as ratios from one run
	@for file in bench/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

lock: setup ## pin the newest packages, with hashes and without addresses
	$(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --generate-hashes --allow-unsafe --all-extras --upgrade --no-header -o constraints/dev.txt pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --generate-hashes --allow-unsafe --no-header -c constraints/dev.txt -o constraints/run.txt pyproject.toml

clean: ## remove what was made
	rm -rf $(VENV) $(MODEL) build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
