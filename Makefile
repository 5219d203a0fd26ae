# make run           the app in the browser
# make check         the daily loop: ruff, mypy, and all tests but those of a browser, of the wheel and slow ones, in parallel
# make test          all tests; installs what they need
# make lint          ruff and mypy
# make docs          the documentation, in docs/_build/html; its examples and the notebook are executed
# make bench         measured figures, as ratios in one run
# make shots         pictures of all pages and lessons at all sizes in both themes, and a sheet of them
# make evidence      the page of the evidence, and what the README takes from it, from the results in docs/evidence
# make lock          requirements.txt and tests/requirements.txt from pyproject.toml; LOCK=--upgrade for newer versions
# make deploy-test   deploy/ for real on this machine, as root: unit, container file, nginx with TLS, login
# make audit         known vulnerabilities of what the lock names, and its licences
# make lower-bounds  the tests with the lowest versions that pyproject.toml allows
# make release-check all that a release must pass: build, wheel, lower bounds, documentation, audit

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# As many processes as there are processors; they take tests from each other when they have none left.
PARALLEL := -n auto --dist worksteal
DAILY := -m "not browser and not wheel and not slow and not deploy"

# Compiled modules are kept, whatever the shell says: without them every process of tests compiles them all.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run check test lint docs bench evidence shots lock lower-bounds deploy-test audit release-check

run: $(STAMP)run
	$(BIN)/streamlit run app.py

check: lint
	$(BIN)/python -m pytest $(PARALLEL) $(DAILY)

# A browser wants the processors for itself.
test: $(STAMP)test $(STAMP)browser
	$(BIN)/python -m pytest $(PARALLEL) -m "not browser and not deploy"
	$(BIN)/python -m pytest -m browser

deploy-test: $(STAMP)test $(STAMP)deploy
	$(BIN)/python -m pytest -m deploy

# The lock is what is installed and served; licences are those of what is installed here.
audit: $(STAMP)test
	$(BIN)/python -m tests.audit requirements.txt

lint: $(STAMP)test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# From nothing every time: what is left of another build would hide what is missing. A browser draws the small pictures;
# more threads than one only wait for each other in fits as small as these.
docs: $(STAMP)test $(STAMP)browser
	rm -rf docs/_build docs/gallery docs/reference/names docs/reference/uses docs/notebooks/*.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html."

evidence: $(STAMP)test
	$(BIN)/python -m tests.bench evidence

# The list of a release, in the order of what fails soonest.
release-check: lint
	$(BIN)/python -m tests.release
	$(MAKE) docs
	$(BIN)/python -m pytest -m wheel
	$(MAKE) audit
	$(MAKE) lower-bounds

bench: $(STAMP)test $(STAMP)browser
	$(BIN)/python -m tests.bench $(BENCH)

shots: $(STAMP)test $(STAMP)browser
	$(BIN)/python -m tests.browser.shots

# For every system and every Python from 3.11 on, with the hashes of all files. Versions stay unless they must change.
COMPILE = $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-annotate --custom-compile-command "make lock" $(LOCK) pyproject.toml

lock: $(STAMP)test
	$(COMPILE) --all-extras --group test --group docs --output-file tests/requirements.txt
	$(COMPILE) --extra all --constraints tests/requirements.txt --output-file requirements.txt

# Not the checks of types: they are made for the versions of the lock.
LOWEST := $(VENV)-lowest
lower-bounds: $(STAMP)test
	$(BIN)/uv venv --quiet --no-config --clear --python $(BIN)/python $(LOWEST)
	$(BIN)/uv pip install --quiet --no-config --python $(LOWEST) --resolution lowest-direct \
		-r pyproject.toml --extra all --group test
	$(LOWEST)/bin/python -m opnb.core.warm_up
	$(LOWEST)/bin/python -m pytest $(PARALLEL) $(DAILY)

$(STAMP)run: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -r requirements.txt
	$(BIN)/python -m opnb.core.warm_up
	@touch $@

$(STAMP)test: requirements.txt tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -r tests/requirements.txt
	$(BIN)/python -m opnb.core.warm_up
	@touch $@ $(STAMP)run

# A Chromium for the browser tests: the system's, else Debian's package, else Playwright's own.
$(STAMP)browser: $(STAMP)test
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; \
	else $(BIN)/python -m playwright install chromium; fi
	@touch $@

# What the tests of deploy/ need, as packages of Debian; without root they say what is missing.
$(STAMP)deploy: $(STAMP)test
	@if command -v nginx && command -v openssl && command -v systemd-analyze && command -v setpriv; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light openssl systemd util-linux; \
	fi
	@touch $@
