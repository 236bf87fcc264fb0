"""The errors a user can cause or meet: each is one line that says what, where and what to do."""


class RequestError(Exception):
    """The request was wrong: the command ends with exit code 2 and this one line."""


class UnavailableError(RequestError):
    """A task's data cannot be had here: an error where the task is named; in a suite it is left out, and said so."""


class RunError(Exception):
    """Something failed while running: what is done is kept, and the command ends with exit code 1."""
