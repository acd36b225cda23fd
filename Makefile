# Two commands do everything: `make night` runs a night over the example day, `make test` the tests.
# First a virtual environment is made in .venv, by uv if it is installed, else by venv and pip: `make night` installs
# only what running needs (about 125 MB), `make test` the development tools as well.

VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
STAMP := $(VENV)/.installed
DOCS := $(VENV)/.docs
PYTHON ?= $(shell command -v python3.11 || command -v python3)
NIGHT := $(CURDIR)/.night
NAME ?= harvest
ARGS ?=
# Tests that are compiled once are not compiled again by every worker of every run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: night test check bench docs pictures format clean

night: $(RUNS)
	@echo "Running a night over the example day, with a simulated model: no network, no cost ..."
	@SKILLOPT_SLEEP_HOME=$(NIGHT) $(BIN)/skillopt-sleep run --example

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
	$(BIN)/pytest --hypothesis-profile ci -n 4 --dist worksteal -rs -m "(cli or browser or slow) and not live and not sweep"

bench: $(STAMP)
	$(BIN)/python -m tests.benchmarks.$(NAME) $(ARGS)

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The documentation: $(CURDIR)/site/index.html"

pictures: $(STAMP)
	$(BIN)/python -m tests.pictures
	$(BIN)/python -m tests.page_pictures

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(NIGHT) site .pytest_cache .ruff_cache .hypothesis

define install
	@echo "Installing $(2) into $(VENV) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python -e '$(1)'; \
	else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '$(1)'; \
	fi
	@touch $@
endef

$(BIN)/python:
	@echo "Creating a virtual environment in $(VENV), with $(PYTHON) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV); \
	else \
		$(PYTHON) -m venv $(VENV); \
	fi

$(RUNS): pyproject.toml | $(BIN)/python
	$(call install,.[web],skillopt-sleep and the libraries it needs)

$(STAMP): pyproject.toml | $(BIN)/python
	$(call install,.[dev],skillopt-sleep and the development tools)
	@touch $(RUNS)

$(DOCS): pyproject.toml | $(BIN)/python
	$(call install,.[docs],skillopt-sleep and mkdocs)
	@touch $(RUNS)
