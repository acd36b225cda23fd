# Two commands do everything: `make night` runs a night over the example day, `make test` the tests.
# First a virtual environment is made in .venv, by uv if it is installed, else by venv and pip: `make night` installs
# only what running needs (about 125 MB), `make test` the development tools as well. Their versions are those of
# constraints.txt, which were tested together; `make lock` renews it. CONSTRAINTS= takes the newest ones instead.

VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
STAMP := $(VENV)/.installed
DOCS := $(VENV)/.docs
PYTHON ?= $(shell command -v python3.11 || command -v python3)
NIGHT := $(CURDIR)/.night
CONSTRAINTS ?= constraints.txt
# What `make check` runs `make test` with: CI names a script that hides what a fresh machine lacks.
WITH ?=
NAME ?= harvest
ARGS ?=
# Tests that are compiled once are not compiled again by every worker of every run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: night test check newest lock bench docs pictures format clean

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
	$(WITH) $(MAKE) test
	$(BIN)/pytest --hypothesis-profile ci -n 4 --dist worksteal -rs -m "(cli or browser or seal or slow) and not live and not sweep"

# The newest releases, found without installing them, and the tests with them if they aren't those of constraints.txt.
newest:
	@rm -rf .newest
	@$(PYTHON) -m venv .newest
	@.newest/bin/python -m pip install --quiet --disable-pip-version-check --dry-run --ignore-installed \
		--report .newest/report.json hatchling editables '.[dev]'
	@if .newest/bin/python -c "$$RESOLVED" | LC_ALL=C sort | diff constraints.txt - ; then \
		echo "The newest releases are those of constraints.txt."; \
	else \
		$(MAKE) test VENV=.newest CONSTRAINTS=; \
	fi

define RESOLVED
import json
for package in json.load(open(".newest/report.json"))["install"]:
    if package["metadata"]["name"] != "skillopt-sleep":
        print("{name}=={version}".format_map(package["metadata"]))
endef
export RESOLVED

lock:
	@rm -rf .newest
	@$(MAKE) .newest/.installed VENV=.newest CONSTRAINTS=
	@$(call frozen,.newest/bin/python) | LC_ALL=C sort > constraints.txt

bench: $(STAMP)
	$(BIN)/python -m bench.$(NAME) $(ARGS)

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
	rm -rf $(VENV) .newest $(NIGHT) site .pytest_cache .ruff_cache .hypothesis

# hatchling, which builds the package, comes first: a build in isolation would fetch its newest release.
define install
	@echo "Installing $(2) into $(VENV) ..."
	@$(call pip,install) $(addprefix -c ,$(CONSTRAINTS)) hatchling editables
	@$(call pip,install) $(addprefix -c ,$(CONSTRAINTS)) --no-build-isolation -e '$(1)'
	@touch $@
endef

# uv, if it is installed, else pip: $(call pip,install), $(call frozen,PYTHON).
ifneq ($(shell command -v uv 2>/dev/null),)
pip = uv pip $(1) --quiet --python $(BIN)/python
frozen = uv pip freeze --quiet --exclude-editable --python $(1)
else
pip = $(BIN)/python -m pip $(1) --quiet --disable-pip-version-check
frozen = $(1) -m pip freeze --quiet --disable-pip-version-check --exclude-editable
endif

$(BIN)/python:
	@echo "Creating a virtual environment in $(VENV), with $(PYTHON) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV); \
	else \
		$(PYTHON) -m venv $(VENV); \
	fi

$(RUNS): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(call install,.[web],skillopt-sleep and the libraries it needs)

$(STAMP): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(call install,.[dev],skillopt-sleep and the development tools)
	@touch $(RUNS)

$(DOCS): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(call install,.[docs],skillopt-sleep and mkdocs)
	@touch $(RUNS)
