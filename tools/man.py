#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/man out of the kernel-doc of driver/include/uapi/linux/sluice.h: a page for each
call, and sluice(4) for the rest. `python -m tools.man --check` only says whether they are so."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "driver" / "include" / "uapi" / "linux" / "sluice.h"
PAGES = ROOT / "docs" / "man"
DATE = "2026-11-21"

# What a call's page has beside its own structure: further structures, and texts of the header.
BESIDE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "SLUICE_INFO": (("sluice_direction",), ("Capabilities",)),
    "SLUICE_SETUP": (("sluice_ring", "sluice_ring_tail"), ("Completions",)),
    "SLUICE_SUBMIT": (("sluice_transfer",), ()),
    "SLUICE_REAP": (("sluice_completion",), ("Completions",)),
    "SLUICE_CAPTURE_START": (
        ("sluice_capture_status", "sluice_capture_period", "sluice_capture_loss"),
        ("Capture",),
    ),
    "SLUICE_ATTRIBUTE_INFO": ((), ("Attributes",)),
}
OVERVIEW = ("General", "Pipe", "Capture", "Card memory", "Attributes")


@dataclass
class Record:
    """A structure or an enumeration, with what its comment says of it."""

    name: str
    summary: str
    members: list[tuple[str, str]]
    text: list[str]  # paragraphs
    code: str
    flags: str = ""  # definitions that follow it

    @property
    def calls(self) -> list[str]:
        return re.findall(r"ioctl\((\w+)\)", self.summary)


@dataclass
class Header:
    records: dict[str, Record] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    numbers: str = ""
    places: str = ""


def lines_of(comment: str) -> list[str]:
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in comment.strip("\n").split("\n")]


def paragraphs(lines: list[str]) -> list[str]:
    return [part.strip("\n") for part in re.split(r"\n\s*\n", "\n".join(lines)) if part.strip()]


def record_of(lines: list[str], code: str) -> Record:
    head = re.match(r"(?:struct|enum) (\w+) - (.*)", lines[0])
    assert head, lines[0]
    members: list[tuple[str, str]] = []
    rest = 1
    for rest in range(1, len(lines) + 1):
        line = lines[rest] if rest < len(lines) else ""
        if member := re.match(r"@(\w+): (.*)", line):
            members.append((member[1], member[2]))
        elif line.startswith("\t") and members:
            members[-1] = (members[-1][0], f"{members[-1][1]} {line.strip()}")
        else:
            break
    return Record(head[1], head[2], members, paragraphs(lines[rest:]), code)


def parse(source: str) -> Header:
    header = Header()
    last: Record | None = None
    blocks = (
        r"/\*\*\n(?P<doc>.*?)\n \*/\n(?P<code>(?:struct|enum) \w+ \{.*?\n\};)?|(?P<rule>/\* -{20,})"
    )
    position = 0
    for block in re.finditer(blocks, source, re.DOTALL):
        between = source[position : block.start()]
        if last:
            last.flags = between.strip()
        position = block.end()
        last = None
        if block["rule"]:
            continue
        lines = lines_of(block["doc"])
        if lines[0].startswith("DOC: "):
            header.texts[lines[0][5:]] = paragraphs(lines[1:])
        elif block["code"]:
            last = record_of(lines, block["code"])
            header.records[last.name] = last
    found = re.search(r"#define SLUICE_INFO\t.*?(?=\n/\* Offsets)", source, re.DOTALL)
    places = re.search(r"/\* Offsets for mmap.*?(?=\n/\* -{20,})", source, re.DOTALL)
    assert found and places
    header.numbers, header.places = found[0].strip(), places[0].strip()
    return header


def escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def inline(text: str) -> str:
    """Text of a comment, its constants and members marked."""
    text = re.sub(r"(?<=\w)-(?=\w)", "\0", " ".join(text.split()))  # hyphens stay hyphens
    text = escape(text).replace("\0", "-")
    text = re.sub(r"%([\w*]+)", r"\\fB\1\\fP", text)
    text = re.sub(r"&(?:struct )?([\w.]+\w)", r"\\fI\1\\fP", text)
    text = re.sub(r"@(\w+)", r"\\fI\1\\fP", text)
    return re.sub(r"\b(E[A-Z]{3,})\b", r"\\fB\1\\fP", text)


def display(code: str) -> list[str]:
    body = [escape(line.expandtabs(8)) for line in code.split("\n")]
    return [".PP", ".nf", ".RS 4", *(line or ".sp" for line in body), ".RE", ".fi"]


