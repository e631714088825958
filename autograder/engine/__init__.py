"""Kernels forked from one warm process, and the step that runs a notebook in one of them."""
