.DEFAULT_GOAL := help
PYTHON ?= python3

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

env:  ## the environment alone: .venv with the pinned packages
	@$(PYTHON) course/jupyter/start.py --env

.PHONY: help env
