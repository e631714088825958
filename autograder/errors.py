"""The errors that commands turn into one sentence."""


class Told(Exception):
    """Grading cannot go on; the message is for a person and says why, and what to do."""
