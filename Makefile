# make demo: a scratch wiki of a rowing club, and what can be done with it.
# make test: environment, linters, types, import contracts, all tests.
# make quick: the same with the tests nearest to a change.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Errors only: a dependency names an extra that is no more, and pip warns of it.
PIP := $(BIN)/pip install -qq --disable-pip-version-check --no-compile
# On every processor, which pip does not; some packages hold files for other Pythons. What reads
# documents is confined and could not keep what it compiles. A third of the files is never run.
NOT_RUN := '/(pip|mypy|mypyc|setuptools|IPython|jedi|tests)/'
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x $(NOT_RUN) $(VENV)/lib llmwiki || true
# Versions for CI and developers; `make CONSTRAINTS= test` takes the newest ones.
CONSTRAINTS ?= constraints.txt
PINNED := $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
# Two more than there are processors, for many tests wait for something.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 2)
SIZES ?= 1000,10000,100000
# Tests write some hundred thousand small files: into memory, where there is room for them.
IN_MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print "TMPDIR=/dev/shm" }')
PYTEST := $(IN_MEMORY) $(BIN)/python -m pytest

# Each command that tests start would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite quick seconds soak sessions constraints bench bench-retrieval bench-speed bench-graph check clean

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "Installing into $(VENV)/, which takes about a minute …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.made-run: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	@$(PIP) $(PINNED) -e .
	@$(COMPILE)
	@touch $@

# All at once: what a user has is part of it.
$(VENV)/.made-dev: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/pip
	@$(PIP) $(PINNED) -e '.[dev]'
	@$(COMPILE)
	@touch $(VENV)/.made-run $@

$(VENV)/.made-bench: $(VENV)/.made-dev
	$(PIP) $(PINNED) -e '.[bench]'
	@touch $@

demo: $(VENV)/.made-run
	@bash docs/demo.sh $(abspath $(BIN)) $(abspath .demo)

# Side by side, for the checks take one processor only.
test: $(VENV)/.made-dev
	$(MAKE) -j 2 check suite

suite: $(VENV)/.made-dev
	$(PYTEST) -n $(JOBS) --dist worksteal

check: $(VENV)/.made-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@# Only where it fails: `make test` runs the tests beside it.
	@said=$$($(BIN)/wiki lint --quiet) || { echo "$$said"; exit 1; }

# What a change needs: checks, and the tests nearest to it.
quick: check
	tests=$$($(BIN)/python tools/quick.py) && $(PYTEST) -n $(JOBS) --dist worksteal $$tests

# How long each file of tests takes, for `make quick`.
seconds: $(VENV)/.made-dev
	$(PYTEST) -p tools.quick -n $(JOBS) --dist worksteal

# The long forms: tests marked so, and every property with many examples.
soak: $(VENV)/.made-dev
	LLMWIKI_LONG=1 $(PYTEST) -m 'soak or hypothesis' -n 2 --dist worksteal

# What the README, docs/tour.md and tests/sessions/ show, as it is printed now.
sessions: $(VENV)/.made-dev
	LLMWIKI_RENEW=1 $(PYTEST) tests/test_sessions.py
	git --no-pager diff --stat -- README.md docs/tour.md tests/sessions

# The newest versions that all Pythons from 3.11 on can have, for constraints.txt.
constraints: $(VENV)/.made-run
	$(PIP) uv
	{ echo '# Versions that CI installs, for Python 3.11 to 3.13; made by `make constraints`.'; \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --no-header \
	  --no-annotate --no-emit-package git-llmwiki pyproject.toml; } > constraints.new
	mv constraints.new constraints.txt

bench: $(VENV)/.made-dev
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.commit
	$(BIN)/python -m benchmarks.ingest

# make bench-retrieval SETS="DIR …": folders with corpus.jsonl and queries.jsonl.
bench-retrieval: $(VENV)/.made-bench
	$(BIN)/python -m benchmarks.retrieval $(SETS)

# make bench-speed GENERATOR=gen_wiki.py: a script called as GENERATOR OUT N. The command is
# installed as users have it, for an editable install starts later.
bench-speed: $(VENV)/.made-dev
	$(PYTHON) -m venv $(VENV)/cold
	$(VENV)/cold/bin/pip install --quiet --disable-pip-version-check .
	$(BIN)/python -m benchmarks.speed $(GENERATOR) --wiki $(VENV)/cold/bin/wiki --sizes $(SIZES)

# make bench-graph GENERATOR=gen_wiki.py: the same kind of script.
bench-graph: $(VENV)/.made-dev
	$(BIN)/python -m benchmarks.graph $(GENERATOR) --sizes $(SIZES)

clean:
	rm -rf $(VENV) .demo build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
