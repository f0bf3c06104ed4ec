# SPDX-License-Identifier: Apache-2.0
"""Experiments under Linux on a machine of stand-ins: a modprobe and a program on the PATH.

What a guest measures: driver/tests/test_zynq_tables.py.
"""

import json
import os
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, check, spawn, wait_for
from sluice.errors import InputError
from sluice.experiments.linux.experiment import LinuxExperiment
from sluice.experiments.linux.measure import spread
from sluice.experiments.registry import load
from sluice.paths import experiment_files

LINUX = [name for name, file in experiment_files().items() if 'kind = "linux"' in file.read_text()]
EXPERIMENT = """
kind = "linux"
title = "Calls"
description = "Of a stand-in."
board = "zynq7010"
dataset = "manikandan2015"

[[logic]]
name = "engines"
design = "cdma"
setup = ["echo set up >>$LOG"]

[[logic.module]]
name = "published_pio"
arguments = "target=1"

[[work]]
name = "once"
program = "calls once {bytes} {runs}"
way = "published"
state = "cold"
runs = 3
samples = [512, 4096, 8192]
bytes_per_sample = 4
user_table = "5.1"
kernel_table = "5.2"
buffered_below = 4096

[[work]]
name = "again"
program = "calls again {bytes} {runs}"
way = "calls"
state = "warm"
runs = 4
samples = [1024]
bytes_per_sample = 8

[[repair]]
table = "5.2"
samples = 8192
us = 300
reason = "as a test wants it"
"""
TWICE = """[[logic]]
name = "engines"
design = "cdma"

"""
# Prints 10 ns a byte and 20 us for a program, 8 ns a byte for the kernel.
CALLS = """#!/bin/sh
echo "$@" >>$LOG
[ -z "$HANG" ] || while :; do :; done
[ -z "$FAIL" ] || { echo "calls: no such device" >&2; exit 1; }
n=$3
list() { i=0; l=; while [ $i -lt $n ]; do l="$l${l:+, }$(($1))"; i=$((i + 1)); done; echo "[$l]"; }
u="\\"user_ns\\": $(list "20000 + 10 * $2 + 1000 * i")"
k="\\"kernel_ns\\": $(list "8 * $2")"
lost="\\"lost\\": ${4:-0}, \\"drops\\": ${5:-0}${6:+, \\"beside_mb_s\\": $6}"
echo "{$u, $k, \\"work_ns\\": $(list "5 * $2"), \\"bytes\\": $2, \\"reached\\": $2, $lost}"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an experiment, the programs that it needs on the PATH, and a log of what they did."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (
        ("calls", CALLS),
        ("modprobe", '#!/bin/sh\necho modprobe "$@" >>$LOG\n'),
        ("rmmod", '#!/bin/sh\necho rmmod "$@" >>$LOG\n'),
        ("sleep", '#!/bin/sh\necho sleep "$@" >>$LOG\n'),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    experiment = tmp_path / "calls.toml"
    experiment.write_text(EXPERIMENT)
    return experiment


def test_rows_stand_beside_the_printed_ones(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    document = sluice("run", str(file), "--here", "--json", "-").json
    check(document)
    rows = {(row["name"], row["bytes"], row["view"]): row for row in document["rows"]}
    assert len(rows) == len(document["rows"]) == 8
    user, kernel = rows["once", 16384, "user"], rows["once", 16384, "kernel"]
    assert user["us"]["min"] == pytest.approx(183.84)
    assert user["us"]["median"] == pytest.approx(184.84)
    assert (user["table"], user["published_us"], user["us"]["runs"]) == ("5.1", 256, 3)
    assert user["difference"] == pytest.approx(184.84 / 256 - 1)
    assert user["cpu_percent"] == pytest.approx(100 * 5 * 16384 / 184840)
    assert kernel["us"]["min"] == pytest.approx(131.072)
    assert (kernel["table"], kernel["published_us"], kernel["cpu_percent"]) == ("5.2", 164, None)
    repaired = rows["once", 32768, "kernel"]
    assert (repaired["published_us"], repaired["printed_us"]) == (300, 346)
    assert repaired["repaired"] == "as a test wants it"
    below = rows["once", 2048, "user"]
    assert below["published_us"] == 73
    assert not below["scored"]
    assert rows["once", 2048, "kernel"]["scored"]
    again = rows["again", 8192, "user"]
    assert (again["table"], again["published_us"], again["scored"]) == (None, None, False)
    assert again["us"] == {
        "runs": 4,
        "min": pytest.approx(101.92),
        "median": pytest.approx(103.42),
        "mean": pytest.approx(103.42),
        "p99": pytest.approx(104.92),
        "max": pytest.approx(104.92),
    }
    assert again["mb_s"] == pytest.approx(8192 / 103.42)
    log = (tmp_path / "log").read_text().splitlines()
    assert log[:3] == ["modprobe published_pio target=1", "set up", "sleep 1"]
    assert log[3:6] == ["once 2048 3", "once 16384 3", "once 32768 3"]
    assert {(row["design"], row["clock_mhz"], row["engines"]) for row in rows.values()} == {
        ("cdma", None, 1)
    }
    assert {row["kernel"] for row in rows.values()} == {os.uname().release}
    assert log[-2:] == ["again 8192 4", "rmmod published_pio"]


def test_frames_of_a_stream(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    """Four frames, every 200 us, take 101.92 to 104.92 us; of three others there is no time."""
    file.write_text(
        EXPERIMENT.replace("[1024]", "[1024]\ninterval_us = 200").replace(
            "calls again {bytes} {runs}", "calls again {bytes} {runs} 3 2"
        )
    )
    result = tmp_path / "calls.json"
    done = sluice("run", str(file), "--here", "--json", result)
    assert done.status == 0, done.err
    for text in ("left %", "48.3"):
        assert text in done.out
    document = json.loads(result.read_text())
    check(document)
    frames = {row["name"]: row["frames"] for row in document["rows"] if row["view"] == "user"}
    assert frames["once"] is None
    assert frames["again"] == {
        "interval_us": 200,
        "left": pytest.approx(1 - 103.42 / 200),
        "lost": 3,
        "unjudged": 0,
        "dropped_beats": 2,
    }
    assert sluice("report", result, "-o", tmp_path / "report").status == 0
    assert "Frames" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_copies_meanwhile(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    """8,192 bytes every 200 us, and what engines beside them copied."""
    file.write_text(
        EXPERIMENT.replace("[1024]", "[1024]\ninterval_us = 200").replace(
            "calls again {bytes} {runs}", "calls again {bytes} {runs} 0 0 321.5"
        )
    )
    result = tmp_path / "calls.json"
    done = sluice("run", str(file), "--here", "--json", result)
    assert done.status == 0, done.err
    for text in ("beside copies", "41.0", "321.5"):
        assert text in done.out
    document = json.loads(result.read_text())
    check(document)
    beside = {row["name"]: row["beside_mb_s"] for row in document["rows"] if row["view"] == "user"}
    assert beside == {"once": None, "again": 321.5}
    assert sluice("report", result, "-o", tmp_path / "report").status == 0
    assert "Copies meanwhile" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_settings_are_those_of_a_guest(sluice: Sluice, file: Path) -> None:
    file.write_text(EXPERIMENT.replace("setup =", "settings = { hp0_qos = 15 }\nsetup ="))
    done = sluice("run", str(file), "--here")
    assert done.status == 2
    assert "--here: settings are those of a guest's memory system" in done.err


def test_lines_through_the_tables(sluice: Sluice, file: Path) -> None:
    fits = {
        fit["table"]: fit for fit in sluice("run", str(file), "--here", "--json", "-").json["fits"]
    }
    assert fits["5.1"]["rows"] == 2
    assert fits["5.1"]["ns_per_byte"] == pytest.approx(10)
    assert fits["5.1"]["intercept_us"] == pytest.approx(21)
    assert fits["5.1"]["published_ns_per_byte"] == pytest.approx((442 - 256) * 1e3 / 16384)
    assert fits["5.2"]["slope_difference"] == pytest.approx(8 / ((300 - 164) * 1e3 / 16384) - 1)
    assert fits["5.2"]["large_mean_error"] == pytest.approx(1 - 262.144 / 300)


def test_table_and_report(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    result = tmp_path / "calls.json"
    done = sluice("run", str(file), "--here", "--json", result)
    assert done.status == 0, done.err
    for text in ("once", "73°", "300*", "as a test wants it", "Manikandan"):
        assert text in done.out
    report = sluice("report", result, "-o", tmp_path / "report")
    assert report.status == 0, report.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("Printed tables", "8 KiB", "300*", "as a test wants it"):
        assert text in page


def test_rows_that_are_not_scored_say_why(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    words = 'unscored = "they rise and fall"\nnote = "threads share a processor"\n'
    file.write_text(EXPERIMENT.replace("buffered_below", words + "buffered_below", 1))
    result = tmp_path / "calls.json"
    done = sluice("run", str(file), "--here", "--json", result)
    assert "° not scored: they rise and fall." in done.out
    assert "once: threads share a processor." in done.out
    document = sluice("run", str(file), "--here", "--json", "-").json
    check(document)
    why = {(row["bytes"], row["view"]): row["unscored"] for row in document["rows"][:6]}
    assert why[2048, "user"] == "the call ends before the driver is reached"
    assert why[2048, "kernel"] == why[16384, "user"] == "they rise and fall"
    assert not any(row["scored"] for row in document["rows"])
    assert document["fits"] == []
    notes = {row["name"]: row["work_note"] for row in document["rows"]}
    assert notes == {"once": "threads share a processor", "again": None}


def test_what_fails_is_said_and_the_rest_kept(
    sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "1")
    done = sluice("run", str(file), "--here")
    assert (done.status, done.err) == (1, "sluice: calls: no such device\n")
    file.write_text(EXPERIMENT.replace("calls again", "echo '{}'; :"))
    monkeypatch.delenv("FAIL")
    done = sluice("run", str(file), "--here")
    assert done.status == 1
    assert "again, 8192 bytes: user_ns: is missing" in done.err
    assert "PARTIAL" in done.out
    # A driver that was never reached took no time, which has no rate.
    answer = r"{\"user_ns\": [5], \"kernel_ns\": [0], \"bytes\": 8192, \"reached\": 0}"
    file.write_text(EXPERIMENT.replace("calls again", f"echo '{answer}'; :"))
    done = sluice("run", str(file), "--here")
    assert done.status == 1
    assert "again, 8192 bytes: kernel_ns[0]" in done.err
    assert "Traceback" not in done.err


def test_modules_go_however_it_ends(
    sluice: Sluice, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    process = spawn("run", file, "--here", HANG="1")
    wait_for(log, 4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)  # its program is not waited for
    assert (process.returncode, err) == (
        130,
        "sluice: stopped by SIGINT; 0 of 8 rows were measured\n",
    )
    assert log.read_text().splitlines()[3:] == ["once 2048 3", "rmmod published_pio"]
    log.unlink()
    text = EXPERIMENT.replace("calls again", "echo '{}'; :")
    for environment, changed in (("1", EXPERIMENT), ("", text)):
        monkeypatch.setenv("FAIL", environment)
        file.write_text(changed)
        assert sluice("run", str(file), "--here").status == 1
        assert log.read_text().splitlines()[-1] == "rmmod published_pio"
        log.unlink()


def test_modules_that_were_loaded_before_stay(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    """/sys/module has a folder `kernel` on every machine."""
    log = tmp_path / "log"
    file.write_text(EXPERIMENT.replace("published_pio", "kernel"))
    done = sluice("run", str(file), "--here")
    assert done.status == 2
    assert done.err == (
        "sluice: module kernel is loaded already, and the experiment gives it parameters; "
        "unload it first with rmmod kernel\n"
    )
    assert not log.exists()
    file.write_text(EXPERIMENT.replace('published_pio"\narguments = "target=1', "kernel"))
    assert sluice("run", str(file), "--here").status == 0
    assert "kernel" not in log.read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"calls once {bytes} {runs}"', '"calls"', "work[0].program: must say where the size goes"),
        ("again {bytes} {runs}", "again {bytes}", "work[1].program: must say where the number"),
        (
            'name = "again"',
            'name = "again"\nlogic = "none"',
            "work[1].logic: must be one of engines",
        ),
        ("[[work]]", TWICE + "[[work]]", "logic: must hold each under its own name"),
        ('name = "again"', 'name = "once"', "work: must hold works, each under its own name"),
        ('kernel_table = "5.2"', 'kernel_table = "5.1"', "work: must name each printed table once"),
        ('dataset = "manikandan2015"', "", "dataset: is missing, and works name printed tables"),
        (
            'table = "5.2"\nsamples',
            'table = "5.9"\nsamples',
            "repair[0].table: is named by no work",
        ),
        ("calls once", "calls 'once", "work[0].program: must close each quotation"),
        ("runs = 3", "runs = 0", "work[0].runs"),
        ('state = "cold"', 'state = "tepid"', "work[0].state"),
    ],
)
def test_files_are_checked(file: Path, old: str, new: str, said: str) -> None:
    assert old in EXPERIMENT
    file.write_text(EXPERIMENT.replace(old, new))
    with pytest.raises(InputError) as raised:
        load(file)
    assert said in str(raised.value)


def test_a_table_that_is_not_given_has_no_figures(file: Path) -> None:
    file.write_text(EXPERIMENT.replace('"5.1"', '"6.3"'))
    _, experiment = load(file)
    assert isinstance(experiment, LinuxExperiment)
    (work, _) = experiment.work
    assert experiment.published(work, "user", 8192) is None
    assert experiment.published(work, "kernel", 4096) is not None


ALONE = """runs = 4
samples = [1024]
bytes_per_sample = 8

