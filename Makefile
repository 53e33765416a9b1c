# Everything below works on a fresh machine with Python 3.11+ and a C++20 compiler: the first target that needs them
# makes .venv, installs the build tools (cmake and ninja too, where they are missing) and builds the extension.
#
#   make demo      train every solver on handwritten digits, print a table, write demo.png
#   make test      the fast test suite
#   make lint      ruff and mypy
#   make fresh-install  pip install . into a new environment, and the README's first example there
#   make bench     benchmarks/multiclass.py, with BENCH=chain, defaults/run, diversity, measures, multilabel, ranking
#                  or taxonomy another; ARGS='...' is passed on
#   make docs      HTML pages and API reference in site/
#   make wheel     a wheel in dist/
#   make clean     removes what was built; make distclean removes .venv too
#
# Variables: PYTHON (python3) makes the environment VENV (.venv); WORKERS (auto) is the number of test processes.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= auto
BENCH ?= multiclass
ARGS ?=

RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --quiet
# The build folder is kept between calls, and so is the environment that it was configured in (no isolation): after a
# change only what depends on it is compiled again.
BUILD := --no-build-isolation --config-settings=build-dir=build/make/{cache_tag}
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -type f)

# A list of requirements in pyproject.toml, by its keys.
define requirements
$(RUN) -c 'import functools, sys, tomllib; print(*functools.reduce(dict.__getitem__, sys.argv[1:], tomllib.load(open("pyproject.toml", "rb"))), sep="\n")'
endef

.PHONY: help demo test fresh-install lint ruff format types bench docs wheel install clean distclean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

demo: install $(VENV)/.installed-report
	$(VENV)/bin/maxmargin demo --output demo.png

test: install $(VENV)/.installed-test
	$(RUN) -m pytest -n $(WORKERS) --maxprocesses 8

fresh-install:
	$(PYTHON) tests/fresh_install.py

lint: ruff format types

ruff: install $(VENV)/.installed-dev
	$(RUN) -m ruff check .

format: install $(VENV)/.installed-dev
	$(RUN) -m ruff format --check .

types: install $(VENV)/.installed-dev
	$(RUN) -m mypy

bench: install $(VENV)/.installed-bench
	$(RUN) benchmarks/$(BENCH).py $(ARGS)

docs: install $(VENV)/.installed-docs $(VENV)/.installed-report
	$(RUN) docs/build.py site

wheel: $(VENV)/.installed-tools
	$(PIP) wheel . --wheel-dir dist --no-deps $(BUILD)
	@ls dist

install: $(VENV)/.installed-package

# An editable install: a changed Python file needs no step, a changed native one or a new dependency comes here again.
# Dependencies are installed apart from it: only this package is ever built without isolation.
$(VENV)/.installed-package: $(NATIVE) $(VENV)/.installed-tools $(VENV)/.installed-dependencies
	@echo 'building maxmargin and installing it into $(VENV)'
	$(PIP) install --no-deps $(BUILD) --editable .
	@touch $@

$(VENV)/.installed-dependencies: pyproject.toml $(VENV)/pyvenv.cfg
	@echo 'installing what maxmargin needs into $(VENV)'
	@$(call requirements) project dependencies > $@.txt && $(PIP) install -r $@.txt
	@touch $@

# What the build backend asks for, then what it asks for in addition on this machine.
$(VENV)/.installed-tools: pyproject.toml $(VENV)/pyvenv.cfg
	@echo 'installing the build tools into $(VENV)'
	@$(call requirements) build-system requires > $@.txt && $(PIP) install -r $@.txt
	@$(RUN) -c 'from scikit_build_core.build import get_requires_for_build_editable as extra; print(*extra(), sep="\n")' > $@.txt
	@$(PIP) install -r $@.txt
	@touch $@

$(VENV)/.installed-%: pyproject.toml $(VENV)/pyvenv.cfg
	@echo 'installing the requirements of [$*] into $(VENV)'
	@$(call requirements) project optional-dependencies $* > $@.txt && $(PIP) install -r $@.txt
	@touch $@

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; say which with make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf build dist site demo.png .pytest_cache .mypy_cache .ruff_cache .hypothesis $(VENV)/.installed-package
	find src tests docs benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf $(VENV)
