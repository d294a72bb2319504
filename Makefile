# make demo: a scratch wiki from this repository's raw/, and what came of it.
# make test: environment, linters, types, import contract, all tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test soak bench check clean

$(VENV)/.made-run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.made-dev: $(VENV)/.made-run
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(VENV)/.made-run
	@bash docs/demo.sh $(abspath $(BIN)) $(abspath .demo)

test: check
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/.made-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: $(VENV)/.made-dev
	$(BIN)/python -m pytest -m soak -n $(JOBS) --dist worksteal

bench: $(VENV)/.made-dev
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.commit
	$(BIN)/python -m benchmarks.ingest

clean:
	rm -rf $(VENV) .demo build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
