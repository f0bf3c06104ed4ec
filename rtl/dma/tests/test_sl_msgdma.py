# SPDX-License-Identifier: Apache-2.0
"""sl_msgdma register by register as Intel's guide states it, and as Linux's altera-msgdma drives
it."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from msgdma import (
    COMPLETE_IRQ,
    CONTROL,
    CT_IRQ_EN,
    CT_ON_EARLY,
    CT_ON_ERROR,
    CT_RESET,
    CT_STOP,
    CT_STOP_DESC,
    DECERR_BIT,
    EARLY_IRQ,
    END_ON_LEN,
    ERROR_IRQ,
    FILL_LEVEL,
    READ_FAILED,
    REFUSED,
    RESP_FILL_LEVEL,
    SEQ_NUM,
    SLVERR_BIT,
    ST_AT_RESET,
    ST_BUSY,
    ST_DESC_FULL,
    ST_IRQ,
    ST_ON_EARLY,
    ST_ON_ERROR,
    ST_RESP_EMPTY,
    ST_RESP_FULL,
    ST_STOPPED,
    STATUS,
    WRITE_FAILED,
    Descriptor,
)
from msgdma_bench import HALF, Bench, stop, write_all

from tb import FULL, run
from tb.axi import DECERR, OKAY, SLVERR

TIMEOUT = 1500
COPIES = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "QueueDepth": 8},
    {"DataWidth": 32, "LenWidth": 14, "BufferBeats": 128, "QueueDepth": 8, "Unaligned": 1, "ExtendedDesc": 0},
    {
        "DataWidth": 256,
        "BufferBeats": 128,
        "MaxBurst": 32,
        "QueueDepth": 16,
        "Unaligned": 1,
        "AddrWidth": 40,
        "CutThrough": 1,
    },
]
STREAMS = [
    {"DataWidth": 64, "LenWidth": 32, "BufferBeats": 512, "QueueDepth": 1024, "Packets": 1},
    {
        "DataWidth": 32,
        "LenWidth": 14,
        "BufferBeats": 128,
        "QueueDepth": 8,
        "Packets": 1,
        "Unaligned": 1,
        "CutThrough": 1,
    },
    {"DataWidth": 256, "BufferBeats": 128, "QueueDepth": 16, "Unaligned": 1, "ExtendedDesc": 0},
]
MODES = [(0, c) for c in COPIES] + [(m, c) for m in (1, 2) for c in STREAMS]
# Also that all works without responses.
RATES = {"QueueDepth": 1024, "Unaligned": 1, "CutThrough": 1, "IncludeResponse": 0}
REFUSED_PARAMETERS = [
    ({"Mode": 3}, "Mode must be 0, 1 or 2, is 3"),
    ({"LenWidth": 9}, "LenWidth must be 10..32, is 9"),
    ({"DataWidth": 48}, "DataWidth must be 32, 64, 128, 256 or 512, is 48"),
    ({"QueueDepth": 24}, "QueueDepth must be a power of two in 8..1024, is 24"),
    ({"AddrWidth": 65}, "AddrWidth must be 32..64, is 65"),
    ({"ResetTimeout": (1 << 30) + 1}, "Timeout must be 0..2^30"),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize(("mode", "config"), MODES, ids=lambda x: name(x) if isinstance(x, dict) else f"Mode={x}")
def test_sl_msgdma(mode: int, config: dict[str, Any]) -> None:
    if config not in (COPIES[0], STREAMS[0]) and not FULL:
        pytest.skip("without SLUICE_FULL")
    variant = ["msgdma_streams", "msgdma_rates"] if mode else ["test_sl_msgdma"]
    parameters = {"Mode": mode, **config, "ResetTimeout": TIMEOUT}
    run("sl_msgdma", parameters, ["msgdma_ports", *variant, "msgdma_fault"])


def test_rates() -> None:
    run("sl_msgdma", RATES, "msgdma_rates")


@pytest.mark.parametrize(
    ("config", "message"), REFUSED_PARAMETERS, ids=lambda x: name(x) if isinstance(x, dict) else ""
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_msgdma", config, expect_build_error=message)


@cocotb.test()
async def linux(dut: Any) -> None:
    """Probe, then copy after copy with one transaction in flight; transactions of several
    descriptors, of which the last interrupts; the words before control in any order."""
    bench = Bench(dut, "linux", busy=0.15)
    await bench.begin()
    dma = bench.dma
    await dma.reset()
    assert await dma.csr.read(CONTROL) == CT_ON_ERROR | CT_ON_EARLY | CT_IRQ_EN
    for _ in range(6):
        await bench.copy(bench.length())
    for _ in range(3):
        bench.fresh()
        ds = [bench.descriptor(bench.length(400), ERROR_IRQ) for _ in range(bench.rng.randint(2, 12))]
        ds[-1].control |= COMPLETE_IRQ
        for d in ds:
            await dma.submit(d)
        status = await dma.interrupt()
        assert not status & ST_BUSY
        assert await dma.responses() == [(d.length, 0) for d in ds]
        bench.check_written(ds)
    bench.fresh()
    d = bench.descriptor(100, COMPLETE_IRQ)
    words = list(enumerate(d.words(bench.extended)))
    order = words[:-1]
    bench.rng.shuffle(order)
    for n, word in [*order, words[-1]]:
        await dma.desc.write(4 * n, word)
    await dma.interrupt()
    assert await dma.responses() == [(100, 0)]
    bench.check_written([d])


@cocotb.test()
async def copies(dut: Any) -> None:
    """Random sizes and alignments through the queue, with stalls of 10 to 40 % everywhere; responses
    taken while it runs; sizes around 4 KiB and the longest."""
    for busy in (0.1, 0.25, 0.4):
        bench = Bench(dut, f"copies{busy}", busy=busy, latency=bench_latency(busy))
        if busy == 0.1:
            await bench.begin()
        else:
            bench.fresh()
        ds = [bench.descriptor(bench.length()) for _ in range(24)]
        ds += [bench.descriptor(n) for n in (1, 4095, 4096, 4097, 8200)]
        bench.rng.shuffle(ds)
        got: list[tuple[int, int]] = []

        async def collect(bench: Bench = bench, got: list[tuple[int, int]] = got, count: int = len(ds)) -> None:
            while len(got) < count:
                got += await bench.dma.responses()
                await bench.clocks(bench.rng.randrange(300))

        task = cocotb.start_soon(collect())
        for d in ds:
            await bench.dma.write(d)
        await task
        assert got == [(d.length, 0) for d in ds]
        bench.check_written(ds)
        if bench.extended:
            assert await bench.dma.csr.read(SEQ_NUM) == ds[-1].seq << 16 | ds[-1].seq
        assert await bench.dma.status() == ST_AT_RESET
        stop(bench)
    if bench.len_width >= 17:
        bench = Bench(dut, "long")
        bench.fresh()
        d = bench.descriptor(65536)
        await bench.dma.write(d)
        await bench.dma.idle()
        assert await bench.dma.responses() == [(65536, 0)]
        bench.check_written([d])


def bench_latency(busy: float) -> int:
    return int(busy * 100)


@cocotb.test()
async def queue_full(dut: Any) -> None:
    """Fill levels count up to the depth; a further GO waits without an answer, and is queued once
    there is room. Unread responses stop completion, not the ports."""
    bench = Bench(dut, "queue_full", latency=20)
    await bench.begin()
    dma = bench.dma
    await dma.csr.write(CONTROL, CT_STOP_DESC)
    ds = [bench.descriptor(64) for _ in range(bench.depth + 1)]
    for n, d in enumerate(ds[:-1]):
        assert not await dma.status() & ST_DESC_FULL
        await dma.write(d)
        assert await dma.csr.read(FILL_LEVEL) == (n + 1) * 0x10001
    assert await dma.status() & (ST_DESC_FULL | ST_BUSY | ST_STOPPED) == ST_DESC_FULL | ST_BUSY | ST_STOPPED
    task = cocotb.start_soon(dma.write(ds[-1]))
    await bench.clocks(300)
    assert not task.done() and not bench.memory.log.reads
    await dma.csr.write(CONTROL, 0)
    await task
    await dma.idle()
    assert await dma.csr.read(FILL_LEVEL) == 0
    more = [bench.descriptor(32) for _ in range(bench.depth)]
    for d in more:
        await dma.write(d)
    ds += more
    await bench.clocks(200)
    status = await dma.status()
    assert status & (ST_RESP_FULL | ST_BUSY) == ST_RESP_FULL | ST_BUSY
    assert await dma.csr.read(RESP_FILL_LEVEL) == 2 * bench.depth
    got = [await dma.response()]
    await dma.idle()
    got += await dma.responses()
    assert got == [(d.length, 0) for d in ds]
    assert await dma.response() == (0, 0) and await dma.status() & ST_RESP_EMPTY
    bench.check_written(ds)


@cocotb.test()
async def errors(dut: Any) -> None:
    """SLVERR or DECERR on any beat of either side: the response names it and claims no byte that did
    not arrive; with stop-on-error the next descriptor waits until STOP is cleared."""
    bench = Bench(dut, "errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(24):
        bench.fresh()
        d, after = bench.descriptor(bench.length(900), ERROR_IRQ), bench.descriptor(bench.length(200), COMPLETE_IRQ)
        write, resp = rng.random() < 0.5, rng.choice((SLVERR, DECERR))
        start = d.write if write else d.read
        beat = rng.randrange(start, start + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, side=write, r=resp: r if w == side and addr == at else OKAY
        count, status = await dma.transfer(d)
        assert status == (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | (WRITE_FAILED if write else READ_FAILED)
        good = max(beat - start, 0)
        assert count <= good and (write or count == good), f"{count} bytes claimed, {good} before the error"
        assert bench.memory.memory[d.write : d.write + count] == bench.data(d)[:count]
        bench.check_within([d])
        bench.memory.error = None
        assert await dma.poll(ST_STOPPED, ST_STOPPED) & (ST_ON_ERROR | ST_ON_EARLY) == ST_ON_ERROR
        bursts = len(bench.memory.log.reads)
        await dma.submit(after)
        await bench.clocks(40)
        assert len(bench.memory.log.reads) == bursts and await dma.status() & ST_BUSY
        control = await dma.csr.read(CONTROL)
        assert control & CT_STOP
        await dma.csr.write(CONTROL, control & ~CT_STOP)
        await dma.interrupt()
        assert await dma.responses() == [(after.length, 0)]
        assert not await dma.status() & (ST_ON_ERROR | ST_STOPPED)
    # Without stop-on-error the descriptors behind a failed one go on, in order.
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    bench.fresh()
    ds = [bench.descriptor(256) for _ in range(5)]
    at = ds[2].read + bench.size
    bench.memory.error = lambda w, addr: SLVERR if not w and at <= addr < at + 64 else OKAY
    ds = [d for d in ds if d is ds[2] or d.read + 256 + bench.size <= at or d.read >= at + 64]
    for d in ds:
        await dma.write(d)
    await dma.idle()
    for d, (count, status) in zip(ds, await dma.responses(), strict=True):
        assert (status == SLVERR_BIT | READ_FAILED) == (d.read + bench.size == at) and (status or count == 256)


@cocotb.test()
async def refused(dut: Any) -> None:
    """Descriptors that cannot be are answered in their place, without an access."""
    bench = Bench(dut, "refused", busy=0.1)
    await bench.begin()
    dma = bench.dma
    bad = [Descriptor(0, HALF, 0), Descriptor(0, HALF, 1 << bench.len_width), Descriptor(0, HALF, 0xFFFFFFFF)]
    if bench.extended:
        bad += [Descriptor(1 << bench.addr_width, HALF, 64), Descriptor(0, 1 << 63, 64)]
    if not bench.unaligned:
        bad += [Descriptor(1, HALF, 64), Descriptor(0, HALF + bench.size - 1, 64)]
    good = []
    for d in bad:
        d.control |= ERROR_IRQ
        good.append(bench.descriptor(bench.length(100)))
        for one in (d, good[-1]):
            await dma.write(one)
        await dma.idle()
        assert await dma.responses() == [(0, REFUSED), (good[-1].length, 0)]
    bench.check_written(good)
    await dma.write(Descriptor(0, HALF, 64, END_ON_LEN))  # no GO
    assert not await dma.status() & ST_BUSY


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Which descriptors interrupt; an event while interrupts are off is not kept."""
    bench = Bench(dut, "interrupts")
    await bench.begin()
    dma = bench.dma

    async def once(control: int, error: bool) -> int:
        bench.fresh()
        d = bench.descriptor(64, control)
        bench.memory.error = (lambda w, addr: SLVERR if w else OKAY) if error else None
        await dma.csr.write(STATUS, ST_IRQ)
        await dma.write(d)
        await dma.idle()
        await dma.responses()
        now = dma.irq()
        assert bool(await dma.status() & ST_IRQ) == bool(now)
        return now

    for enable in (0, CT_IRQ_EN):
        await dma.csr.write(CONTROL, enable)
        assert not dma.irq()
        on = int(bool(enable))
        assert await once(COMPLETE_IRQ, False) == on
        assert await once(0, False) == 0
        assert await once(ERROR_IRQ, False) == 0
        assert await once(EARLY_IRQ, False) == 0
        assert await once(ERROR_IRQ, True) == on
        assert await once(1 << 17, True) == on  # SLVERR
        assert await once(1 << 18 | 1 << 19, True) == 0  # DECERR, read failed
        assert await once(COMPLETE_IRQ, True) == on
        await dma.csr.write(STATUS, 0x1FF)
        assert dma.irq() == on
        await dma.csr.write(STATUS, ST_IRQ)
        assert dma.irq() == 0


