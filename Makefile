# The product's two commands are `make run` and `make test`; `make check` is what every commit passes, `.ci/run` every landing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PRODUCT := $(VENV)/.product
READY := $(VENV)/.ready
DOCS := $(VENV)/.docs
TESTS ?= tests
# The tests start the program some hundred times: without compiled modules each start takes a second more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-wheel test-ways frozen wheel check check-types check-rest bench mutants texts pictures docs recording size clean

$(PRODUCT): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Annotator needs Python 3.11 or newer; '$(PYTHON)' is older. Run: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt pip
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable '.[inspect,keyring,postgresql,reports]'
	@touch $(PRODUCT)

$(READY): $(PRODUCT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group dev
	@touch $(READY)

$(DOCS): $(PRODUCT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs
	@touch $(DOCS)

run: $(PRODUCT)
	$(BIN)/python -m ui.cli demo

# Three workers for two cores: tests of the window wait for it a third of their time.
test: $(READY)
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow and not every_database and not download" --hypothesis-profile short $(TESTS)

# What `make test` leaves out: it runs beside it, not instead.
test-all: $(READY)
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "(slow or hypothesis) and not every_database and not download" --hypothesis-profile long $(TESTS)

# End-to-end tests once more, with the package as others install it.
test-wheel: $(READY)
	.ci/wheel

# What fetches packages and takes minutes: pipx, uvx, the container's steps, the frozen folder, Inspect, data sets; the Pythons here.
# Before them what `make test-all` leaves out: tests on PostgreSQL where nothing of them differs.
test-ways: $(READY)
	$(BIN)/python -m pytest -n 3 --dist worksteal -m every_database $(TESTS)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m download tests/package
	.ci/pythons

# A folder in `dist` that starts without Python, for the system this runs on.
frozen: wheel
	$(PYTHON) -m venv --clear build/frozen
	build/frozen/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt pyinstaller "$$(ls -t dist/annotator_workbench-*.whl | head -1)[keyring,postgresql,reports]"
	build/frozen/bin/pyinstaller --noconfirm --distpath dist --workpath build/frozen/work .ci/annotator.spec

wheel: $(READY)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

# The types take half of the time, so that they are checked beside the rest.
check: $(READY)
	@$(MAKE) --no-print-directory -j 2 -O check-types check-rest

check-types:
	$(BIN)/mypy

check-rest:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/codespell
	$(BIN)/python -m vulture
	$(BIN)/python .ci/texts.py --check

texts: $(READY)
	$(BIN)/python .ci/texts.py

mutants: $(READY)
	$(BIN)/python -m tests.mutants $(MUTANTS)

bench: $(READY)
	$(BIN)/python -m pytest -n 0 --benchmark-enable --benchmark-only tests/bench

# The manual as web pages; every warning fails, also a link or an anchor that leads nowhere.
docs: $(DOCS)
	$(BIN)/python -m sphinx -q -E -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

pictures: $(READY)
	$(BIN)/python docs/pictures/take.py

# What `annotator demo --generate` replays; made anew when the prompts or the sample cases change.
recording: $(READY)
	$(BIN)/python -m tests.scripted_model.recording

size:
	@$(PYTHON) .ci/size.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist *.egg-info
