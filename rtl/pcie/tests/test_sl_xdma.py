# SPDX-License-Identifier: Apache-2.0
"""sl_xdma, memory-mapped: chains as AMD's and Linux's drivers write them and random ones, through random
stalls; completion, counts, interrupts, credits; errors, stops and resets, after which it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cocotb
import pytest
from xdma import (
    BUSY,
    CARD_BASE,
    COMPLETED,
    DESC_BYTES,
    DESC_DEC,
    DESC_SLV,
    DONE,
    HOST_BASE,
    POLL_WB,
    READ_DEC,
    READ_SLV,
    RUN,
    ST_COMPLETED,
    ST_IDLE,
    ST_LENGTH,
    ST_MAGIC,
    ST_STOPPED,
    STOP,
    WRITE_DEC,
    WRITE_SLV,
    Bench,
    Channel,
    Descriptor,
    ending,
    regs,
    sgdma,
    top,
)

from tb import FULL, run, swept
from tb.axi import DECERR, OKAY, SLVERR

from sluice_regs import sl_xdma_common as common  # isort: skip
from sluice_regs import sl_xdma_config as config  # isort: skip
from sluice_regs import sl_xdma_irq as irq  # isort: skip


ONE = {"NumH2c": 1, "NumC2h": 1, "BufferBeats": 128, "ResetTimeout": 4000}
CONFIGURATIONS = [
    ONE | {"DataWidth": 256},
    ONE | {"NumH2c": 2, "NumC2h": 3, "DataWidth": 64},
    swept(ONE | {"DataWidth": 512, "MaxBurst": 8, "DescDepth": 32}),
]
REFUSED = [
    ({"NumH2c": 5}, "NumH2c must be 1..4, is 5"),
    ({"NumC2h": 0}, "NumC2h must be 1..4, is 0"),
    ({"DataWidth": 32}, "DataWidth must be a power of two in 64..512, is 32"),
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['NumH2c']}+{c['NumC2h']}-{c['DataWidth']}")
def test_sl_xdma(config: dict[str, Any]) -> None:
    run("sl_xdma", config)


@pytest.mark.parametrize(("config", "message"), REFUSED)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_xdma", config, expect_build_error=message)


async def transfer(bench: Bench, item: Channel, todo: list[Descriptor], control: int = 0) -> None:
    """A chain from its start to its end, every byte of the target's memory looked at."""
    chain = bench.chain(todo)
    image = bench.expected(item, todo)
    await item.begin(*chain, control)
    assert await item.stopped() == DONE, str(item)
    assert await item.completed() == len(todo)
    assert bench.target(item).memory == image, str(item)
    await item.end()


async def reset_of(bench: Bench, item: Channel) -> None:
    """Resets one channel, and waits until it has ended."""
    at = top.CONFIG_OFFSET + config.RESET_OFFSET
    await bench.bus.write(at, item.mask)
    while await bench.bus.read(at):
        pass


async def stopped_early(
    bench: Bench, item: Channel, todo: list[Descriptor], source: bytes, image: bytearray, when: str
) -> int:
    """After RUN was cleared: how many descriptors were completed. The target is as `image` with these, no others."""
    status, done = await item.stopped(), await item.completed()
    assert status & (ST_STOPPED if done == len(todo) else ST_IDLE), f"{item}, {when}: {status:#x}"
    bench.copy(item, image, source, todo[:done])
    assert bench.target(item).memory == image, f"{item}, {when}"
    return done


