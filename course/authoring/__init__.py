"""Chapters in, notebooks out, and the checks that prove the course."""
