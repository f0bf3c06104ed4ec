# SPDX-License-Identifier: Apache-2.0
"""A job changes nothing that other jobs read."""

from collections.abc import Callable
from pathlib import Path

from sluice.sweep.job import experiment_of, read_recipe
from sluice.sweep.run import read_sweep, text_of

DEFAULTS = """{bytes = "64KiB", full_bytes = "1MiB", runs = 1, seed = 1, preset = "bare_metal",
level = "transaction", skew_ns = 7}""".replace("\n", " ")


def test_a_point_leaves_the_recipe_as_it_was(spec: Callable[..., Path]) -> None:
    file = spec(('"defaults.bytes" = "64KiB"', f'"defaults" = {DEFAULTS}'))
    text = text_of(read_sweep(file))
    points = read_recipe(text).spec.points
    skews = [experiment_of(text, point)[1].defaults.skew_ns for point in range(points)]
    assert set(skews) == {0, 100, 200}
    assert read_recipe(text).spec.set["defaults"]["skew_ns"] == 7