@cocotb.test()
async def registers(dut: Any) -> None:
    """Identities as AMD's driver looks for them, set and clear registers, what is not built."""
    bench = Bench(dut, "registers")
    dut.cfg_bdf_i.value = 0x0300
    dut.cfg_max_payload_i.value = 1
    dut.cfg_max_read_request_i.value = 2
    dut.cfg_msix_i.value = 1
    await bench.begin()
    for item in bench.channels:
        target = int(item.c2h)
        assert await item.read(0) == 0x1FC00006 | target << 16 | item.number << 8
        assert await bench.bus.read(item.sgdma) == 0x1FC00006 | (4 + target) << 16 | item.number << 8
        assert await item.read(regs.ALIGNMENTS_OFFSET) == 0x010140
        await item.write(regs.CONTROL_OFFSET, 0x04F83E7E)
        await item.write(regs.CONTROL_W1S_OFFSET, 0x08000000)
        await item.write(regs.CONTROL_W1C_OFFSET, 0x00000002)
        assert await item.read(regs.CONTROL_OFFSET) == 0x0CF83E7C
        await item.write(regs.IRQ_MASK_OFFSET, 0x00F0000E)
        await item.write(regs.IRQ_MASK_W1S_OFFSET, 0x10)
        await item.write(regs.IRQ_MASK_W1C_OFFSET, 0x00F00002)
        assert await item.read(regs.IRQ_MASK_OFFSET) == 0x1C
        assert await item.status() == 0
    assert await bench.bus.read(top.IRQ_OFFSET) == 0x1FC20006
    assert await bench.bus.read(top.COMMON_OFFSET) == 0x1FC60006
    assert await bench.bus.read(top.CONFIG_OFFSET) == 0x1FC30006
    width = {64: 0, 128: 1, 256: 2, 512: 3}[int(bench.config["DataWidth"])]
    words = {"BUSDEV": 0x300, "MAX_PAYLOAD": 1, "MAX_READ_REQUEST": 2, "MSI_ENABLE": 2, "DATA_WIDTH": width}
    for name, value in words.items():
        assert await bench.bus.read(top.CONFIG_OFFSET + getattr(config, f"{name}_OFFSET")) == value, name
    for number in range(4):
        for at, built in ((top.h2c, bench.h2c), (top.c2h, bench.c2h)):
            expected = OKAY if number < len(built) else DECERR
            assert (await bench.bus.read_resp(at(number)))[1] == expected


@cocotb.test()
async def all_at_once(dut: Any) -> None:
    """Random chains on all channels at once, through stalls: every byte whose source nobody wrote meanwhile."""
    bench = Bench(dut, "all_at_once", busy=0.2)
    await bench.begin()
    work = []
    for items in (bench.h2c, bench.c2h):
        for n, item in enumerate(items):
            todo = ending(bench.copies(bench.rng.choice((1, 2, 30, 90)), item.c2h, n, len(items)))
            work.append((item, todo, bench.chain(todo)))
    images = {item: bench.expected(item, todo) for item, todo, _ in work}
    for item, _, chain in work:
        await item.begin(*chain)
    for item, todo, _ in work:
        assert await item.stopped() == DONE
        assert await item.completed() == len(todo)
    for item, todo, _ in work:
        written = [(d.dst, d.dst + d.size) for other, its, _ in work if other.c2h != item.c2h for d in its]
        for d in todo:
            if not any(d.src < end and at < d.src + d.size for at, end in written):
                at = d.dst - (HOST_BASE if item.c2h else CARD_BASE)
                assert bench.target(item).memory[at : at + d.size] == images[item][at : at + d.size], f"{item} {d}"


@cocotb.test()
async def one_at_a_time(dut: Any) -> None:
    """The whole of the target's memory is what the copies make of it."""
    bench = Bench(dut, "one_at_a_time", busy=0.1)
    await bench.begin()
    for item in bench.channels:
        for count in (40, 1, 3):
            bench.room_used = 0
            await transfer(bench, item, ending(bench.copies(count, item.c2h, most=3000)))


@cocotb.test()
async def blocks_of_drivers(dut: Any) -> None:
    """AMD's blocks, where each descriptor says what is adjacent, and Linux's, where only the last one of 32 does."""
    bench = Bench(dut, "drivers")
    await bench.begin()
    item = bench.h2c[0]
    for most, garble in ((64, False), (32, True)):
        bench.room_used = 0
        todo = ending(bench.copies(150, False))
        blocks = [min(most, len(todo) - at) for at in range(0, len(todo), most)]
        chain = bench.chain(todo, blocks, garble)
        image = bench.expected(item, todo)
        await item.begin(*chain)
        assert await item.stopped() == DONE
        assert bench.card.memory == image and await item.completed() == len(todo)
        await item.end()


