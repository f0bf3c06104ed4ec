# SPDX-License-Identifier: Apache-2.0
"""`make gpu-test`: what libsluice-cuda does with this machine's GPU, as sentences and as JSON.

Without CUDA or a GPU it prints "skipped: " and the reason, and exits with 0. `--stub` runs it on
the test double of libcuda; its rates say nothing about a GPU and are not judged.
"""

from __future__ import annotations

import argparse
import dataclasses
import errno
import faulthandler
import functools
import importlib
import json
import os
import select
import statistics
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_pipeline import Pipeline
from gpu_reference import COPIES, Reference
from sluice import conditions, save
from sluice.cuda import Gpu, gpu_count, open_gpu
from sluice.errors import InputError, RunError, SluiceError
from sluice.paths import repository
from sluice.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.cuda import GpuMemory

LEAST_SHARE = 0.98  # of nvbandwidth's rate
LEAST_PIPELINED = 0.9  # of the slower half; the first and the last chunk have no other beside them
LARGEST = 32 << 20
PATIENCE_S = 60.0
HANG_S = (
    300.0  # after which a check is ended, with the place where it hung, and the program with it
)
SAMPLES = 5
# What a card on Gen3 x8 writes and reads, MB/s: the forecast of the link's model.
CARD_WRITES, CARD_READS = 7182.0, 5915.0


class SkippedError(Exception):
    """A check that this machine cannot do, and why."""


class WrongError(Exception):
    """What a check found."""


@dataclass
class Report:
    """Everything that is kept."""

    format: int = 1
    kind: str = "gpu-test"
    stub: bool = False  # true: on the test double, no GPU
    complete: bool = False  # false: it was ended before its last check
    gpu: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    commit: str | None = None
    checks: list[dict[str, str]] = field(default_factory=list)
    copies: list[dict[str, Any]] = field(default_factory=list)
    rates: list[dict[str, Any]] = field(default_factory=list)
    pipelines: list[dict[str, Any]] = field(default_factory=list)


