# SPDX-License-Identifier: Apache-2.0
"""The models of files as a JSON Schema and as reference pages, for tools/reference.py."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from sluice.capture.result import CaptureResult
from sluice.capture.view.images import Index
from sluice.experiments.registry import DEFAULT, kinds
from sluice.experiments.result import FORMAT, Result
from sluice.sweep.record import SweepRecord
from sluice.sweep.specification import Range, Sweep

Schema = dict[str, Any]


class _Generator(GenerateJsonSchema):
    """Without titles made up from the names of fields."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


def _schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> Schema:
    return model.model_json_schema(mode=mode, schema_generator=_Generator)


def result_schema() -> str:
    """Return the JSON Schema of results of every kind."""
    models = [kind.result for kind in kinds().values()]
    _, schema = models_json_schema(
        [(model, "serialization") for model in models], schema_generator=_Generator
    )
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": FORMAT,
        "$comment": "SPDX-License-Identifier: Apache-2.0. Made by python/tools/reference.py.",
        "title": "Result of `sluice run`",
        "description": _paragraph(Result.__doc__ or ""),
        "oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in models],
        "$defs": schema["$defs"],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def result_page(head: str) -> str:
    """Return the reference of result files."""
    shared = _schema(next(iter(kinds().values())).result, "serialization")
    properties = shared["properties"]
    of_kind = ("conditions", "rows")
    parts = [
        head,
        "# Result files\n",
        "A result file has one JSON object. `sluice run --json` writes it, and `sluice report`",
        "reads it. All kinds of experiments have its fields. The content of `conditions` and of a",
        "row depends on the kind.\n",
        *textwrap.wrap(_paragraph(Result.__doc__ or ""), 100),
        "",
        "[result.schema.json](../../python/src/sluice/experiments/result.schema.json) has the same",
        "as a JSON Schema. `sluice report` also reads results of older formats, whose missing",
        "fields are null.\n",
        "## The object\n",
        _fields(
            shared | {"properties": properties | {"kind": _any_kind(properties["kind"])}},
            shared["$defs"],
        ),
        *_tables(shared, "", 2, skip=of_kind),
    ]
    for name, kind in kinds().items():
        schema = _schema(kind.result, "serialization")
        parts += [f'## kind "{name}"\n', f"{_sentence(kind.summary)}\n"]
        parts += _tables(schema, "", 3, only=of_kind)
    return "\n".join(parts)


def experiment_page(head: str) -> str:
    """Return the reference of experiment files."""
    parts = [
        head,
        "# Experiment files\n",
        "An experiment file says what `sluice run` measures. It is a TOML file in",
        "[bench/experiments](../../bench/experiments), or a file of your own.",
        "[Run an experiment](../howto/run-an-experiment.md) explains how to write one. An unknown",
        "key is an error. Sizes are strings such as `64KiB` or `1MiB`.\n",
    ]
    for name, kind in kinds().items():
        schema = _schema(kind.experiment, "validation")
        said = ", or no `kind` at all" if name == DEFAULT else ""
        parts += [f'## kind = "{name}"{said}\n', f"{_sentence(kind.summary)}\n"]
        definitions = schema.get("$defs", {})
        parts += [
            _fields(schema, definitions, required=True),
            *_tables(schema, "", 3, required=True),
        ]
    return "\n".join(parts)


def sweep_page(head: str) -> str:
    """Return the reference of sweeps: their files, rows and records."""
    spec, record = _schema(Sweep, "validation"), _schema(SweepRecord, "serialization")
    ranges = _schema(Range, "validation")
    parts = [
        head,
        "# Sweeps\n",
        "A sweep measures an experiment at many points. This page describes what `sluice sweep`",
        "reads and writes. [Sweep](../howto/sweep.md) explains how to run one on a laptop, over",
        "SSH, with Slurm and on Kubernetes.\n",
        "## The file\n",
        "The file is TOML. An unknown key is an error. A key of the experiment is written with",
        'dots. A table of a list has its number in brackets, as in `"series[0].sizes"`.\n',
        _fields(spec, spec["$defs"], required=True),
        *_tables(spec, "", 3, required=True),
        "### A range\n",
        _fields(ranges, {}, required=True),
        *_SWEEP_ROWS,
        "## The record\n",
        "The record of a sweep is `NAME.json` beside `NAME.parquet`. The fields of `provenance`",
        "are those of [results](result-json.md).\n",
        _fields(record, record["$defs"]),
    ]
    return "\n".join(parts)


