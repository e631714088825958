"""Grading: settings and steps for nbgrader that an instructor can trust with a class."""
