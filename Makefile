# Everything that a developer and CI run. A bare clone needs Python 3.11 or newer and make: `make run`, `make test`.

PYTHON ?= python3
VENV ?= .venv
PREFIX ?= /opt/handrail
BIN := $(VENV)/bin
# Newer than both files: nothing to install. That is what makes the second call quick.
READY := $(VENV)/.ready
# A venv of its own: the decoder is built from source, and nothing but `make test-llama` needs it.
LLAMA ?= .venv-llama
LLAMA_READY := $(LLAMA)/.ready

.DEFAULT_GOAL := help
.PHONY: help run test test-llama lint fmt services bench bench-context lock schema install clean

help: ## Say what there is.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 16

run: $(READY) ## Serve in front of HANDRAIL_UPSTREAM; without it, show the demo.
	@if [ -n "$$HANDRAIL_UPSTREAM" ]; then exec $(BIN)/handrail serve; else exec $(BIN)/handrail demo; fi

test: lint services ## Everything that CI runs.
	$(BIN)/python -m pytest --cov=proxy

test-llama: $(READY) $(LLAMA_READY) ## Measure `strict` behind a real decoder and a real small model (built at first).
	$(BIN)/python -m tests.llama --decoder $(LLAMA)/bin/python

lint: $(READY) ## Style, format, types, import contracts, Dockerfile.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile; else echo "no hadolint here: Dockerfile not linted"; fi

fmt: $(READY) ## Put the code in form.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY) ## Measure CPU and latency beside a bare pass-through.
	$(BIN)/python -m tests.bench

bench-context: $(READY) ## Measure what long runs cost the model, direct and through Handrail.
	$(BIN)/python -m tests.bench.context

services: ## Redis and PostgreSQL for the tests that use them.
	@bash tests/services.sh

lock: $(READY) ## Renew constraints.txt: one version of each dependency, for every platform and Python from 3.11 on.
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --group llama --universal --python-version 3.11 \
	  --upgrade --no-emit-index-url --custom-compile-command "make lock" --quiet --output-file constraints.txt

schema: $(READY) ## Renew policies/schema.json from the settings classes.
	$(BIN)/python -c 'from proxy.settings import schema_json; print(schema_json(), end="")' > policies/schema.json

install: ## Install Handrail alone, with the locked versions, into PREFIX (as the image does).
	$(PYTHON) -m venv $(PREFIX)
	$(PREFIX)/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt '.[redis,postgres]'

clean: ## Remove what can be made again.
	rm -rf $(VENV) $(LLAMA) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage build dist

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Handrail needs Python 3.11 or newer; name one: make PYTHON=python3.13"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt pip
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[redis,postgres,demo]' --group dev
	$(BIN)/python -m compileall -q proxy
	@touch $@

$(LLAMA_READY): pyproject.toml constraints.txt
	@bash tests/llama/compiler.sh
	test -x $(LLAMA)/bin/python || $(PYTHON) -m venv $(LLAMA)
	$(LLAMA)/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt pip
	@echo "building llama-cpp-python, if it was not built before: some minutes"
	CMAKE_ARGS="-DLLAVA_BUILD=OFF $$CMAKE_ARGS" nice -n 19 \
	  $(LLAMA)/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt --group llama
	@touch $@
