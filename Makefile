# make run    the app in the browser
# make test   all tests; installs what they need
# make lint   ruff and mypy
# make bench  measured figures, as ratios in one run

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-

.PHONY: run test lint bench

run: $(STAMP)run
	$(BIN)/streamlit run app.py

test: $(STAMP)test $(STAMP)browser
	$(BIN)/python -m pytest

lint: $(STAMP)test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(STAMP)test $(STAMP)browser
	$(BIN)/python -m tests.bench $(BENCH)

$(STAMP)run: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m opnb.core.warm_up
	@touch $@

$(STAMP)test: requirements.txt tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	$(BIN)/python -m opnb.core.warm_up
	@touch $@ $(STAMP)run

# A Chromium for the browser tests: the system's, else Debian's package, else Playwright's own.
$(STAMP)browser: $(STAMP)test
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; \
	else $(BIN)/python -m playwright install chromium; fi
	@touch $@