@cocotb.test(name="stop")
async def stop_and_go(dut: Any) -> None:
    """STOP and STOP_DESC let what has begun complete, hold back the rest, and lose nothing."""
    bench = Bench(dut, "stop", busy=0.2)
    await bench.begin()
    dma = bench.dma
    for _ in range(6):
        bench.fresh()
        ds = [bench.descriptor(bench.length(600)) for _ in range(bench.depth)]
        task = cocotb.start_soon(write_all(dma, ds))
        for _ in range(3):
            await bench.clocks(bench.rng.randrange(150))
            await dma.csr.write(CONTROL, bench.rng.choice((CT_STOP, CT_STOP_DESC)))
            await dma.poll(ST_STOPPED, ST_STOPPED)
            assert bench.memory.outstanding == 0
            bursts = len(bench.memory.log.reads)
            await bench.clocks(30)
            assert len(bench.memory.log.reads) == bursts
            await dma.csr.write(CONTROL, 0)
        await task
        await dma.idle()
        assert await dma.responses() == [(d.length, 0) for d in ds]
        bench.check_written(ds)


@cocotb.test()
async def soft_reset(dut: Any) -> None:
    """A reset at any cycle: bursts end legally, nothing outside the destinations is written, queues
    and registers are as after a hard reset, and the next transfer works."""
    bench = Bench(dut, "soft_reset", busy=0.25)
    await bench.begin()
    dma = bench.dma
    for trial in range(16):
        bench.fresh()
        ds = [bench.descriptor(bench.length(900), COMPLETE_IRQ) for _ in range(bench.depth)]
        await dma.csr.write(CONTROL, CT_IRQ_EN if trial % 4 else CT_IRQ_EN | CT_STOP)
        task = cocotb.start_soon(write_all(dma, ds))
        await bench.clocks(bench.rng.randrange(900))
        await dma.csr.write(CONTROL, CT_RESET)
        await dma.poll(64, 0)
        # Software that is still writing descriptors starts the next transfer at once.
        assert bench.memory.outstanding == 0 or not task.done()
        await task
        bench.check_within(ds)
        await dma.csr.write(CONTROL, CT_RESET)
        await dma.poll(64, 0)
        assert bench.memory.outstanding == 0
        await bench.at_reset()
        assert not dma.irq()
        await dma.reset()
        await bench.copy(bench.length(300))
