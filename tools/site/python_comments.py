# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return,unused-ignore"
# What `tools/setup docs` installs is not there where `make lint` checks types.
"""The comment behind a field of a class is the field's description on the page about the class."""

from __future__ import annotations

from griffe import Attribute, Docstring, Extension

from tools.site.field_comments import field_comment


class FieldComments(Extension):
    """Makes docstrings of comments such as `nbytes: int  # really moved`."""

    def on_attribute_instance(self, *, attr: Attribute, **_: object) -> None:
        if attr.docstring or attr.lineno is None or attr.parent is None or not attr.parent.is_class:
            return
        lines = attr.lines_collection[attr.filepath]  # type: ignore[index]
        if text := field_comment(lines, attr.lineno):
            attr.docstring = Docstring(text, lineno=attr.lineno, parent=attr)
