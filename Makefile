.DEFAULT_GOAL := help
PYTHON ?= python3
PY := .venv/bin/python

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

start: ## JupyterLab on the course, as a learner; JUPYTER_ARGS="--no-browser --port=8899", COURSE_LANGUAGE=zh
	@$(PYTHON) course/jupyter/start.py $(JUPYTER_ARGS)

teach: ## JupyterLab for an instructor, with the Formgrader
	@$(PYTHON) course/jupyter/start.py --teach $(JUPYTER_ARGS)

env: ## the environment alone: .venv with the pinned packages
	@$(PYTHON) course/jupyter/start.py --env

notebooks: env ## for authors: every notebook from the chapters; runs those whose code changed
	@$(PY) -m authoring build

check: env ## the fast loop: sources and notebooks agree, lint, quick tests
	@$(PY) -m authoring check
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m pytest -q -n 2 -m "not slow"

test: env ## everything that proves the project
	@$(PY) -m authoring check
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m pytest -q -n 2 --dist loadfile
	@$(PY) -m pytest -q -n 2 --dist loadfile --nbval course solutions
	@$(PY) -m authoring prove

class: env ## a small invented class goes through the whole loop; prints the scores
	@$(PY) -m autograder.classroom

bench: env ## the doctor on every program that it is measured on, tensor-sensor beside it
	@$(PY) -m tests.lens.doctor.measure
	@$(PY) -m tests.lens.doctor.measure_silent
	@test -d .bench/tensor-sensor || $(PY) -m pip install -q --no-deps --target .bench/tensor-sensor \
	  tensor-sensor==1.0 graphviz
	@PYTHONPATH=.bench/tensor-sensor $(PY) -m tests.lens.doctor.beside_tensor_sensor

bench-grading: env ## grading beside stock nbgrader and otter-grader, on classes of 40 and 200
	@$(PY) -m tests.bench.grading

hostile: env ## the table of hostile submissions: what each does, and what it gets
	@$(PY) -m tests.hostile

handout: ## a learner's copy of the course without answers and grading: tensor-course.zip
	@git archive -o tensor-course.zip --prefix=tensor-course/ HEAD README.md LICENSE Makefile \
	  pyproject.toml setup.py requirements.lock nbgrader_config.py exercises course/en course/zh \
	  course/lens course/jupyter
	@echo "tensor-course.zip: unpack it anywhere, then make start"

.PHONY: help start teach env notebooks check test class bench bench-grading hostile handout