@cocotb.test()
async def stop_inside_a_block(dut: Any) -> None:
    """Nothing behind a descriptor with STOP is carried out, though it was fetched with it."""
    bench = Bench(dut, "inside")
    await bench.begin()
    for item in bench.channels:
        bench.room_used = 0
        todo = bench.copies(20, item.c2h)
        todo[:8] = ending(todo[:8])
        chain = bench.chain(todo, [20])
        image = bench.expected(item, todo[:8])
        await item.begin(*chain)
        assert await item.stopped() == DONE
        assert await item.completed() == 8
        assert bench.target(item).memory == image
        await item.end()


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """The channel's vector, once an end, as AMD's handler takes it; a masked one comes when it may; the user's."""
    bench = Bench(dut, "interrupts", refusing_vectors=0.5)
    await bench.begin()
    base = top.IRQ_OFFSET
    for n, item in enumerate(bench.channels):
        vector = 3 + n
        register = base + (irq.CHANNEL_VECTOR0_OFFSET, irq.CHANNEL_VECTOR1_OFFSET)[n // 4]
        await bench.bus.write(register, vector << 8 * (n % 4), 1 << n % 4)
        await item.write(regs.IRQ_MASK_OFFSET, 0x00FFFE7E)
        await bench.bus.write(base + irq.CHANNEL_ENABLE_W1S_OFFSET, 1 << n)
        for _ in range(3):
            bench.room_used = 0
            await item.begin(*bench.chain(ending(bench.copies(3, item.c2h))))
            await bench.vector(vector)
            assert await bench.bus.read(base + irq.CHANNEL_REQUEST_OFFSET) == 1 << n
            await bench.bus.write(base + irq.CHANNEL_ENABLE_W1C_OFFSET, 1 << n)
            assert await bench.bus.read(base + irq.CHANNEL_PENDING_OFFSET) == 0
            assert await item.read(regs.STATUS_RC_OFFSET) == DONE, "what it tells of has happened"
            await item.end()
            await bench.bus.write(base + irq.CHANNEL_ENABLE_W1S_OFFSET, 1 << n)
        await bench.bus.write(base + irq.CHANNEL_ENABLE_W1C_OFFSET, 1 << n)
        bench.room_used = 0
        await item.begin(*bench.chain(ending(bench.copies(1, item.c2h))))
        while await item.status() & BUSY:
            pass
        await bench.wait(50)
        assert not bench.vectors
        await bench.bus.write(base + irq.CHANNEL_ENABLE_W1S_OFFSET, 1 << n)
        await bench.vector(vector)
        await item.read(regs.STATUS_RC_OFFSET)
        await item.end()
    await bench.bus.write(base + irq.USER_VECTOR0_OFFSET, 17)
    dut.user_irq_i.value = 0xFFFF
    assert await bench.bus.read(base + irq.USER_REQUEST_OFFSET) == 1, "one is built"
    await bench.bus.write(base + irq.USER_ENABLE_OFFSET, 0xFFFF)
    await bench.vector(17)
    assert int(dut.intx_o.value) == 1
    dut.user_irq_i.value = 0
    await bench.wait(20)
    assert not bench.vectors and int(dut.intx_o.value) == 0


async def acknowledged(bench: Bench, item: Channel, chain: tuple[int, int], by_reading: bool, delay: int) -> bool:
    """What has happened `delay` cycles after the first vector is acknowledged; says whether more was left."""
    await item.begin(*chain)
    await bench.vector(0)
    await bench.wait(delay)
    if by_reading:
        seen = await item.read(regs.STATUS_RC_OFFSET)
    else:
        seen = await item.status()
        await item.write(regs.STATUS_OFFSET, seen)
    assert seen & (BUSY | ST_STOPPED) in (BUSY, ST_STOPPED), f"{item}, {delay} cycles: {seen:#x}"
    await bench.wait(150)
    left = await item.status()
    assert not left & BUSY
    assert (seen | left) & ST_STOPPED, f"{item}, {delay} cycles: the end was not told"
    assert len(bench.vectors) == bool(left), f"{item}, {delay} cycles: {left:#x}, {bench.vectors}"
    bench.vectors.clear()
    await item.end()
    return bool(left)


@cocotb.test()
async def vectors_again(dut: Any) -> None:
    """What happens while software acknowledges what happened before, at any cycle: it was read, or a vector comes."""
    bench = Bench(dut, "again")
    await bench.begin()
    base = top.IRQ_OFFSET
    await bench.bus.write(base + irq.CHANNEL_ENABLE_OFFSET, 0xFF)
    for item in (bench.h2c[0], bench.c2h[0]):
        await item.write(regs.IRQ_MASK_OFFSET, 0x00FFFE7E)
        near, far = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
        bench.room_used = 0
        size = 16 * bench.beat_bytes
        todo = [Descriptor(near, far, size, COMPLETED), Descriptor(near, far, size, STOP | COMPLETED)]
        chain = bench.chain(todo, [2])
        for by_reading in (True, False):
            # Each cycle around the one from which on nothing is left.
            end = 0
            while await acknowledged(bench, item, chain, by_reading, end):
                end += 8
                assert end < 80, "the end of the chain was not met"
            assert end, "the end of the chain came before the first delay"
            for delay in range(80) if FULL else range(end - 8, end + 8):
                await acknowledged(bench, item, chain, by_reading, delay)


@cocotb.test()
async def polling(dut: Any) -> None:
    """The count is written where software waits for it, after the data, with each COMPLETED; with bit 31 at an
    error."""
    bench = Bench(dut, "polling", busy=0.1)
    await bench.begin()
    for item in bench.channels:
        bench.room_used = 0
        where = bench.room(DESC_BYTES)
        bench.put(where, bytes(4) + b"\xa5" * 4)
        await item.poll_at(where)
        todo = bench.copies(20, item.c2h)
        todo[7] = Descriptor(todo[7].src, todo[7].dst, todo[7].size, COMPLETED)
        todo = ending(todo)
        chain = bench.chain(todo)
        image = bench.expected(item, todo)
        await item.begin(*chain, POLL_WB)
        seen = [0]
        while seen[-1] != len(todo):
            await bench.edge
            count = int.from_bytes(bench.get(where, 4), "little")
            if count != seen[-1]:
                seen.append(count)
        assert seen == [0, 8, 20]
        if item.c2h:
            image[where - HOST_BASE : where - HOST_BASE + 4] = bench.get(where, 4)
        assert bench.target(item).memory == image, "the count came before the data"
        assert await item.stopped() == DONE
        await item.end()

        broken = ending(bench.copies(5, item.c2h))
        broken[3] = Descriptor(broken[3].src, broken[3].dst, 0)
        await item.begin(*bench.chain(broken), POLL_WB)
        assert await item.stopped() == ST_LENGTH
        assert int.from_bytes(bench.get(where, 4), "little") == 1 << 31 | 3
        assert bench.get(where + 4, 4) == b"\xa5" * 4
        await item.end()


@cocotb.test()
async def events_follow_counts(dut: Any) -> None:
    """Where counts are written back, the vector of a COMPLETED comes when its count is in the host's memory."""
    bench = Bench(dut, "events_follow_counts", host_latency=100)
    await bench.begin()
    await bench.bus.write(top.IRQ_OFFSET + irq.CHANNEL_ENABLE_OFFSET, 0xFF)
    for item in bench.channels:
        bench.room_used = 0
        where = bench.room(DESC_BYTES)
        await item.poll_at(where)
        await item.write(regs.IRQ_MASK_OFFSET, 0x00FFFE7E)
        near, far = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
        # The second one gives software time to take the event of the first.
        size = min(1800 * bench.beat_bytes, 60_000)
        todo = [Descriptor(near, far, 64, COMPLETED), Descriptor(near, far, size, STOP | COMPLETED)]
        chain = bench.chain(todo)
        for _ in range(3):
            bench.put(where, bytes(4))
            await item.begin(*chain, POLL_WB)
            for count, status in ((1, BUSY | ST_COMPLETED), (2, DONE)):
                await bench.vector(0)
                assert int.from_bytes(bench.get(where, 4), "little") == count, str(item)
                assert await item.read(regs.STATUS_RC_OFFSET) == status, str(item)
            await item.end()


@cocotb.test()
async def fails_polled(dut: Any) -> None:
    """Once the count tells of an error, STATUS says of which one, and a restart at once takes effect."""
    latency = 100
    bench = Bench(dut, "fails_polled", host_latency=latency)
    await bench.begin()
    for item in bench.channels:
        for patient in (True, False):
            bench.room_used = 0
            where = bench.room(DESC_BYTES)
            bench.put(where, bytes(4))
            await item.poll_at(where)
            source, side = bench.source(item), "card_error" if item.c2h else "host_error"
            usual = source.read_latency
            near, far = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
            todo = ending([Descriptor(near + 64 * n, far + 64 * n, 64) for n in range(24)])
            bad = range(near + 64 * 3, near + 64 * 4)

            def fails_slowly(write: bool, beat: int, source: Any = source, bad: range = bad) -> int:
                if write or beat not in bad:
                    return OKAY
                source.read_latency = 1000
                return SLVERR

            setattr(bench, side, fails_slowly)
            await item.begin(*bench.chain(todo), POLL_WB)
            for _ in range(5000):
                await bench.edge
                if bench.get(where, 4) != bytes(4):
                    break
            assert int.from_bytes(bench.get(where, 4), "little") == 1 << 31 | 3, str(item)
            if patient:
                await bench.wait(latency + 20)
                assert await item.read(regs.STATUS_RC_OFFSET) == READ_SLV, str(item)
            await item.end()
            setattr(bench, side, lambda write, beat: OKAY)
            more = ending(bench.copies(5, item.c2h))
            await item.begin(*bench.chain(more), POLL_WB)
            source.read_latency = usual
            await bench.wait(3000)
            assert int.from_bytes(bench.get(where, 4), "little") == 5, str(item)
            assert await item.stopped() == DONE
            await item.end()


async def fails(bench: Bench, item: Channel, kind: int) -> None:
    """A chain of which one descriptor ends by an error of this kind; then one that does not."""
    bench.room_used = 0
    count = 24
    todo = ending(bench.copies(count, item.c2h, most=600))
    bad = bench.rng.randrange(1, count)
    at = todo[bad]
    if kind in (ST_MAGIC, ST_LENGTH):
        size = 0 if kind == ST_LENGTH else at.size
        todo[bad] = Descriptor(at.src, at.dst, size, at.flags, 0xAD4B if kind == ST_LENGTH else 0xAD4A)
    chain = bench.chain(todo, [bad, count - bad])
    second = range(HOST_BASE + MIDDLE + bench.room_used - DESC_BYTES * (count - bad), 1 << 60)
    answer = SLVERR if kind in (READ_SLV, WRITE_SLV, DESC_SLV) else DECERR

    def meets(beat: int, start: int, size: int) -> bool:
        return beat < start + size and start < beat + bench.beat_bytes

    def reads(write: bool, beat: int) -> int:
        return answer if not write and meets(beat, at.src, at.size) else OKAY

    def writes(write: bool, beat: int) -> int:
        return answer if write and meets(beat, at.dst, at.size) else OKAY

    def fetches(write: bool, beat: int) -> int:
        return answer if not write and beat + bench.beat_bytes > second.start else OKAY

    side, other = ("card_error", "host_error") if item.c2h else ("host_error", "card_error")
    if kind in (READ_SLV, READ_DEC):
        setattr(bench, side, reads)
    elif kind in (WRITE_SLV, WRITE_DEC):
        setattr(bench, other, writes)
    elif kind in (DESC_SLV, DESC_DEC):
        bench.host_error = fetches
    source, image = bytes(bench.source(item).memory), bytearray(bench.target(item).memory)
    await item.begin(*chain)
    status = await item.stopped()
    bench.host_error = bench.card_error = lambda write, beat: OKAY
    done = await item.completed()
    # A beat of data or a read of descriptors may be a neighbour's, too.
    assert status & kind and not status & (DONE | ST_IDLE), f"{item}: {status:#x}, not {kind:#x}"
    assert done == bad if kind in (ST_MAGIC, ST_LENGTH) else done <= bad
    bench.copy(item, image, source, todo[:done])
    for d in todo[:done]:
        where = d.dst - (HOST_BASE if item.c2h else CARD_BASE)
        assert bench.target(item).memory[where : where + d.size] == image[where : where + d.size]
    await item.end()
    await transfer(bench, item, ending(bench.copies(5, item.c2h)))


MIDDLE = 1 << 17  # of the host's memory: descriptors from here


@cocotb.test()
async def errors(dut: Any) -> None:
    """Each kind is told by its bit; what stood before it was done; the channel then works."""
    bench = Bench(dut, "errors", busy=0.1)
    await bench.begin()
    for item in bench.channels:
        for kind in (ST_MAGIC, ST_LENGTH, READ_SLV, READ_DEC, WRITE_SLV, WRITE_DEC, DESC_SLV, DESC_DEC):
            await fails(bench, item, kind)


@cocotb.test()
async def failed_reads_are_not_written(dut: Any) -> None:
    """A read that fails at any beat: the descriptors before it are whole, its own target has at most the bytes before
    that beat, and nothing is written behind; slow targets too, with all in the movers' buffers."""
    bench = Bench(dut, "not_written", busy=0.1)
    await bench.begin()
    whole = set()
    for item in bench.channels:
        source, target = bench.source(item), bench.target(item)
        for turn in range(20 if FULL else 8):
            bench.room_used = 0
            todo = ending(bench.copies(20, item.c2h, most=2500 if turn % 2 else 100))
            number = bench.rng.randrange(len(todo))
            bad = todo[number]
            at = bench.rng.randrange(bad.src, bad.src + bad.size) & -bench.beat_bytes
            chain = bench.chain(todo, [len(todo)])
            # Data of other descriptors that the same beat has would fail, too.
            first = next(n for n, d in enumerate(todo) if d.src < at + bench.beat_bytes and at < d.src + d.size)
            bad = todo[first]
            image, content = bytearray(target.memory), bytes(source.memory)

            def fails(write: bool, beat: int, at: int = at) -> int:
                return SLVERR if not write and beat == at else OKAY

            setattr(bench, "card_error" if item.c2h else "host_error", fails)
            await item.begin(*chain)
            if turn % 4 > 1:
                await bench.wait(bench.rng.randrange(100))
                bench.silent.add(target)
                await bench.wait(400)
                bench.silent.clear()
            assert await item.stopped() & READ_SLV, f"{item}, turn {turn}"
            bench.host_error = bench.card_error = lambda write, beat: OKAY
            assert await item.completed() == first, f"{item}, turn {turn}"
            bench.copy(item, image, content, todo[:first])
            begin = bad.dst - (HOST_BASE if item.c2h else CARD_BASE)
            good = max(0, at - bad.src)
            bench.copy(item, image, content, [Descriptor(bad.src, bad.dst, good)])
            got = bytes(target.memory)
            assert got[:begin] == image[:begin] and got[begin + good :] == image[begin + good :], f"{item}, turn {turn}"
            whole.add(got == image)
            await item.end()
            await transfer(bench, item, ending(bench.copies(3, item.c2h)))
    assert whole == {True, False}, "no bytes before the failed beat were dropped, or all were"


@cocotb.test()
async def stops(dut: Any) -> None:
    """RUN cleared at any moment: what was begun is whole, what was not is not; then the rest is run."""
    bench = Bench(dut, "stops", busy=0.1)
    await bench.begin()
    for item in bench.channels:
        for turn in range(3):
            bench.room_used = 0
            todo = ending(bench.copies(40, item.c2h))
            chain = bench.chain(todo)
            source, image = bytes(bench.source(item).memory), bytearray(bench.target(item).memory)
            await item.begin(*chain)
            await bench.wait(bench.rng.randrange(400))
            await item.end()
            done = await stopped_early(bench, item, todo, source, image, f"turn {turn}")
            if done < len(todo):
                await transfer(bench, item, todo[done:])


@cocotb.test()
async def stops_at_the_current_one(dut: Any) -> None:
    """RUN cleared while the source does not answer: of all that is being read the descriptor that comes next is
    completed, no other, and the target's memory has nothing of the others."""
    bench = Bench(dut, "current")
    await bench.begin()
    for item in bench.channels:
        source, ahead = bench.source(item), 0
        for turn in range(6 if FULL else 3):
            bench.room_used = 0
            todo = ending(bench.copies(60, item.c2h, most=64))
            chain = bench.chain(todo, [60])
            image, content = bytearray(bench.target(item).memory), bytes(source.memory)
            await item.begin(*chain)
            await bench.wait(120 + bench.rng.randrange(60))
            bench.silent.add(source)
            await bench.wait(300)
            before = await item.completed()
            ahead = max(ahead, len(source.reads))
            await item.end()
            await bench.wait(20)
            bench.silent.clear()
            done = await stopped_early(bench, item, todo, content, image, f"turn {turn}")
            assert done <= before + 1, f"{item}, turn {turn}: {before} completed, then {done}"
            if done < len(todo):
                await transfer(bench, item, todo[done:])
        assert ahead > 3, f"{item}: only {ahead} reads ahead"


@cocotb.test()
async def resets(dut: Any) -> None:
    """A reset in mid-transfer ends in time, on a bus that checks its rules; the next transfer is right, and another
    channel did not notice."""
    bench = Bench(dut, "resets", busy=0.1)
    await bench.begin()
    at = top.CONFIG_OFFSET + config.RESET_OFFSET
    for item in bench.channels:
        others = [other for other in bench.channels if other is not item]
        for turn in range(4):
            bench.room_used = 0
            other = others[turn % len(others)]
            await item.begin(*bench.chain(ending(bench.copies(60, item.c2h, most=4000))))
            await bench.wait(bench.rng.randrange(500) if turn else 0)
            beside = ending(bench.copies(30, other.c2h))
            await other.begin(*bench.chain(beside))
            await bench.bus.write(at, item.mask)
            begun = bench.cycles.now
            while await bench.bus.read(at):
                pass
            assert bench.cycles.now - begun < 1000
            assert await item.status() == 0, str(item)
            assert await item.read(regs.CONTROL_OFFSET) & RUN == 0
            assert await other.stopped() == DONE
            assert await other.completed() == len(beside)
            await other.end()
            await transfer(bench, item, ending(bench.copies(10, item.c2h)))


@cocotb.test()
async def cut_off(dut: Any) -> None:
    """A reset beside a memory that never answers ends after its limit, not before, and CUT_OFF tells; late answers harm
    nothing; the channel then fails at once, until the card's reset."""
    bench = Bench(dut, "cut_off", busy=0.1)
    await bench.begin()
    limit = int(bench.config["ResetTimeout"])
    at = top.CONFIG_OFFSET + config.RESET_OFFSET
    told = top.CONFIG_OFFSET + config.CUT_OFF_OFFSET
    met = set()
    for item in bench.channels:
        for side in ("host", "card"):
            for turn in range(3 if FULL else 2):
                memory = getattr(bench, side)
                bench.room_used = 0
                await item.poll_at(bench.room(DESC_BYTES))
                todo = [replace(d, flags=COMPLETED) for d in bench.copies(60, item.c2h, most=4000)]
                await item.begin(*bench.chain(ending(todo)), POLL_WB)
                await bench.wait(bench.rng.randrange(30, 400))
                bench.silent.add(memory)
                await bench.wait(bench.rng.randrange(300))
                await bench.bus.write(at, item.mask)
                begun = bench.cycles.now
                while await bench.bus.read(at):
                    assert bench.cycles.now - begun < 2 * limit, f"{item}, {side}, turn {turn}"
                cut = await bench.bus.read(told)
                assert cut in (0, item.mask)
                assert bool(cut) == (bench.cycles.now - begun > limit)
                met.add((side, bool(cut)))
                assert await item.status() == 0 and not await item.read(regs.CONTROL_OFFSET) & RUN
                bench.silent.clear()
                await bench.wait(500)
                if cut:
                    bench.room_used = 0
                    await item.begin(*bench.chain(ending(bench.copies(2, item.c2h))))
                    assert await item.stopped() & DESC_SLV
                    await item.end()
                    assert await bench.bus.read(told) == cut, "it stays"
                    await bench.restart()
                    assert await bench.bus.read(told) == 0
                bench.room_used = 0
                await transfer(bench, item, ending(bench.copies(3, item.c2h)))
    assert {("host", True), ("card", True)} <= met


@cocotb.test()
async def credit_mode(dut: Any) -> None:
    """No more descriptors are fetched than there are credits for; they add, are there before RUN, and end with it."""
    bench = Bench(dut, "credits")
    await bench.begin()
    for item in bench.channels:
        bench.room_used = 0
        at = item.sgdma + sgdma.CREDITS_OFFSET
        await bench.bus.write(top.COMMON_OFFSET + common.CREDIT_MODE_W1S_OFFSET, item.mask)
        todo = ending(bench.copies(50, item.c2h, most=100))
        chain = bench.chain(todo, [50])
        await item.begin(*chain)
        done = 0
        while done < 50:
            part = min(bench.rng.randint(1, 20), 50 - done)
            before = len(bench.host.log.reads)
            await bench.bus.write(at, part)
            done += part
            await bench.wait(200 + 60 * part)
            assert await item.completed() == done
            assert await bench.bus.read(at) == 0
            fetches = [b for b in bench.host.log.reads[before:] if 0 <= b.addr - chain[0] // 64 * 64 < 51 * DESC_BYTES]
            assert sum(b.beats for b in fetches) * bench.beat_bytes <= part * DESC_BYTES + 2 * len(fetches) * 64
        assert await item.stopped() == DONE
        await bench.bus.write(at, 1023)
        await bench.bus.write(at, 1023)
        assert await bench.bus.read(at) == 1023
        await item.end()
        assert await bench.bus.read(at) == 0
        await bench.bus.write(at, 3)
        await item.begin(*chain)
        await bench.wait(500)
        assert await item.completed() == 3
        await bench.bus.write(top.COMMON_OFFSET + common.CREDIT_MODE_W1C_OFFSET, item.mask)
        assert await item.stopped() == DONE
        await item.end()


@cocotb.test()
async def credits_end_with_reset(dut: Any) -> None:
    """A reset of a channel that does not run takes its credits, and not another channel's."""
    bench = Bench(dut, "credits_reset")
    await bench.begin()
    for item in bench.channels:
        await bench.bus.write(top.COMMON_OFFSET + common.CREDIT_MODE_W1S_OFFSET, item.mask)
        await bench.bus.write(item.sgdma + sgdma.CREDITS_OFFSET, 7)
    for n, item in enumerate(bench.channels):
        await reset_of(bench, item)
        left = [await bench.bus.read(other.sgdma + sgdma.CREDITS_OFFSET) for other in bench.channels]
        assert left == [0] * (n + 1) + [7] * (len(left) - n - 1)
        bench.room_used = 0
        await item.begin(*bench.chain(ending(bench.copies(2, item.c2h)), [2]))
        await bench.wait(300)
        assert await item.completed() == 0
        await bench.bus.write(item.sgdma + sgdma.CREDITS_OFFSET, 2)
        assert await item.stopped() == DONE
        await item.end()


@cocotb.test()
async def fetching_halts(dut: Any) -> None:
    """HALT holds back what is not fetched yet."""
    bench = Bench(dut, "halts")
    await bench.begin()
    for item in bench.channels:
        bench.room_used = 0
        await bench.bus.write(top.COMMON_OFFSET + common.HALT_W1S_OFFSET, item.mask)
        await item.begin(*bench.chain(ending(bench.copies(4, item.c2h))))
        await bench.wait(300)
        assert await item.completed() == 0 and await item.status() == BUSY
        await bench.bus.write(top.COMMON_OFFSET + common.HALT_W1C_OFFSET, item.mask)
        assert await item.stopped() == DONE
        await item.end()


@cocotb.test()
async def halts_while_it_runs(dut: Any) -> None:
    """HALT set and cleared at any moment of a chain, with credits or without: no fetch begins while it is set, none is
    lost, and as many descriptors are carried out as there are credits for."""
    bench = Bench(dut, "running_halts", busy=0.1)
    await bench.begin()
    for item in bench.channels:
        for credited in (False, True):
            bench.room_used = 0
            mode = common.CREDIT_MODE_W1S_OFFSET if credited else common.CREDIT_MODE_W1C_OFFSET
            await bench.bus.write(top.COMMON_OFFSET + mode, item.mask)
            todo = ending(bench.copies(100, item.c2h, most=400))
            start, (first, adjacent) = bench.room(0), bench.chain(todo, [1] * 60)
            used = range(start, bench.room(0))
            image = bench.expected(item, todo)
            await item.begin(first, adjacent)
            given = turns = 0
            while turns == 0 or await item.status() & BUSY:
                assert turns < 500, f"{item}: no end"
                turns += 1
                if credited and given < len(todo):
                    part = min(bench.rng.randint(1, 9), len(todo) - given)
                    await bench.bus.write(item.sgdma + sgdma.CREDITS_OFFSET, part)
                    given += part
                await bench.wait(bench.rng.randrange(30))
                await bench.bus.write(top.COMMON_OFFSET + common.HALT_W1S_OFFSET, item.mask)
                if bench.rng.random() < 0.5:
                    await bench.wait(200)  # the bursts of a read that had begun
                    before = len(bench.host.log.reads)
                    await bench.wait(100)
                    fetches = [b for b in bench.host.log.reads[before:] if b.addr in used]
                    assert not fetches, f"{item}: fetched in HALT"
                await bench.bus.write(top.COMMON_OFFSET + common.HALT_W1C_OFFSET, item.mask)
            assert await item.stopped() == DONE
            assert await item.completed() == len(todo)
            assert bench.target(item).memory == image, str(item)
            assert turns > 3, f"{item}: halted {turns} times"
            await item.end()


@cocotb.test()
async def ends_beside_a_fetch(dut: Any) -> None:
    """RUN cleared, or a reset, at every cycle of the time from one fetch to the next: also between a read's room being
    taken and its address. What follows is right, and has the whole of the room."""
    bench = Bench(dut, "beside")
    await bench.begin()
    for item in (bench.h2c[0], bench.c2h[0]):
        for by_reset in (False, True):
            for delay in range(60) if FULL else range(bench.rng.randrange(3), 60, 3):
                bench.room_used = 0
                todo = ending(bench.copies(40, item.c2h, most=16))
                chain = bench.chain(todo, [1] * 40)
                source, image = bytes(bench.source(item).memory), bytearray(bench.target(item).memory)
                await item.begin(*chain)
                await bench.wait(delay)
                if by_reset:
                    await reset_of(bench, item)
                    assert await item.status() == 0, f"{item}, {delay} cycles"
                else:
                    await item.end()
                    await stopped_early(bench, item, todo, source, image, f"{delay} cycles")
            await transfer(bench, item, ending(bench.copies(10, item.c2h, most=64)))


@cocotb.test()
async def counters(dut: Any) -> None:
    """Cycles and beats of a transfer; AUTO clears them when it begins and stops them at its end."""
    bench = Bench(dut, "counters")
    await bench.begin()
    for item in bench.channels:
        await item.write(regs.PERF_CONTROL_OFFSET, 2)
        for _ in range(2):
            bench.room_used = 0
            near, far = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
            chain = bench.chain([Descriptor(near, far, 64 * bench.beat_bytes, STOP)])
            await item.write(regs.PERF_CONTROL_OFFSET, 5)
            await item.begin(*chain)
            assert await item.stopped() == ST_STOPPED
            await item.end()
            assert await item.read(regs.PERF_DATA_LO_OFFSET) == 64
            assert 64 < await item.read(regs.PERF_CYCLES_LO_OFFSET) < 400
            assert await item.read(regs.PERF_CYCLES_HI_OFFSET) == await item.read(regs.PERF_DATA_HI_OFFSET) == 0
            assert await item.read(regs.PERF_CONTROL_OFFSET) == 4
