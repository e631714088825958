"""What a worker process imports before its first submission. Workers are forked from it."""

from autograder.imports import import_quickly

import_quickly()

import autograder.judge  # noqa: E402, F401