def capture_page(head: str) -> str:
    """Return the reference of captures: what they do, their descriptions and results."""
    result = _schema(CaptureResult, "serialization")
    index = _schema(Index, "serialization")
    parts = [
        head,
        _CAPTURE,
        _fields(index, index["$defs"]),
        *_tables(index, "", 3),
        "## The result (`--json`)\n",
        _fields(result, result["$defs"]),
        *_tables(result, "", 3),
    ]
    return "\n".join(parts)


_CAPTURE = """# sluice capture: behaviour, description and result

`sluice capture` records the stream of a channel into files, and reports every loss. Its
[options](sluice.md#sluice-capture) are on the page of the command.
[Capture a stream](../howto/capture-a-stream.md) explains its use.

The channel captures into a ring of periods until the command stops it. A frame is a period.
`--frames` counts the frames that were kept. The end of a packet makes a frame shorter than a
period. The program writes each frame to the sink, and then releases it. The library reports
whether the engine may have overwritten the frame meanwhile. If so, the program removes the frame
from the sink again and counts it as lost. After a loss, the program continues in the middle of
the frames that are still whole. Those before it count as lost, too.

## What may be missing

| what | cause | counted by | reported as |
|---|---|---|---|
| lost frames | the engine overwrote a frame that the program had not released | their numbers | \
first, count, bytes, time, place in the data |
| dropped beats | memory was slower than the stream, and the design had no room left | a \
[capability block](sl_capability.md) | beats, bytes, the frame at whose end they were counted, \
time, place |
| frames in the ring at the end | the program stopped before reading them | their number | \
`unread_frames`, `overwritten_frames` |

- **No capability block.** `counts` is then false. Losses are an estimate, and drops are not known.
- **`--policy hold`.** The stream waits while no period is free, so no frame is lost. If the source
  cannot wait, its losses are not known.
- **Merged frames.** A frame is `merged` if the hardware replaced its counts before the program read
  them. All bytes of its period are kept. The number of valid bytes is part of the count of the next
  frame.
- **Unknown frames.** Drivers keep the counts of the last frames only (sluice.ko of 512). A program
  that is further behind in a longer ring keeps `unknown` frames, with all bytes of a period each.
- **`exact`.** It is false if the counts of a kept or lost frame are gone. Drops before that frame
  may then be missing in the report.

`--check counter` compares each 32-bit word with the counter source. Two causes may explain a gap:

- Frames were lost at that place. If the hardware counted them, exactly their words must be missing.
- Beats were dropped before. Such a gap may come later than the counts say, by as much as FIFO and
  engine hold.

With any other gap, the exit status is 1.

## Methods

| `--method` | the sink reads | available for |
|---|---|---|
| default | the ring. It reads a copy while two fifths or more of the frames that can be whole are \
unread. A stream always reads a copy | every channel that captures |
| `mmap` | the ring; a frame that the engine overwrites meanwhile is lost | every channel that \
captures; streams only with `--policy hold` |
| `copy` | a copy, made and released before the sink gets it | every channel that captures |
| `uncached` | as by default, but the ring is coherent memory of the driver, without cache \
maintenance | boards `dev:` |
| `read` | a copy that the driver makes by read(), released before the sink gets it \
| boards `dev:` |

Files are written past the page cache (O_DIRECT) under these conditions:

- The file system supports that.
- The memory can be pinned.
- Address, length and place of each frame are multiples of 4096.

Otherwise they are written through the page cache. `sink.direct` reports which way was used. One
write is in flight at a time, so larger periods are faster on fast disks.

`python python/tools/capture_writer.py` compares the file writer alone with dd
([figures](../evidence/capture/writer.json)). Into a tmpfs, it has 0.99 of the rate of dd with
blocks of 64 KiB, and 1.08 of it with 1 MiB. With 4 KiB it has 0.75 of it, because a call of Python
then weighs more.

## Sinks

| `-o` | output |
|---|---|
| `FILE` | `FILE.sigmf-data` and `FILE.sigmf-meta` |
| `FILE` with `--format npy` | `FILE.npy`, an array of frames after a header of 4096 bytes. Short \
frames are filled with zeroes |
| `DIR/`, a folder | `frame-NUMBER.bin` or `.npy`, by the frame's number in the stream, and \
`capture.json`, the result. The system writes the files to disk later |
| `-`, a pipe, a device | raw bytes only. Messages go to standard error. Written bytes cannot be \
removed again, so each frame is copied first |

Data and description are created before the capture starts. The description reserves room for what
is still to come. So on a full disk, the frames that fit and the description agree. If the disk is
full and more losses come than the description has room for, the capture ends.

`--force` replaces older files, but only after the capture has started. A capture that cannot start
leaves them. It then also removes data of the other `--format` under the same name. The older frames
of a folder, and their `capture.json`, are removed just before.

| end | `ended_by` | exit status |
|---|---|---|
| `--frames` are kept | `frames` | 0; 1 if `--check` fails |
| Ctrl-C, SIGTERM, SIGHUP | `signal` | 130, 143, 129 |
| no space, quota or limit of size | `full` | 1 |
| the reader of a pipe has closed it | `closed` | 141 |
| another error of the sink | `failed` | 1 |
| the capture stopped by itself | `stopped` | 1 |

In all cases but the first, `partial` is true, and the files remain. A second signal ends the
program at once. The description then says `"sluice:ended_by": "failed"` and has no frames. After
the first signal, a pipe gets the rest of a frame for at most 1 s, if its reader accepts any.

On a simulated board, time passes only while the program waits for the board. So sinks take no time
and lose nothing. With `--sink-rate`, time passes as if the sink had that rate. So a ring can be
sized before there is hardware.

## The description

The description has the format [SigMF](https://sigmf.org) 1.2.6.

- `core:sample_rate` is known for the counter source only.
- A segment of `captures` starts after each run of lost frames. Its `core:global_index` is its place
  in the whole stream, and includes everything that was lost and dropped before.
- `annotations` have an entry for each run of lost frames and for each count of dropped beats. They
  also have one for each gap of `--check`, and for each short, merged or unknown frame.

The namespace `sluice` (version 1.0.0, optional) has these fields:

| where | field | meaning |
|---|---|---|
| `global` | `sluice:uri`, `channel`, `clock`, `method`, `policy`, `period_bytes`, `periods`, \
`frames`, `bytes`, `lost_frames`, `lost_bytes`, `dropped_beats`, `dropped_bytes`, `counts`, \
`exact`, `partial`, `ended_by`, `headroom`, `picture` | as in the result |
| annotation | `sluice:frame` | number of the frame, or of the first of several |
| | `sluice:count` | number of frames lost, or of beats dropped |
| | `sluice:bytes` | number of their bytes |
| | `sluice:exact` | whether the hardware counted them |
| | `sluice:time_ns` | time by the board's clock |

## Pictures (`--view`)

`sluice capture --view` and [`sluice view`](sluice.md#sluice-view) show a frame as a picture. A
picture consists of lines of pixels from the top, without a gap.

| `--picture` | a pixel has | shown as |
|---|---|---|
| `grey` | 8 bits | grey |
| `rgb565` | 16 bits, little endian, with red in the upper 5 and blue in the lower 5 | the upper \
bits of \
each colour are repeated below |
| `yuyv` | Y, and U or V with its neighbour, in the order Y, U, Y, V | BT.601 with limited range \
(Y 16 \
to 235, U and V 16 to 240). Both pixels have the pair's U and V |

If an option is missing, its value comes from the attributes `picture.format`, `width` and `height`
of the channel's lane, after `--set`. On a simulated board, or with `--rate`, the command sets the
source up. The design then draws the test picture, as `--picture` and `--size` say. The command does
not change any other source. A period is one picture, and any other `--period-bytes` is refused.

A viewer runs in a thread of its own, and shows at most 30 frames a second. When it is ready for a
frame, the program copies the next one out of the ring. The viewer shows it once the library knows
that the engine has not overwritten it. All other frames count as not shown. If a viewer fails, it
ends and the recording continues, but the exit status is 1. With only `--view`, the capture ends
with the viewer.

| frame | meaning | how it is recognized |
|---|---|---|
| lost | it has its place in the strip, the index, the sheet and the animation | as above |
| torn | bytes of it are missing, or it is not the test picture to its end | for the test \
picture, by \
the numbers on the first and the last line of each frame, and by every line of a shown frame |
| short | it has fewer bytes than a picture; for any other picture | by its bytes |

`missing_pictures` counts test pictures that arrived in no frame. Their numbers are missing, but no
frame is lost there.

The page is served over HTTP on 127.0.0.1 at a free port, or as `page=PORT` or `page=ADDRESS:PORT`
says.

- It has no password and no encryption, so everyone who reaches the port sees the frames.
- Browsers may open it by an address, as localhost, and by the machine's own name. Other host names
  are refused, because a foreign page could make one point here.
- At most 32 connections are served at once.
- The page loads nothing from elsewhere.
- It can show the last 256 frames again, or 64 MiB of them.
- When the capture ends, open pages keep the last frame.

`DIR/` gets `frame-NUMBER.png` during the capture. At the end it gets `index.json`, and
`contact.png` and `animation.png` of the first 120 frames. Existing files are replaced with
`--force` only.

### index.json
""".replace("\\\n", "")


