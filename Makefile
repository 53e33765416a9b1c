# Everything below works on a fresh machine with Python 3.11+ and a C++20 compiler: the first target that needs them
# makes .venv, installs the build tools (cmake and ninja too, where they are missing) and builds the extension.
#
#   make demo      train every solver on handwritten digits, print a table, write demo.png
#   make test      the fast test suite
#   make lint      ruff and mypy
#   make fresh-install  pip install . into a new environment, and the README's first example there
#   make bench     benchmarks/classes/run.py, with BENCH=alignments, chains, defaults, diversity, grammars, labels, measures, problems, programs, rankings
#                  or taxonomies another; ARGS='...' is passed on
#   make asan      tests of the native code under AddressSanitizer and UndefinedBehaviorSanitizer (GCC); SANITIZED='...' names others
#   make tsan      tests of what runs in threads under ThreadSanitizer
#   make docs      HTML pages and API reference in site/
#   make wheel     a wheel in dist/
#   make clean     removes what was built; make distclean removes .venv too
#
# Variables: PYTHON (python3) makes the environment VENV (.venv); WORKERS (auto) is the number of test processes.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= auto
BENCH ?= classes
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

.PHONY: help demo test fresh-install lint ruff format types bench asan tsan docs wheel install clean distclean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

demo: install $(VENV)/.installed-report
	$(VENV)/bin/maxmargin demo --output demo.png

test: install $(VENV)/.installed-test
	$(RUN) -m pytest -n $(WORKERS) --maxprocesses 8

fresh-install:
	$(PYTHON) tests/support/fresh_install.py

lint: ruff format types

ruff: install $(VENV)/.installed-dev
	$(RUN) -m ruff check .

format: install $(VENV)/.installed-dev
	$(RUN) -m ruff format --check .

types: install $(VENV)/.installed-dev
	$(RUN) -m mypy

bench: install $(VENV)/.installed-bench
	$(RUN) benchmarks/$(BENCH)/run.py $(ARGS)

# An instrumented build in an environment of its own, which sees the packages of VENV but not the editable install in it.
FLAGS_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined
FLAGS_tsan := -fsanitize=thread
LIBRARIES_asan := libasan.so libubsan.so
LIBRARIES_tsan := libtsan.so
# (A test that limits the address space cannot run there.)
TESTS_asan := tests/chains/test_chain_crfsuite.py tests/chains/test_chain_curvature.py tests/chains/test_chain_engine.py tests/chains/test_chain_limits.py \
  tests/chains/test_chain_memory.py tests/chains/test_chain_oracle.py tests/chains/test_chain_products.py tests/chains/test_chain_search.py \
  tests/chains/test_chain_sums.py tests/diversity/test_diversity_structure.py tests/labels/test_label_pairs.py \
  tests/labels/test_label_search.py tests/classes/test_multiclass_oracle.py tests/classes/test_multiclass_structure.py \
  tests/labels/test_multilabel_engine.py tests/labels/test_multilabel_oracle.py tests/classes/test_output_features.py \
  tests/rows/test_row_groups.py tests/rows/test_smooth.py tests/rankings/test_ranking_search.py tests/rankings/test_ranking_values.py \
  tests/groups/test_sample_oracle.py tests/measures/test_search.py tests/measures/test_threshold_tables.py tests/measures/test_values.py \
  tests/chains/test_labels.py tests/chains/test_packed.py tests/chains/test_partial.py tests/chains/test_windows.py \
  tests/chains/test_conll2000.py tests/chains/test_templates.py tests/chains/test_vectorizer.py \
  tests/solvers/test_engine.py tests/classes/test_class_newton.py \
  tests/rows/test_class_likelihood.py tests/core/test_planes.py tests/estimators/test_sparse_inputs.py tests/estimators/test_fuzzed_matrices.py tests/fitting/test_fuzzed_model_files.py \
  tests/programs tests/alignments tests/grammars \
  --deselect tests/estimators/test_sparse_inputs.py::test_a_column_beyond_memory_is_a_sentence
TESTS_tsan := tests/support/threads.py tests/classes/test_multiclass_oracle.py tests/chains/test_chain_oracle.py tests/groups/test_sample_oracle.py \
  tests/programs/test_batches.py tests/programs/test_program_crf.py
asan tsan: SANITIZED ?= $(TESTS_$@)
asan tsan: install $(VENV)/.installed-test
	$(RUN) -m venv --without-pip build/$@/venv
	$(RUN) -c 'import site; print(site.getsitepackages()[0])' > build/$@/packages.txt
	build/$@/venv/bin/python -c 'import site, shutil; shutil.copy("build/$@/packages.txt", site.getsitepackages()[0] + "/packages.pth")'
	CXXFLAGS='$(FLAGS_$@) -g -O1 -fno-omit-frame-pointer' $(PIP) install . --no-deps --no-build-isolation --upgrade \
	  --config-settings=build-dir=build/$@/{cache_tag} --target "$$(build/$@/venv/bin/python -c 'import site; print(site.getsitepackages()[0])')"
	LD_PRELOAD="$(foreach library,$(LIBRARIES_$@) libstdc++.so,$$($(or $(CXX),g++) -print-file-name=$(library)))" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 OPENBLAS_NUM_THREADS=1 \
	  setarch -R build/$@/venv/bin/python -m pytest -q -x -n 0 -p no:cacheprovider $(SANITIZED)

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
