"""The errors a user can cause or meet: each is one line that says what, where and what to do."""


class RequestError(Exception):
    """The request was wrong: the command ends with exit code 2 and this one line."""


class UnavailableError(RequestError):
    """A task's data cannot be had here. Asked for by name it is an error; in a suite the task is left out, and said so."""


class RunError(Exception):
    """Something failed while running: what is done is kept, and the command ends with exit code 1."""