_SWEEP_ROWS = (
    """## The rows

`NAME.parquet` has one row for each run of each row of the experiment, in the order of points and
runs. Its columns are:

| column | meaning |
|---|---|
| `point` | Number of the point. The last axis varies fastest. |
| `run` | Number of the run. |
| `row` | Number of the experiment's row at that point. |
| each key in `axes` | Its value. The column has the last word of the key as its name. Lists are \
JSON. |
| conditions (kind rates) | `board`, `design`, `level`, `ports`, `width_bits`, `direction`, \
`clock_mhz`, `bytes`, `stagger_bytes`, `start_cost_ns`, `skew_ns`, `seed`, changed settings. |
| figures (kind rates) | `mb_s`, `expected_mb_s`, `efficiency`, `at_overload`, `moved_bytes`, \
`start_ns`, `finish_ns`, `pl_cycles`, `verified`. |
| figures (other kinds) | The fields of a row of its [result](result-json.md), with `_` between \
the \
names of tables. Lists of numbers are left out. |
| checks | `check`, variables of the environment, `seed`, `commit`, `passed`, `failed`, `skipped`, \
`words` and `logs`. |
| `elapsed_s` | Time in seconds that the run took to measure. |

`words` is the first failure or skip of a check. `logs` is the folder of a failed test, in the
checkout of the machine that ran it. It has the test's output and the logs of its guests. All
columns but `elapsed_s`, `commit`, `words` and `logs` depend on the file only.

## How it is measured

- A job is one run of one point. Its result depends only on the file, its point, its run and the
  seed. The number of jobs at once, the machine and the order change nothing.
- The command submits jobs to a `concurrent.futures.Executor`. It uses threads, or Dask with
  `--scheduler`. A batch has jobs for a second, or for up to five seconds in long sweeps. At most
  two batches for each worker are in flight.
- During a sweep, the command writes a line for each job to `NAME.parquet.journal`. At the end or at
  a signal, it sorts them into `NAME.parquet`. `--continue` reads both files, also after SIGKILL.
- `--continue` refuses a file of another sweep, or of an experiment that has changed since.
- A search spends a third of its evaluations on random points. Then it measures the neighbours of
  the best point in rounds. A round starts when the one before has ended, so the number of workers
  does not change which points it measures.
- If workers share no files with the command, it sends them this library and its sluice-bench as a
  wheel. Before anything is measured, it refuses a worker that has another version or cannot run it.
- When a worker is lost or fails, another one measures its batch again. The same happens when the
  connection to the scheduler is lost, at most twice. Then the command fails.
- On a full disk, the command ends and keeps the rows that fit.
- Only one command at a time may write a file. A second one is refused.
- When the command is killed, its simulations end with it.
""".replace("\\\n", ""),
)