class Test:
    """The checks, on one GPU."""

    def __init__(self, gpu: Gpu, seed: int, file: Path | None) -> None:
        self.gpu = gpu
        self.file = file
        self.random = np.random.default_rng(seed)
        self.report = Report(
            stub=gpu.info.stub,
            gpu={
                **dataclasses.asdict(gpu.info),
                "driver_version": driver_version(),
                "link": link(gpu.info.pci),
            },
            machine=conditions.machine().model_dump(),
            commit=conditions.commit(),
        )

    def check(self, name: str, body: Callable[[], str]) -> None:
        """Do one check, and say how it ended."""
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        try:
            status, text = "passed", body()
        except SkippedError as why:
            status, text = "skipped", str(why)
        except WrongError as why:
            status, text = "failed", str(why)
        except OSError as error:
            status, text = "failed", error.strerror or str(error)
        except Exception as error:  # noqa: BLE001 - of another library; the next check still runs
            status, text = "failed", f"{type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        self.report.checks.append({"name": name, "status": status, "text": text})
        print(f"{status:8}{name}: {text}", flush=True)
        self.save()

    def save(self) -> None:
        """Write the results so far, which a check that hangs does not cost."""
        if self.file is not None:
            text = json.dumps(dataclasses.asdict(self.report), indent=2) + "\n"
            save.write(self.file, text.encode())

    def failed(self) -> int:
        """Return how many checks failed."""
        return sum(check["status"] == "failed" for check in self.report.checks)

    # ---- memory

    def dma_buf(self) -> str:
        """Export memory of the GPU."""
        if not self.gpu.info.dma_buf:
            raise SkippedError(
                "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0; NVIDIA's open kernel modules are "
                "needed"
            )
        with self.gpu.memory(LARGEST) as memory:
            fd = memory.dma_buf()
            try:
                exporter = exporter_of(fd)
                size = os.lseek(fd, 0, os.SEEK_END)
            finally:
                os.close(fd)
        if size != LARGEST:
            raise WrongError(f"{LARGEST} bytes of the GPU are a dma-buf of {size}")
        return f"{format_bytes(size)} exported by {exporter}"

    def udmabuf(self) -> str:
        """Export host memory that the GPU reaches."""
        with self.gpu.host(LARGEST) as host:
            try:
                fd = host.dma_buf()
            except OSError as error:
                if error.errno not in {errno.ENOTSUP, errno.EACCES}:
                    raise
                raise SkippedError(error.strerror) from error
            os.close(fd)
        return f"{format_bytes(LARGEST)} of host memory, registered and exported"

    def registration(self) -> str:
        """Register memory of the program, and give it back."""
        data = self.random.integers(0, 256, (1 << 20) + 3, np.uint8)
        with self.gpu.memory(len(data)) as memory, self.gpu.host(len(data)) as back:
            for _ in range(3):
                with self.gpu.register(data) as host, self.gpu.stream() as stream:
                    stream.copy(host, memory)
                    stream.copy(memory, back)
                    stream.synchronize()
                if not np.array_equal(back.array(), data):
                    raise WrongError("what came back from the GPU is not what was sent")
        return f"{len(data)} bytes of the program, three times"

    def consumers(self) -> str:
        """Give memory to PyTorch or CuPy, if one is there with CUDA."""
        if self.gpu.info.stub:
            raise SkippedError("the test double has no GPU memory")
        done = []
        consumers: tuple[tuple[str, Callable[[Any, GpuMemory], Any]], ...] = (
            ("torch", lambda torch, memory: torch.from_dlpack(memory).cpu().numpy()),
            ("cupy", lambda cupy, memory: cupy.asnumpy(cupy.asarray(memory))),
        )
        for name, take in consumers:
            try:
                library = importlib.import_module(name)
            except ImportError:
                continue
            if not library.cuda.is_available():
                continue
            with self.gpu.memory(4096) as memory, self.gpu.host(4096) as host:
                host.array()[:] = self.random.integers(0, 256, 4096, np.uint8)
                with self.gpu.stream() as stream:
                    stream.copy(host, memory)
                    stream.synchronize()
                if not np.array_equal(take(library, memory), host.array()):
                    raise WrongError(f"{name} does not see what is in the memory")
            done.append(name)
        if not done:
            raise SkippedError("neither torch nor cupy is installed with CUDA")
        return f"{', '.join(done)} read the memory without a copy"

    # ---- copies

    def copies(self) -> str:
        """Copy 4 B to 32 MiB both ways, and compare each byte."""
        source, sink = self.gpu.host(LARGEST), self.gpu.host(LARGEST)
        memory = self.gpu.memory(LARGEST)
        source.array()[:] = self.random.integers(0, 256, LARGEST, np.uint8)
        nbytes = 4
        with self.gpu.stream() as stream:
            while nbytes <= LARGEST:
                sink.array()[:nbytes] = ~source.array()[:nbytes]
                stream.copy(source, memory, nbytes=nbytes)
                stream.copy(memory, sink, nbytes=nbytes)
                stream.synchronize()
                if not np.array_equal(source.array()[:nbytes], sink.array()[:nbytes]):
                    raise WrongError(f"{nbytes} bytes came back different")
                times = {}
                for name, ends in (("HG", (source, memory)), ("GH", (memory, sink))):
                    times[name] = self._time(stream, ends, nbytes)
                self.report.copies.append({"bytes": nbytes, **times})
                nbytes *= 2
        source.free()
        sink.free()
        memory.free()
        return "4 B to 32 MiB, host to GPU and back, every byte compared"

    def _time(self, stream: Any, ends: tuple[Any, Any], nbytes: int) -> dict[str, float]:  # noqa: ANN401
        count = 20 if nbytes > 1 << 20 else 100
        first, last = self.gpu.event(), self.gpu.event()
        first.record(stream)
        for _ in range(count):
            stream.copy(*ends, nbytes=nbytes)
        last.record(stream)
        stream.synchronize()
        queued_ns = max(first.ns_until(last), 1)
        first.close()
        last.close()
        each_ns = []
        for _ in range(count):
            begun = time.perf_counter_ns()
            stream.copy(*ends, nbytes=nbytes)
            stream.synchronize()
            each_ns.append(time.perf_counter_ns() - begun)
        return {
            "queued_mb_s": count * nbytes * 1e3 / queued_ns,  # one after another
            "single_us": statistics.median(each_ns) / 1e3,  # from the call until it has ended
        }

    def wrong_byte(self) -> str:
        """See that the comparison finds one byte that differs."""
        nbytes = 1 << 20
        at = int(self.random.integers(0, nbytes))
        with (
            self.gpu.host(nbytes) as source,
            self.gpu.host(nbytes) as sink,
            self.gpu.memory(nbytes) as memory,
            self.gpu.stream() as stream,
        ):
            source.array()[:] = self.random.integers(0, 256, nbytes, np.uint8)
            source.array()[at] ^= 0x10
            stream.copy(source, memory)
            stream.copy(memory, sink)
            stream.synchronize()
            source.array()[at] ^= 0x10
            found = np.flatnonzero(source.array() != sink.array()).tolist()
        if found != [at]:
            raise WrongError(f"byte {at} was wrong, and the comparison found {found[:8]}")
        return f"byte {at} of {nbytes} was made wrong, and found"

    # ---- order

    def order(self) -> str:
        """Have a stream wait for a descriptor, and a descriptor for the stream."""
        arrived, there = os.eventfd(0, os.EFD_CLOEXEC), os.eventfd(0, os.EFD_CLOEXEC)
        source, sink, memory = self.gpu.host(4096), self.gpu.host(4096), self.gpu.memory(4096)
        try:
            with self.gpu.stream() as stream:
                for value in range(1, 101):
                    stream.wait(arrived, take=True)
                    stream.copy(source, memory)
                    stream.copy(memory, sink)
                    stream.signal(there)
                    if stream.idle():
                        raise WrongError("the stream did not wait for the descriptor")
                    source.array()[:] = value  # after the copies were queued
                    os.eventfd_write(arrived, 1)
                    if not select.select([there], [], [], PATIENCE_S)[0]:
                        raise WrongError(f"the stream's signal did not come in {PATIENCE_S} s")
                    os.eventfd_read(there)
                    if np.any(sink.array() != value):
                        raise WrongError("the copy ran before the descriptor was readable")
                stream.synchronize()
        finally:
            os.close(arrived)
            os.close(there)
        where = "on the GPU" if self.gpu.info.gpu_waits else "in host functions"
        return f"100 rounds, the stream waiting {where}"

    def crossed(self) -> str:
        """Have one stream's wait end by another stream's signal."""
        if not self.gpu.info.gpu_waits:
            raise SkippedError("this driver's streams wait in host functions, which may block it")
        event, there = os.eventfd(0, os.EFD_CLOEXEC), os.eventfd(0, os.EFD_CLOEXEC)
        try:
            with self.gpu.stream() as waits, self.gpu.stream() as signals:
                waits.wait(event)
                waits.signal(there)
                signals.signal(event)
                if not select.select([there], [], [], PATIENCE_S)[0]:
                    raise WrongError(f"no signal in {PATIENCE_S} s: the streams block each other")
        finally:
            os.close(event)
            os.close(there)
        return "a stream's signal ended another stream's wait"

    # ---- rates

    def rates(self) -> str:
        """Compare with nvbandwidth's loop, sample by sample in turn."""
        nbytes = (8 << 20) if self.gpu.info.stub else (512 << 20)
        found: dict[tuple[str, str], list[float]]
        found = {(way, who): [] for way in ("HG", "GH") for who in ("ours", "nvbandwidth")}
        with (
            Reference(self.gpu.index, nbytes) as reference,
            self.gpu.host(nbytes) as host,
            self.gpu.memory(nbytes) as memory,
            self.gpu.stream() as stream,
        ):
            host.array()[:] = 0x5A
            for sample in range(SAMPLES + 1):
                for way, ends in (("HG", (host, memory)), ("GH", (memory, host))):
                    theirs = reference.sample_mb_s(to_gpu=way == "HG")
                    ours = self._sample_mb_s(stream, ends, nbytes)
                    if sample:  # the first warms up
                        found[way, "nvbandwidth"].append(theirs)
                        found[way, "ours"].append(ours)
        slow = []
        for way in ("HG", "GH"):
            ours, theirs = (statistics.median(found[way, who]) for who in ("ours", "nvbandwidth"))
            self.report.rates.append(
                {
                    "path": way,
                    "bytes": nbytes,
                    "copies": COPIES,
                    "mb_s": ours,
                    "nvbandwidth_mb_s": theirs,
                    "share": ours / theirs,
                    "samples_mb_s": found[way, "ours"],
                    "nvbandwidth_samples_mb_s": found[way, "nvbandwidth"],
                }
            )
            if ours / theirs < LEAST_SHARE:
                slow.append(way)
        text = ", ".join(
            f"{rate['path']} {rate['mb_s']:.0f} MB/s, {rate['share']:.1%} of nvbandwidth's loop"
            for rate in self.report.rates
        )
        return self._judged(text, not slow)

    def _sample_mb_s(self, stream: Any, ends: tuple[Any, Any], nbytes: int) -> float:  # noqa: ANN401
        first, last = self.gpu.event(), self.gpu.event()
        first.record(stream)
        for _ in range(COPIES):
            stream.copy(*ends, nbytes=nbytes)
        last.record(stream)
        stream.synchronize()
        elapsed_ns = first.ns_until(last)
        first.close()
        last.close()
        return COPIES * nbytes * 1e3 / elapsed_ns

    def pipeline(self) -> str:
        """Move chunks between a paced half and the GPU."""
        scale = 0.1 if self.gpu.info.stub else 1.0  # a host's copies are no GPU's
        slow, wrong, shares = False, 0, []
        for chunk in (256 << 10, 1 << 20, 4 << 20):
            pipeline = Pipeline(self.gpu, chunk, 8)
            for to_gpu, paced in ((True, CARD_WRITES * scale), (False, CARD_READS * scale)):
                for chunks in (1, 2, 8):
                    run = pipeline.run(chunks, paced, to_gpu=to_gpu)
                    self.report.pipelines.append(dataclasses.asdict(run))
                    wrong += run.wrong_chunks
                    if chunks > 2 and chunk >= 1 << 20:  # noqa: PLR2004 - a ring, and few calls
                        slow = slow or run.share < LEAST_PIPELINED
                        shares.append(run.share)
            pipeline.close()
        if wrong:
            raise WrongError(f"{wrong} chunks did not arrive as they left")
        return self._judged(
            f"8 chunks of 1 MiB and more: {min(shares):.1%} to {max(shares):.1%} of the slower "
            "half",
            not slow,
        )

    def _judged(self, text: str, good: bool) -> str:  # noqa: FBT001 - what was found
        if self.gpu.info.stub:
            return f"{text} (stub: not judged)"
        if not good:
            raise WrongError(f"{text}, which is too slow")
        return text


