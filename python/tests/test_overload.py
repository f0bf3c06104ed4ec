# SPDX-License-Identifier: Apache-2.0
"""When the memory sets a rate."""

import pytest

from sluice.overload import OverloadError, is_overload, overload_note

MIB = 1 << 20


@pytest.mark.parametrize(
    ("mb_s", "moved_bytes", "waits_ns", "overload"),
    [
        (3200, 8 * MIB, 0, False),
        (3190, 8 * MIB, 0, False),  # what latency takes of 8 MiB
        (3150, 8 * MIB, 0, True),
        (3150, 8 * MIB, 40_000, False),  # software started the engines
        (700, 8 << 10, 0, False),  # latency is most of the time
    ],
)
def test_what_ports_and_software_need_is_no_overload(
    mb_s: float,
    moved_bytes: int,
    waits_ns: float,
    overload: bool,  # noqa: FBT001
) -> None:
    asked = {"mb_s": mb_s, "moved_bytes": moved_bytes, "waits_ns": waits_ns}
    assert is_overload(expected_mb_s=3200, **asked) is overload


def test_the_note_names_the_error_where_there_is_one() -> None:
    assert "silicon" not in overload_note(None)
    assert "5.0 % at worst" in overload_note(OverloadError(mean_percent=2, worst_percent=5))
