# SPDX-License-Identifier: Apache-2.0
"""What may go wrong, each as one sentence for the user and an exit status."""


class SluiceError(Exception):
    """A failure that the user is told in one sentence, without a traceback."""

    exit_status = 1


class InputError(SluiceError):
    """Something that was asked for does not exist or is not allowed."""

    exit_status = 2


class RunError(SluiceError):
    """What was asked for is fine, but doing it failed."""


def reason(error: OSError) -> str:
    """Return what the system says, for the end of a sentence."""
    return (error.strerror or str(error)).lower()
