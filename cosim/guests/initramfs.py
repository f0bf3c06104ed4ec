# SPDX-License-Identifier: Apache-2.0
"""What is in a guest when it starts: archives in the kernel's format, one upon the other.

The kernel unpacks archives that follow one another in order, so a test adds its files to those that
every guest of a kind has, and nothing is packed twice. Same contents, same bytes (format: Linux,
Documentation/driver-api/early-userspace/buffer-format.rst).
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tools.debian import Unpacked

from .flavours import Processor
from .kernel import Kernel
from .toolchain import CACHE, program

HERE = Path(__file__).resolve().parent
PROGRAMS_SUITE = "trixie"
CONSOLE = (5, 1)  # device number: the kernel opens it before devtmpfs is there


def record(number: int, name: str, mode: int, data: bytes, device: tuple[int, int]) -> bytes:
    """One entry."""
    path = name.encode() + b"\0"
    # Inode, mode, uid, gid, links, time, size, device (2), device that it is (2), name, check sum.
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(files: Mapping[str, Path | bytes], console: bool = False) -> bytes:
    """Files by their path in the guest, with the folders they need. All may be executed."""
    folders = {"/" + str(p) for name in files for p in PurePosixPath(name.lstrip("/")).parents}
    if console:
        folders.add("/dev")
    entries: list[tuple[str, int, bytes, tuple[int, int]]] = [
        (name, stat.S_IFDIR | 0o755, b"", (0, 0)) for name in sorted(folders - {"/."})
    ]
    if console:
        entries.append(("/dev/console", stat.S_IFCHR | 0o600, b"", CONSOLE))
    for name in sorted(files):
        content = files[name]
        data = content.read_bytes() if isinstance(content, Path) else content
        entries.append((name, stat.S_IFREG | 0o755, data, (0, 0)))
    entries.append(("TRAILER!!!", 0, b"", (0, 0)))
    packed = b"".join(
        record(number, name.lstrip("/"), mode, data, device)
        for number, (name, mode, data, device) in enumerate(entries, 1)
    )
    return packed + bytes(-len(packed) % 512)


def debian_program(processor: Processor, name: str, package: str) -> Path:
    """A statically linked program for a guest, out of a package of Debian. Raises
    debian.UnavailableError."""
    cache = CACHE / f"{name}-{processor.debian}"
    unpacked = Unpacked((package,), (PROGRAMS_SUITE,), cache, processor.debian, alone=True)
    unpacked.fetch()
    found = [unpacked.root / folder / name for folder in ("bin", "usr/bin")]
    return next(file for file in found if file.is_file())


def base(kernel: Kernel) -> bytes:
    """What every guest of a kernel has: busybox, the agent, and /modules, the kernel's own."""
    processor = kernel.flavour.processor
    return archive(
        {
            "/init": HERE / "rootfs" / "init",
            "/bin/busybox": debian_program(processor, "busybox", "busybox-static"),
            "/bin/agent": program(processor, [HERE / "agent.c"]),
            **{f"/modules/{file.name}": file for file in kernel.modules.values()},
        },
        console=True,
    )
