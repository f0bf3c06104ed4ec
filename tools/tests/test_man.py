# SPDX-License-Identifier: Apache-2.0
"""The manual pages: as the header says, and without a complaint of groff."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tools import man


def test_pages_are_as_the_header_says() -> None:
    there = {file.name: file.read_text() for file in man.PAGES.glob("*.[24]")}
    assert there == man.pages(man.HEADER.read_text())


@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff")
def test_groff_has_no_complaint() -> None:
    files = sorted(str(file) for file in man.PAGES.glob("*.[24]"))
    done = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", *files], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_every_member_is_described() -> None:
    header = man.parse(man.HEADER.read_text())
    for record in header.records.values():
        told = [name for name, _ in record.members]
        assert told and all(name in record.code for name in told), record.name
        if record.code.startswith("struct"):
            assert len(told) == record.code.count(";") - 1, record.name


def test_text_is_marked() -> None:
    assert man.inline("-EINVAL: see @size of &struct sluice_info.flags, %SLUICE_INFO") == (
        "\\-\\fBEINVAL\\fP: see \\fIsize\\fP of \\fIsluice_info.flags\\fP, \\fBSLUICE_INFO\\fP"
    )


def test_a_page_names_its_node() -> None:
    pages = man.pages(man.HEADER.read_text())
    for call, node in (
        ("memory_export", "memory"),
        ("attribute_get", "control"),
        ("reap", "channel"),
    ):
        assert f"of an open {node} node" in pages[f"ioctl_sluice_{call}.2"]