def driver_version() -> str | None:
    """Return the version of NVIDIA's kernel driver."""
    with suppress(OSError):
        return Path("/sys/module/nvidia/version").read_text(encoding="utf-8").strip()
    with suppress(OSError, IndexError):
        words = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8").split()
        return next((word for word in words if word.count(".") and word[0].isdigit()), None)
    return None


def link(pci: str) -> dict[str, str]:
    """Return what the GPU's link to the host is."""
    found = {}
    for name in ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"):
        with suppress(OSError):
            path = Path("/sys/bus/pci/devices") / pci / name
            found[name] = path.read_text(encoding="utf-8").strip()
    return found


def exporter_of(fd: int) -> str:
    """Return who exports a dma-buf, as the kernel calls it."""
    with suppress(OSError):
        for line in Path(f"/proc/self/fdinfo/{fd}").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name == "exp_name":
                return value.strip()
    return "an exporter without a name"


def use_stub() -> None:
    """Take the test double for libcuda."""
    root = repository()
    library = (root or Path()) / "build" / "release" / "lib" / "cuda" / "libcuda-stub.so"
    if not library.is_file():
        sys.exit(f"gpu-test: {library}, the test double, is not built; build it with `make build`")
    os.environ["SLUICE_LIBCUDA"] = str(library)


