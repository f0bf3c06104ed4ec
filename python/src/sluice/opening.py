# SPDX-License-Identifier: Apache-2.0
"""What commands open by name, a board and its channels, refused in one sentence."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sluice.errors import InputError, RunError
from sluice.io import Board, Channel, open_board
from sluice.save import STDOUT


def is_text(word: str) -> bool:
    """Tell whether a word of the command line is text, and not other bytes."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(word: str) -> str:
    """Return a word of the command line with a question mark for what is no text."""
    return word.encode(errors="replace").decode()


def _check_text(word: str) -> None:
    if not is_text(word):
        raise InputError(f"{shown(word)}: this name has bytes that are not UTF-8")


@contextmanager
def failing(uri: str) -> Iterator[None]:
    """Let what a board refuses within the block be a RunError."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{uri}: {error.strerror}") from error


def open_named(uri: str) -> Board:
    """Return the board. InputError: it cannot be opened."""
    _check_text(uri)
    try:
        return open_board(uri)
    except OSError as error:
        raise InputError(f"{uri}: {error.strerror}") from error


def open_channel(board: Board, uri: str, name: str) -> Channel:
    """Return a channel of the board. InputError: it is not there, or somebody else's."""
    _check_text(name)
    try:
        return board.channel(name)
    except FileNotFoundError as error:
        names = ", ".join(board.channel_names())
        raise InputError(f"{uri} has no channel {name}; allowed: {names}") from error
    except OSError as error:
        raise InputError(f"{uri}#{name}: {error.strerror}") from error


def set_attributes(board: Board, settings: Iterable[str]) -> None:
    """Set attributes of the board's design, each as NAME=VALUE of --set."""
    for setting in settings:
        _check_text(setting)
        name, mark, value = setting.partition("=")
        if not mark or not value.isdecimal() or int(value) >= 1 << 64:
            raise InputError(f"--set {setting} is not of the form NAME=VALUE, VALUE a whole number")
        try:
            board.attributes[name] = int(value)
        except KeyError as error:
            raise InputError(f"--set {setting}: {error.args[0]}") from error
        except OSError as error:
            raise InputError(f"--set {setting}: {error.strerror}") from error


def is_open(descriptor: int) -> bool:
    """Tell whether a descriptor of this process is open."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def is_standard_output(path: str) -> bool:
    """Tell whether a path is this process's standard output, by whatever name."""
    if path == STDOUT:
        return True
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1))
    except OSError:
        return False