def _any_kind(field: Schema) -> Schema:
    return {"enum": list(kinds()), "description": field["description"]}


def _tables(  # noqa: PLR0913
    schema: Schema,
    path: str,
    depth: int,
    *,
    definitions: Schema | None = None,
    only: tuple[str, ...] = (),
    skip: tuple[str, ...] = (),
    required: bool = False,
) -> Iterator[str]:
    """Yield a heading and a table of fields for each table that a schema's fields hold."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    for name, field in schema["properties"].items():
        if (only and name not in only) or name in skip:
            continue
        found = list(_references(field))
        for reference, many in found:
            part = definitions[reference.removeprefix("#/$defs/")]
            place = f"{path}{name}{'[]' if many else ''}"
            yield f"{'#' * depth} {place}\n"
            if len(found) > 1:
                yield f"One form of it. {_paragraph(part['description'])}\n"
            if part["properties"]:
                yield _fields(part, definitions, required=required)
            else:
                yield f"{_paragraph(part['description'])}\n"
            yield from _tables(part, f"{place}.", depth, definitions=definitions, required=required)


def _references(field: Schema, *, many: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield each table that a field may hold, and whether it holds a list of them."""
    if "$ref" in field:
        yield field["$ref"], many
    for key in ("anyOf", "oneOf", "allOf"):
        for option in field.get(key, ()):
            yield from _references(option, many=many)
    if isinstance(field.get("items"), dict):
        yield from _references(field["items"], many=True)