[[work.printed]]
samples = 1024
view = "user"
dataset = "reds2024"
table = "tools"
quantity = "copy avg"
"""


@pytest.mark.parametrize(
    ("quantity", "calls", "us"),
    [("copy avg", 1, 2241), ("TLB miss", 1000, 18.78), ("tinymembench C copy", 1, 8192 / 342.6)],
)
def test_a_printed_figure_may_stand_alone(file: Path, quantity: str, calls: int, us: float) -> None:
    one = ALONE.replace("copy avg", quantity) + f"calls = {calls}\n"
    file.write_text(EXPERIMENT.replace(ALONE[: ALONE.index("\n\n") + 1], one))
    _, experiment = load(file)
    assert isinstance(experiment, LinuxExperiment)
    figure = experiment.published(experiment.work[1], "user", 1024)
    assert figure is not None
    assert figure.us == pytest.approx(us)
    assert experiment.published(experiment.work[1], "kernel", 1024) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("samples = 1024\n", "samples = 9\n", "work[1].printed[0].samples: the work has no size 9"),
        (
            "copy avg",
            "fps",
            "work[1].printed[0].quantity: its unit must be one of ns, us, ms, MB/s",
        ),
        ("copy avg", "none", "work[1].printed[0].quantity: table tools has no row 'none'"),
        ('table = "tools"', 'table = "x"', "work[1].printed[0].table"),
        (
            "samples = [1024]",
            'samples = [1024]\nuser_table = "6.1"',
            "work[1].printed[0].view: user has a printed table already",
        ),
        (
            ALONE[ALONE.index("[[work.printed]]") :],
            2 * ALONE[ALONE.index("[[work.printed]]") :],
            "work[1].printed[1]: view user has two figures of 1024 samples",
        ),
    ],
)
def test_printed_figures_are_checked(file: Path, old: str, new: str, said: str) -> None:
    assert old in ALONE
    text = EXPERIMENT.replace(ALONE[: ALONE.index("\n\n") + 1], ALONE.replace(old, new))
    file.write_text(text)
    with pytest.raises(InputError) as raised:
        load(file)
    assert said in str(raised.value)


def test_parts_are_measured_alone(
    sluice: Sluice, refused: Callable[..., str], file: Path, tmp_path: Path
) -> None:
    rows = sluice("run", str(file), "--here", "--as-published", "--json", "-").json["rows"]
    assert {row["name"] for row in rows} == {"once"}
    other = TWICE.replace('"engines"', '"other"').replace('"cdma"', '"cdma_acp"')
    file.write_text(EXPERIMENT.replace('"again"', '"again"\nlogic = "other"') + other)
    said = refused("run", str(file), "--here")
    assert "--here needs --logic, one of engines, other" in said
    assert "--logic must be one of engines, other, is none" in refused(
        "run", str(file), "--logic", "none"
    )
    assert "no works like that" in refused(
        "run", str(file), "--logic", "other", "--as-published", "--here"
    )
    (tmp_path / "log").unlink()
    rows = sluice("run", str(file), "--here", "--logic", "other", "--json", "-").json["rows"]
    assert {(row["name"], row["design"]) for row in rows} == {("again", "cdma_acp")}
    assert (tmp_path / "log").read_text() == "again 8192 4\n"


def test_boards_and_levels_are_checked(refused: Callable[..., str], file: Path) -> None:
    assert "--level gates is not allowed" in refused("run", str(file), "--level", "gates")
    file.write_text(EXPERIMENT.replace("zynq7010", "zynq9000"))
    assert "zynq9000" in refused("run", str(file), "--here")


def test_spread_of_many() -> None:
    found = spread(range(1000, 201_000, 1000))
    assert (found.runs, found.min, found.median, found.p99, found.max) == (200, 1, 100.5, 198, 200)


@pytest.mark.parametrize("name", LINUX)
def test_experiments_of_the_project_load(name: str) -> None:
    _, experiment = load(experiment_files()[name])
    assert isinstance(experiment, LinuxExperiment)
    document = tomllib.loads(experiment_files()[name].read_text())
    printed = "dataset" in document or any("printed" in work for work in document["work"])
    assert (experiment.source is not None) == printed
    assert experiment.row_count >= 2 * len(document["work"])
