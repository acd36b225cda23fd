# Two commands do everything: `make night` runs a night over the example day, `make test` the tests.
# A virtual environment of the checkout's own is made first, by uv where it is installed, else by venv and pip.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= $(shell command -v python3.11 || command -v python3)
NIGHT := $(CURDIR)/.night
NAME ?= harvest
ARGS ?=
# Tests that are compiled once are not compiled again by every worker of every run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: night test check bench screens format clean

night: $(STAMP)
	SKILLOPT_SLEEP_HOME=$(NIGHT) $(BIN)/skillopt-sleep run --example

# The profile ci draws the same examples of a property each time; a bare pytest draws others.
test: $(STAMP)
	$(BIN)/pytest --hypothesis-profile ci -n 3 --dist worksteal -m "not cli and not browser and not slow and not live"

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(MAKE) test
	$(BIN)/pytest --hypothesis-profile ci -n 3 --dist worksteal -rs -m "(cli or browser or slow) and not live"

bench: $(STAMP)
	$(BIN)/python -m tests.benchmarks.$(NAME) $(ARGS)

screens: $(STAMP)
	$(BIN)/python -m tests.screens

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(NIGHT) .pytest_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
		$(PYTHON) -m venv $(VENV) && $(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'; \
	fi
	@touch $@
