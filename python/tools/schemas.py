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
        "What `sluice run --json` writes and `sluice report` reads: one JSON object. All kinds of",
        "experiments share its fields; what `conditions` and a row hold depends on the kind.",
        *textwrap.wrap(_paragraph(Result.__doc__ or ""), 100),
        "The same as a JSON Schema:",
        "[result.schema.json](../../python/src/sluice/experiments/result.schema.json). Results of",
        "older formats are read too; their missing fields are null.\n",
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
        "What `sluice run` measures: TOML, in [bench/experiments](../../bench/experiments) or of",
        "your own. How to write one: [run-an-experiment.md](../howto/run-an-experiment.md). An",
        "unknown key is an error. Sizes are texts such as `64KiB` or `1MiB`.\n",
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
        "What `sluice sweep` measures and writes. How to run one on a laptop, over SSH, with Slurm",
        "and on Kubernetes: [sweep.md](../howto/sweep.md).\n",
        "## The file\n",
        "TOML. An unknown key is an error. A key of the experiment is written with dots, and its",
        'table within a list by number: `"series[0].sizes"`.\n',
        _fields(spec, spec["$defs"], required=True),
        *_tables(spec, "", 3, required=True),
        "### A range\n",
        _fields(ranges, {}, required=True),
        *_SWEEP_ROWS,
        "## The record\n",
        "`NAME.json` beside `NAME.parquet`. The fields of `provenance` are those of",
        "[results](result-json.md).\n",
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