def opened(index: int, *, stub: bool) -> Gpu | None:
    """Open a GPU, or the test double's. None: this machine has none, which was printed."""
    try:
        return open_gpu(index)
    except ValueError as error:
        raise InputError(f"--gpu: {error}") from error
    except OSError as error:
        no_cuda = isinstance(error, FileNotFoundError) and not stub
        if no_cuda or (error.errno == errno.ENODEV and gpu_count() == 0):
            print(f"skipped: {error.strerror}")
            return None
        raise RunError(error.strerror) from error


def main() -> int:
    """Run the checks; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", type=int, default=0, metavar="N", help="which GPU; default: 0")
    parser.add_argument("--stub", action="store_true", help="use the test double of libcuda")
    parser.add_argument(
        "--only", choices=CHECKS, metavar="CHECK", help=f"one of: {', '.join(CHECKS)}"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    arguments = parser.parse_args()
    try:
        if arguments.json:
            save.check_writable(Path(arguments.json))
        if arguments.stub:
            use_stub()
        gpu = opened(arguments.gpu, stub=arguments.stub)
    except SluiceError as error:
        print(f"gpu-test: {error}", file=sys.stderr)
        return error.exit_status
    if gpu is None:
        return 0
    info = gpu.info
    driver = driver_version()  # the stub has none
    version = f", driver {driver}" if driver else ""
    print(f"{info.name}, {info.pci}, CUDA {info.cuda_version}{version}")
    file = Path(arguments.json) if arguments.json else None
    test = Test(gpu, int(os.environ.get("SEED") or "1", 0), file)
    for name, method in CHECKS.items():
        if arguments.only in {None, name}:
            test.check(name, functools.partial(method, test))
    test.report.complete = arguments.only is None
    test.save()
    if file is not None:
        print(f"written to {file}")
    return 1 if test.failed() else 0


CHECKS = {
    "dma-buf": Test.dma_buf,
    "udmabuf": Test.udmabuf,
    "registration": Test.registration,
    "copies": Test.copies,
    "wrong byte": Test.wrong_byte,
    "order": Test.order,
    "two streams": Test.crossed,
    "consumers": Test.consumers,
    "rates": Test.rates,
    "pipeline": Test.pipeline,
}

if __name__ == "__main__":
    sys.exit(main())