def _fields(part: Schema, definitions: Schema, *, required: bool = False) -> str:
    """Return a table of fields; with `required`, it says which may be left out.

    Where a field says no more than the table that it holds, or one of its types, pydantic keeps the
    description there.
    """
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for name, field in part["properties"].items():
        told = (form.get("description") for form in (field, *field.get("anyOf", ())))
        said = next(filter(None, told), None)
        for reference, _ in [] if said else _references(field):
            said = definitions[reference.removeprefix("#/$defs/")]["description"]
        meaning, kind = _cell(said or ""), _cell(_type(field))
        if required:
            kind = kind.removesuffix(" or null")  # TOML has no null
            if name not in part.get("required", ()):
                meaning += _optional(field)
        lines.append(f"| `{name}` | {kind} | {meaning} |")
    return "\n".join(lines) + "\n"


def _optional(field: Schema) -> str:
    if unless := field.get("required_unless"):  # of a rule between fields
        return f" Required, unless {unless} is given."
    default = field.get("default")
    known = isinstance(default, str | int | float) and default not in ("", 0)
    return f" Default: {json.dumps(default)}." if known else " Optional."


def _type(field: Schema) -> str:
    """Return what a field holds: one of some words, or the name of a type."""
    options = field.get("anyOf") or field.get("oneOf")
    words = [field["const"]] if "const" in field else field.get("enum")
    kind = str(field.get("type", "object" if "$ref" in field else "any"))
    if options:
        kind = " or ".join(dict.fromkeys(_type(option) for option in options))
    elif words:
        kind = ", ".join(json.dumps(word) for word in words)
    elif kind == "array":
        entries = field.get("prefixItems") or [field.get("items", {})]
        kind = "array of " + ", ".join(_type(entry) for entry in entries)
    return kind


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