[Options](sluice.md#sluice-capture); [how to](../howto/capture-a-stream.md). The channel captures
into a ring of periods without an end. A frame is a period: `--frames` counts those that were
kept, and a packet's end makes a frame shorter than a period. The program hands each frame to the
sink, and releases it. The library then reports whether the engine may have overwritten it
meanwhile. If so, the frame is removed from the sink again, and counts as lost. After a loss the
program continues in the middle of the frames that are whole; those before it count as lost too.

## What may be missing

| | why | counted by | named |
|---|---|---|---|
| lost frames | the program was not done with them when the engine came round | their numbers | \
first, count, bytes, time, place in the data |
| dropped beats | memory was slower than the stream, and the design has no room left | a \
[capability block](sl_capability.md) | beats, bytes, the frame until whose end, time, place |
| frames in the ring at the end | the program took no more | their number | `unread_frames`, \
`overwritten_frames` |

Without a capability block (`counts` is false) losses are an estimate, and drops are not known.
With `--policy hold` the stream waits while no period is free, so no frame is lost; what a source
does that cannot wait is not known. A frame is `merged` where the hardware's counts were replaced
before they were read: all its bytes are kept, and how many of them are valid was counted with the
next. Drivers keep the counts of the last frames only (sluice.ko of 512): a program that is further
behind in a longer ring keeps frames that are `unknown`, all bytes of a period each. Where counts
of a kept or a lost frame have gone, `exact` is false, and drops in front of it may not be named.

`--check counter` looks at each 32-bit word of the counter source. A gap is explained by frames
that were lost just there, and by beats that were dropped before: such a gap comes up to the depth
of FIFO and engine behind the place that the counts give. Lost frames that the hardware counted
must be missing exactly. Otherwise the exit status is 1.

## Methods

| `--method` | the sink reads | where |
|---|---|---|
| default | the ring, or a copy while two fifths or more of what can be whole in it are unread; \
a stream always a copy | every channel that captures |
| `mmap` | the ring; a frame that the engine overwrites meanwhile is lost | the same, streams \
with `--policy hold` only |
| `copy` | a copy, made and released before the sink gets it | every channel that captures |
| `uncached` | as by default, in coherent memory of the driver, which needs no cache maintenance \
| boards `dev:` |
| `read` | a copy that the driver makes by read(), released before the sink gets it \
| boards `dev:` |

Files are written past the page cache (O_DIRECT) where the file system does that, the memory can
be pinned, and address, length and place of each frame are multiples of 4096; else through it.
`sink.direct` says so. One write is in flight at a time, so on fast disks larger periods are
faster. Into a tmpfs the writer alone has the rate of dd with blocks of 64 KiB and 1 MiB (0.99 and
1.08 of it), and 0.75 of it with 4 KiB, where a call of Python weighs more:
[figures](../evidence/capture/writer.json), which `python python/tools/capture_writer.py` measures
again.

## Sinks

| `-o` | |
|---|---|
| `FILE` | `FILE.sigmf-data` and `FILE.sigmf-meta`; with `--format npy` `FILE.npy`: an array of \
frames, short ones filled with zeroes, behind a header of 4096 bytes |
| `DIR/`, a folder | `frame-NUMBER.bin` or `.npy`, by the frame's number in the stream, and \
`capture.json`, the result. The system writes the files back later |
| `-`, a pipe, a device | raw bytes alone. Words go to standard error. What went out cannot be \
taken back, so each frame is copied first |

Data and description are made before the capture starts. The description then has room for what is
still to come: on a full disk the frames that fit and the description agree. If more losses come
than its room holds, and the disk is full, the capture ends.

Older files are replaced with `--force` only, when the capture has started: one that cannot start
leaves them. Data of the other `--format` under the same name are removed then. The older frames of
a folder, and their `capture.json`, are removed just before.

| end | `ended_by` | exit status |
|---|---|---|
| `--frames` are kept | `frames` | 0; 1 if `--check` fails |
| Ctrl-C, SIGTERM, SIGHUP | `signal` | 130, 143, 129 |
| no space, quota or limit of size | `full` | 1 |
| the reader of a pipe has gone | `closed` | 141 |
| another error of the sink | `failed` | 1 |
| the capture stopped by itself | `stopped` | 1 |

Of all but the first `partial` is true, and the files stay. A second signal ends the program
at once; then the description says `"sluice:ended_by": "failed"` and no frames. After the first a
pipe gets the rest of a frame for 1 s at most, if its reader takes any.

On a simulated board time passes only while the program waits for the board: sinks take none, and
lose nothing. `--sink-rate` lets time pass as a sink of that rate would take, so that a ring can
be sized before there is hardware.

## The description

[SigMF](https://sigmf.org) 1.2.6. `core:sample_rate` is known of the counter source alone. A
segment of `captures` starts behind each run of lost frames; `core:global_index` is its place in
the whole stream, with what was lost and dropped until there. `annotations` have one entry for
each run of lost frames, each count of dropped beats, each gap of `--check`, and each short,
merged or unknown frame. The namespace `sluice` (version 1.0.0, optional) has these fields:

| where | field | |
|---|---|---|
| `global` | `sluice:uri`, `channel`, `clock`, `method`, `policy`, `period_bytes`, `periods`, \
`frames`, `bytes`, `lost_frames`, `lost_bytes`, `dropped_beats`, `dropped_bytes`, `counts`, \
`exact`, `partial`, `ended_by`, `headroom`, `picture` | as in the result |
| annotation | `sluice:frame` | number of the frame, of several the first |
| | `sluice:count` | frames lost, or beats dropped |
| | `sluice:bytes` | bytes that they had |
| | `sluice:exact` | whether the hardware counted them |
| | `sluice:time_ns` | by the board's clock |

## Pictures (`--view`)

`sluice capture --view` and [`sluice view`](sluice.md#sluice-view) show a frame as a picture: lines
of pixels from the top, without a gap.

| `--picture` | a pixel has | shown as |
|---|---|---|
| `grey` | 8 bits | grey |
| `rgb565` | 16 bits, little endian: red in the upper 5, blue in the lower 5 | the upper bits of \
each colour are repeated below |
| `yuyv` | Y, and U or V with its neighbour: Y, U, Y, V | BT.601, limited range: Y 16 to 235, U \
and V 16 to 240; both pixels have the pair's U and V |

What is not said comes from the attributes `picture.format`, `width` and `height` of the channel's
lane, as `--set` leaves them. On a simulated board, or with `--rate`, the command sets the source
up. The design then draws the test picture, as `--picture` and `--size` say. Any other source is
left as it is. A period is a picture; a `--period-bytes` that is not is refused.

A viewer runs in a thread of its own, and shows at most 30 frames a second. While it is ready for a
frame, the program copies the next one out of the ring. The viewer shows it once the engine is known
not to have overwritten it. All others are counted as not shown. A viewer that fails ends, the
recording goes on, and the exit status is 1. With `--view` alone the capture ends with it.

| frame | | how it is known |
|---|---|---|
| lost | has its place in the strip, the index, the sheet and the animation | as above |
| torn | bytes of it are missing, or it is not the test picture to its end | of the test picture: \
the numbers on the first and the last line of each frame, and every line of a shown frame |
| short | of any other picture: fewer bytes than a picture | its bytes |

`missing_pictures` are test pictures that came in no frame at all: their numbers are missing, and
no frame is lost there.

The page is served over HTTP on 127.0.0.1 at a free port, unless `page=PORT` or `page=ADDRESS:PORT`
says otherwise. It has no password and no encryption: who reaches the port sees the frames. It can
be opened by an address, as localhost and by the machine's own name. Other host names are refused,
since a foreign page could make one point here. At most 32 connections are served at once. The page
loads nothing from elsewhere. It can go back to the last 256 frames that were shown, or 64 MiB of
them. When the capture ends, open pages keep the last frame.

`DIR/` gets `frame-NUMBER.png`, at the end `contact.png` and `animation.png` of the first 120
frames, and `index.json`. Existing ones are replaced with `--force` only.

### index.json
""".replace("\\\n", "")


_SWEEP_ROWS = (
    """## The rows

`NAME.parquet` has one row for each run of each row of the experiment, in the order of points and
runs. The columns:

| column | meaning |
|---|---|
| `point` | Number of the point: the last axis varies fastest. |
| `run` | Number of the run. |
| `row` | Number of the experiment's row at that point. |
| each key in `axes` | Its value, under the last word of the key; lists as JSON. |
| conditions | Of kind rates: `board`, `design`, `level`, `ports`, `width_bits`, `direction`, \
`clock_mhz`, `bytes`, `stagger_bytes`, `start_cost_ns`, `skew_ns`, `seed`, changed settings. |
| figures | Of kind rates: `mb_s`, `expected_mb_s`, `efficiency`, `at_overload`, `moved_bytes`, \
`start_ns`, `finish_ns`, `pl_cycles`, `verified`. Of other kinds: the fields of a row of its \
[result](result-json.md), with `_` between the names of tables; lists of numbers are left out. |
| of checks | `check`, variables of the environment, `seed`, `commit`, `passed`, `failed`, \
`skipped`, `words` (the first failure or skip), `logs` (of a failed test: a folder of its own in \
the checkout of the machine that ran it, with its output and the logs of its guests). |
| `elapsed_s` | Time in seconds that the run took to measure. All other columns but `commit`, \
`words` and `logs` depend on the file alone. |

## How it is measured

- A job is one run of one point. It depends on the file, its point, its run and the seed alone. The
  number of jobs at once, the machine and the order change nothing.
- The command hands jobs to a `concurrent.futures.Executor` in batches of a second, in long sweeps
  up to five: threads here, or Dask with `--scheduler`. At most two batches for each worker are in
  flight.
- During a sweep the command writes a line for each job to `NAME.parquet.journal`. At the end or at
  a signal it sorts them into `NAME.parquet`. `--continue` reads both files, also after SIGKILL.
- `--continue` refuses a file of another sweep, or of an experiment that has changed since.
- A search spends a third of its evaluations on random points. Then it measures the neighbours of
  the best point in rounds. A round starts when the one before has ended, so the number of workers
  does not change which points it measures.
- The command sends this library and its sluice-bench as a wheel to workers that share no files. It
  refuses a worker that has another version or cannot run it, before anything is measured.
- When a worker is lost or fails, another one measures its batch again. So it is where the
  connection to the scheduler was lost, twice at most; then the command fails.
- On a full disk the command ends and keeps the rows that it had room for.
- One command at a time writes a file; a second one is refused.
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