def prose(parts: list[str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if part.startswith(" - "):
            for item in re.split(r"^ - ", part, flags=re.MULTILINE)[1:]:
                name, _, text = " ".join(item.split()).partition(": ")
                out += [".TP", f".B {escape(name)}", inline(text)]
        elif part.startswith("\t"):
            out += display("\n".join(line.removeprefix("\t") for line in part.split("\n")))
        else:
            out += [".PP", inline(part[:-1] if part.endswith("::") else part)]
    return out


def members(record: Record) -> list[str]:
    out: list[str] = []
    for name, text in record.members:
        out += [".TP", f".I {escape(name)}", inline(text)]
    return out


def described(record: Record) -> list[str]:
    summary = record.summary.partition("): ")[2] or record.summary
    return [
        f".SS {escape(record.name)}: {escape(summary)}",
        *display(record.code),
        *members(record),
        *prose(record.text),
        *(display(record.flags) if record.flags else []),
    ]


def page(name: str, section: int, summary: str, body: list[str], see: list[str]) -> str:
    links = ",\n".join(f".BR {link}" for link in see).replace(",\n", " ,\n")
    lines = [
        '.\\" SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note',
        '.\\" Written by tools/man.py out of driver/include/uapi/linux/sluice.h.',
        f'.TH {name.upper()} {section} {DATE} "Sluice" "Sluice"',
        ".SH NAME",
        f"{escape(name)} \\- {summary}",
        *body,
        ".SH SEE ALSO",
        links,
    ]
    return "\n".join(lines) + "\n"


def page_name(call: str) -> str:
    return f"ioctl_{call.lower()}"


def link(call: str) -> str:
    return f"{escape(page_name(call))} (2)"


def call_page(header: Header, call: str, record: Record, all_calls: list[str]) -> str:
    structures, texts = BESIDE.get(call, ((), ()))
    summary = inline(record.summary.partition("): ")[2] or "read and set an attribute")
    node = {"ATTRIBUTE": "control", "MEMORY": "memory"}.get(call.split("_")[1], "channel")
    body = [
        ".SH SYNOPSIS",
        ".nf",
        ".B #include <linux/sluice.h>",
        ".PP",
        f'.BI "int ioctl(int " fd ", {call}, struct {record.name} *" arg ");"',
        ".fi",
        ".SH DESCRIPTION",
        f".I fd\nis a file descriptor of an open {node} node, see\n.BR sluice (4).",
        *display(record.code),
        *members(record),
        *prose(record.text),
        *(display(record.flags) if record.flags else []),
        *(line for name in structures for line in described(header.records[name])),
        *(line for name in texts for line in (f".SS {name}", *prose(header.texts[name]))),
        ".SH RETURN VALUE",
        "0 on success. On failure \\-1, and",
        ".I errno",
        "has the error.",
        ".SH ERRORS",
        "In addition to the errors above:",
        *prose([part for part in header.texts["General"] if part.startswith(" - ")]),
    ]
    near = [
        other for other in all_calls if other != call and other.split("_")[1] == call.split("_")[1]
    ]
    see = ["ioctl (2)", *(link(other) for other in near), "sluice (4)"]
    return page(page_name(call), 2, summary, body, see)


def overview(header: Header, all_calls: list[str]) -> str:
    body = [
        ".SH SYNOPSIS",
        ".B #include <linux/sluice.h>",
        ".SH DESCRIPTION",
        *(
            line
            for number, name in enumerate(OVERVIEW)
            for line in ([] if number == 0 else [f".SS {name}"]) + prose(header.texts[name])
        ),
        ".SS Numbers",
        *display(header.numbers),
        ".SS Memory",
        *display(header.places),
        ".SH FILES",
        ".TP",
        ".I /dev/sluice/BOARD/CHANNEL",
        "A channel",
        ".TP",
        ".I /dev/sluice/BOARD/control",
        "Attributes of a board",
        ".TP",
        ".I /dev/sluice/BOARD/memory",
        "Memory of a board",
        ".TP",
        ".I /sys/class/sluice/sluice!BOARD!CHANNEL/",
        "Counters of a channel",
    ]
    see = ["poll (2)", "read (2)", "write (2)", *(link(call) for call in all_calls)]
    return page("sluice", 4, "channels of DMA engines for programs", body, see)


def pages(source: str) -> dict[str, str]:
    header = parse(source)
    of = {call: record for record in header.records.values() for call in record.calls}
    calls = re.findall(r"#define (SLUICE_\w+)\s+_IO\(", source)
    assert set(of) == set(calls), set(of) ^ set(calls)
    found = {f"{page_name(call)}.2": call_page(header, call, of[call], calls) for call in calls}
    return found | {"sluice.4": overview(header, calls)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    check = parser.parse_args().check
    wanted = pages(HEADER.read_text())
    there = {file.name: file.read_text() for file in PAGES.glob("*.[24]")}
    differ = [name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name)]
    if check and differ:
        print(f"docs/man differs in {', '.join(sorted(differ))}; run python -m tools.man")
        return 1
    for name in differ:
        if name in wanted:
            (PAGES / name).write_text(wanted[name])
        else:
            (PAGES / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
