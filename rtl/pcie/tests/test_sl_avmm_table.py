# SPDX-License-Identifier: Apache-2.0
"""sl_avmm_table: tables as published drivers fill them and random ones, through random stalls; done words, interrupts,
requests while it runs, past the table's end and beyond its room; errors and resets, after which it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cocotb
import pytest
from avmm import (
    BASE_HI,
    BASE_LO,
    CONTROL,
    DESC_BYTES,
    DONE,
    E_FETCH,
    E_INDEX,
    E_LENGTH,
    E_OVERRUN,
    E_POINTER,
    E_READ,
    E_WORD,
    E_WRITE,
    ERROR,
    FIFO_HI,
    FIFO_LO,
    HOST_BYTES,
    LAST_PTR,
    MOST,
    NOTHING,
    SLOT,
    ST_BUSY,
    ST_FULL,
    ST_IRQ,
    TABLE_SIZE,
    WORDS_BYTES,
    Bench,
    Table,
    Transfer,
    ext,
)
from cocotb.triggers import Lock

from tb import FULL, run, swept
from tb.axi import DECERR, OKAY, SLVERR

MANY = 10_000  # descriptors each way through a table; a tenth in the gate
CONFIGURATIONS = [
    {"DataWidth": 256, "BufferBeats": 128},
    {"DataWidth": 64, "BufferBeats": 128, "MaxBurst": 32},
    swept({"DataWidth": 128, "BufferBeats": 256}),
    swept({"DataWidth": 512, "BufferBeats": 128, "MaxBurst": 8}),
]
REFUSED = [
    ({"DataWidth": 32}, "DataWidth must be a power of two in 64..512, is 32"),
    ({"DataWidth": 96}, "DataWidth must be a power of two in 64..512, is 96"),
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: str(c["DataWidth"]))
def test_sl_avmm_table(config: dict[str, Any]) -> None:
    run("sl_avmm_table", config)


@pytest.mark.parametrize(("config", "message"), REFUSED)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_avmm_table", config, expect_build_error=message)


async def transfer(table: Table, items: list[Transfer]) -> None:
    """Requested at once; every byte of the targets looked at when the last one is done."""
    image = table.targets()
    table.apply(image, items)
    places = await table.request(items)
    await table.ended(places)
    assert table.targets() == image, str(table)
    assert all(table.word(place) == DONE for place in places)


@cocotb.test()
async def registers(dut: Any) -> None:
    """The published registers and no others; what they hold after reset; the extension, off."""
    bench = Bench(dut, "registers")
    await bench.begin()
    for table in bench.tables:
        assert await table.get(LAST_PTR) == NOTHING
        assert await table.get(TABLE_SIZE) == MOST - 1
        assert await table.get(CONTROL) == 0
        values = {BASE_LO: 0x89ABCDE0, BASE_HI: 0x12345, FIFO_LO: 0x80002000, FIFO_HI: 3, TABLE_SIZE: 9, CONTROL: 1}
        for offset, value in values.items():
            await table.put(offset, value)
        for offset, value in values.items():
            assert await table.get(offset) == value
        for offset in range(0x1C, 0x100, 4):
            assert await table.get(offset) == 0
        assert await table.get_ext(ext.CAPABILITY_OFFSET) == 0x534C4301
        assert await table.get_ext(ext.CONTROL_OFFSET) == 0
        assert await table.get_ext(ext.STATUS_OFFSET) == 10 << 8
        for name in ("ERROR", "FAILED", "VECTOR", "COMPLETED", "ERRORS", "BYTES_LO", "BYTES_HI"):
            assert await table.get_ext(getattr(ext, f"{name}_OFFSET")) == 0, name
    for at in (0x200, 0x800, 0xF00, 0x1200, 0x1F00):
        assert (await bench.bus.read_resp(at))[1] == DECERR
        assert await bench.bus.write_resp(at, 1) == DECERR


@cocotb.test()
async def whole_tables(dut: Any) -> None:
    """128 descriptors each way at once, of random lengths, by one write of LAST_PTR; the same value once more; then
    small tables, each of its own TABLE_SIZE, as a published driver has it."""
    bench = Bench(dut, "whole", busy=0.1)
    await bench.begin()
    for table in bench.tables:
        await table.setup()
    for turn in range(2):
        images, places = {}, {}
        for table in bench.tables:
            items = [table.transfer(slot) for slot in range(MOST)]
            images[table] = table.targets()
            table.apply(images[table], items)
            places[table] = await table.request(items)
            assert await table.get(LAST_PTR) == MOST - 1
        for table in bench.tables:
            await table.ended(places[table])
            assert table.targets() == images[table], f"{table} {turn}"
            await table.idle()
            assert await table.get_ext(ext.COMPLETED_OFFSET) == MOST * (turn + 1)
    for table in bench.tables:
        for count in (5, 3, 1, 1, 40):
            await table.setup(count)
            await transfer(table, [table.transfer(slot) for slot in range(count)])
            await table.idle()
        # A table that ends before the place that would come next begins with 0.
        await table.setup(40)
        await transfer(table, [table.transfer(slot) for slot in range(10)])
        await table.idle()
        await table.setup(5)
        await transfer(table, [table.transfer(slot) for slot in range(5)])
        await table.idle()


@cocotb.test()
async def bytes_and_dwords(dut: Any) -> None:
    """With the extension any length and address; without it whole dwords, and the extension's word is not looked
    at."""
    bench = Bench(dut, "bytes", busy=0.1)
    await bench.begin()
    for table in bench.tables:
        await table.setup(exact=True)
        items = [table.transfer(slot) for slot in range(MOST)]
        await transfer(table, items)
        await table.idle()
        assert await table.get_ext(ext.BYTES_LO_OFFSET) == sum(item.size for item in items)
        assert await table.get_ext(ext.BYTES_HI_OFFSET) == 0
        # A length of 0 there: that in dwords.
        place = table.next()[0]
        item = table.transfer(0, exact=False)
        image = table.targets()
        table.apply(image, [item])
        table.fill(place, item)
        at = table.base + WORDS_BYTES + DESC_BYTES * place
        bench.put(at + 0x10, (item.size // 4 | place << 18).to_bytes(4, "little") + bytes(4))
        await table.ring(place)
        await table.ended([place])
        assert table.targets() == image
        await table.idle()
        await table.put_ext(ext.CONTROL_OFFSET, 0)
        table.exact = False
        items = [table.transfer(slot) for slot in range(20)]
        image = table.targets()
        table.apply(image, items)
        crooked = [replace(item, src=item.src | bench.rng.randrange(4), dst=item.dst | 3) for item in items]
        places = await table.request(crooked)
        await table.ended(places)
        assert table.targets() == image
        await table.idle()


@cocotb.test()
async def last_alone(dut: Any) -> None:
    """CONTROL.DONE 0: a done word and an interrupt for each write of LAST_PTR, none for the others; the
    specification's example of 63 and 127. CONTROL.DONE 1: no more interrupts than that."""
    bench = Bench(dut, "last", busy=0.1)
    await bench.begin()
    for number, table in enumerate(bench.tables):
        await table.put_ext(ext.VECTOR_OFFSET, 5 + number)
        for each in (0, 1):
            await table.setup(done=each)
            bench.vectors.clear()
            items = [table.transfer(slot) for slot in range(MOST)]
            image = table.targets()
            table.apply(image, items)
            for place, item in enumerate(items):
                table.fill(place, item)
            await table.ring(63)
            await table.ring(127)
            await table.ended([63])
            await table.ended([127])
            assert table.targets() == image
            await bench.wait(50)
            words = [place for place in range(MOST) if table.word(place)]
            assert words == ([63, 127] if not each else list(range(MOST)))
            assert bench.vectors == [5 + number] * 2
            await table.idle()
        # What the requests before it ended with ends none now.
        await table.setup(done=0)
        bench.vectors.clear()
        await table.request(items)
        await table.ended([127])
        await table.idle()
        await bench.wait(50)
        assert [place for place in range(MOST) if table.word(place)] == [127]
        assert bench.vectors == [5 + number]


@cocotb.test()
async def indexes(dut: Any) -> None:
    """A done word is where the descriptor's index says, which need not be its place."""
    bench = Bench(dut, "indexes")
    await bench.begin()
    for table in bench.tables:
        await table.setup(60)
        indexes = bench.rng.sample(range(60), 40)
        items = [replace(table.transfer(slot), index=index) for slot, index in enumerate(indexes)]
        image = table.targets()
        table.apply(image, items)
        for place in range(60):
            bench.put(table.base + 4 * place, bytes(4))
        await table.request(items)
        await table.idle()
        assert table.targets() == image
        assert [place for place in range(60) if table.word(place)] == sorted(indexes)


@cocotb.test()
async def fetches(dut: Any) -> None:
    """Descriptors are read ahead, sixteen at a time, and no byte of another."""
    bench = Bench(dut, "fetches", host_latency=200)
    await bench.begin()
    for table in bench.tables:
        await table.setup(100)
        await table.request([table.transfer(slot) for slot in range(30)])
        await table.ended(range(30))
        await table.idle()
        bench.host.log.reads.clear()
        places = await table.request([table.transfer(slot) for slot in range(80)])
        await table.ended(places)
        await table.idle()
        first = table.base + WORDS_BYTES
        reads = [b for b in bench.host.log.reads if first <= b.addr + bench.beat_bytes - 1 and b.addr < first + 4096]
        got = sum(b.beats for b in reads) * bench.beat_bytes
        whole = 80 * DESC_BYTES + (6 * 2 * bench.beat_bytes if bench.beat_bytes > DESC_BYTES else 0)
        assert 80 * DESC_BYTES <= got <= whole
        bursts = max(1, 512 // (int(bench.config.get("MaxBurst", 16)) * bench.beat_bytes))
        assert len(reads) <= (6 + 2) * max(bursts, 2)
        early = sum(b.beats for b in reads if b.edge < reads[0].edge + 200) * bench.beat_bytes
        assert early > 16 * DESC_BYTES, "more than one read is asked for before the first answer"


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """A vector comes when its done word is there, INTx when it may, and none is lost while vectors wait."""
    bench = Bench(dut, "interrupts", busy=0.1, refusing_vectors=0.6)
    await bench.begin()
    for number, table in enumerate(bench.tables):
        await table.setup(control=ext.CONTROL_INTX_MASK if number else 0)
        await table.put_ext(ext.VECTOR_OFFSET, 30 + number)
        for _ in range(20):
            bench.vectors.clear()
            (place,) = await table.request([table.transfer(0)])
            while not bench.vectors:
                await bench.edge
            assert bench.vectors == [30 + number] and table.word(place) == DONE
        assert int(dut.intx_o.value) == number
        assert await table.get_ext(ext.STATUS_OFFSET) & ST_IRQ
        await table.put_ext(ext.STATUS_OFFSET, ST_IRQ)
        assert not await table.get_ext(ext.STATUS_OFFSET) & ST_IRQ
        assert int(dut.intx_o.value) == 0
    # Both at once, one descriptor a request: the last vector of each comes after its last word.
    bench.vectors.clear()
    bench._refuse = lambda: True
    for turn in range(10):
        for table in bench.tables:
            await table.request([table.transfer(turn)])
    for table in bench.tables:
        await table.idle()
    assert not bench.vectors
    bench._refuse = lambda: False
    await bench.wait(20)
    assert sorted(set(bench.vectors)) == [30, 31] and len(bench.vectors) <= 4


@cocotb.test()
async def waiting(dut: Any) -> None:
    """Requests beyond the table's room wait, in order, and are all carried out; those beyond the queue are refused, and
    told of, as are those beyond the table."""
    bench = Bench(dut, "waiting", host_latency=100)
    await bench.begin()
    for table in bench.tables:
        size = bench.rng.randint(4, 20)
        await table.setup(size)
        items = [table.transfer(slot) for slot in range(size)]
        image = table.targets()
        table.apply(image, items)
        memory, base, _ = table.target
        await table.request(items)
        assert await table.get_ext(ext.STATUS_OFFSET) >> 8 == 0
        before = bytes(memory.written)
        laps = 1
        for _ in range(6):
            await table.ring(size - 1)
            laps += 1
        status = await table.get_ext(ext.STATUS_OFFSET)
        assert status & (ST_BUSY | ST_FULL) == ST_BUSY | ST_FULL and 0 < status >> 3 & 31 <= 6
        await table.idle()
        assert await table.get_ext(ext.COMPLETED_OFFSET) == laps * size
        assert await table.get_ext(ext.ERROR_OFFSET) == 0
        assert table.targets() == image
        for item in items:
            at = item.dst - base
            assert memory.written[at] - before[at] in (laps - 1, laps), "each was carried out once a lap"
        # Beyond the table.
        await table.put(LAST_PTR, size)
        await table.put(LAST_PTR, 0xFF)
        assert await table.get(LAST_PTR) == size - 1
        assert await table.get_ext(ext.ERROR_OFFSET) == E_POINTER
        await table.put_ext(ext.ERROR_OFFSET, E_POINTER)
        assert await table.get_ext(ext.ERROR_OFFSET) == 0
        # Beyond the queue: the host does not answer meanwhile.
        usual, bench.host.read_latency = bench.host.read_latency, 3000
        for place in range(size):
            table.fill(place, items[place])
        await table.ring(size - 1)
        for _ in range(17):
            await table.ring(size - 1)
        assert await table.get(LAST_PTR) == size - 1
        assert await table.get_ext(ext.ERROR_OFFSET) == E_OVERRUN
        assert await table.get_ext(ext.STATUS_OFFSET) >> 3 & 31 == 16
        bench.host.read_latency = usual
        await table.idle()
        assert await table.get_ext(ext.COMPLETED_OFFSET) == (laps + 17) * size
        assert table.targets() == image
        await table.put_ext(ext.ERROR_OFFSET, E_OVERRUN)
        free = await table.get_ext(ext.STATUS_OFFSET) >> 8
        assert free == size


def spoiled(table: Table, item: Transfer, cause: int) -> Transfer:
    """The same, made to fail for this cause."""
    if cause == E_LENGTH:
        return replace(item, size=0, cause=cause)
    if cause == E_INDEX:
        return replace(item, index=table.bench.rng.randrange(table.size, MOST), cause=cause)
    if cause == E_READ:
        return replace(item, src=table.bad_source(), cause=cause)
    if cause == E_WRITE:
        return replace(item, dst=table.bad_target(), cause=cause)
    return item


def check_ended(table: Table, image: bytearray, places: list[int], items: list[Transfer]) -> None:
    """Words and data of those that have ended, with error words."""
    for place, item in zip(places, items, strict=True):
        expected = DONE if not item.cause else ERROR | item.cause << 8
        assert table.word(place) == expected, f"{table} {place} {item}: {table.word(place):#x}"
        if item.cause in (E_READ, E_WRITE):
            table.copy_back(image, item)
        elif not item.cause:
            table.apply(image, [item])
    assert table.targets() == image, str(table)


@cocotb.test()
async def errors(dut: Any) -> None:
    """Each kind is told by its bit, in the word where software wants that, and touches no other descriptor."""
    bench = Bench(dut, "errors", busy=0.1)
    await bench.begin()
    for table in bench.tables:
        for words in (0, ext.CONTROL_ERROR_WORDS_MASK):
            for cause in (E_LENGTH, E_INDEX, E_READ, E_WRITE):
                await table.reset()
                await table.setup(50, control=words, exact=cause == E_LENGTH and bool(words))
                items = [table.transfer(slot) for slot in range(20)]
                bad = bench.rng.randrange(20)
                items[bad] = spoiled(table, items[bad], cause)
                image = table.targets()
                places = await table.request(items)
                await table.idle()
                if not words:
                    assert table.word(bad) == 0
                    table.fill(bad, items[bad])
                    bench.put(table.base + 4 * bad, (ERROR | cause << 8).to_bytes(4, "little"))
                check_ended(table, image, places, items)
                assert await table.get_ext(ext.ERROR_OFFSET) == cause
                assert await table.get_ext(ext.FAILED_OFFSET) == bad
                assert await table.get_ext(ext.COMPLETED_OFFSET) == 19
                assert await table.get_ext(ext.ERRORS_OFFSET) == 1
                good = sum(item.size for item in items if not item.cause)
                assert await table.get_ext(ext.BYTES_LO_OFFSET) == good
                await table.put_ext(ext.ERROR_OFFSET, cause)
                await transfer(table, [table.transfer(slot) for slot in range(20)])
                await table.idle()
                assert await table.get_ext(ext.ERROR_OFFSET) == 0


@cocotb.test()
async def words_answered_last(dut: Any) -> None:
    """Data is answered while status words are not: no answer to data waits for them."""
    bench = Bench(dut, "words")
    await bench.begin()
    bench.host.held_ids = frozenset(ident for ident in range(8) if ident >> 1 == 1)
    for table in bench.tables:
        await table.setup()
        (_, from_base, from_at), (_, to_base, to_at) = table.source, table.target
        for place in table.next(MOST):
            table.fill(place, Transfer(from_base + from_at + 64 * place, to_base + to_at + SLOT * place, 64))
    for table in bench.tables:
        await table.ring(MOST - 1)
    await bench.wait(3000)
    assert all(burst.ident in bench.host.held_ids for burst in bench.host.responses)
    bench.host.held_ids = frozenset()
    for table in bench.tables:
        await table.ended(range(MOST))
        await table.idle()


@cocotb.test()
async def smaller_for_a_moment(dut: Any) -> None:
    """A table that becomes smaller and larger again between two requests goes on at its place."""
    bench = Bench(dut, "smaller")
    await bench.begin()
    table = bench.read
    await table.setup()
    for place in range(MOST):
        table.fill(place, table.transfer(place))
    await table.ring(99)
    await table.ended(range(100))
    await table.idle()
    for place in range(MOST):
        bench.put(table.base + 4 * place, bytes(4))
    await table.put(TABLE_SIZE, 9)
    await table.put(TABLE_SIZE, MOST - 1)
    assert await table.get(LAST_PTR) == 99
    await table.ring(105)
    await table.ended(range(100, 106))
    await table.idle()
    assert [place for place in range(MOST) if table.word(place)] == list(range(100, 106))


@cocotb.test()
async def bad_fetches(dut: Any) -> None:
    """A fetch that fails marks what it brought; a status word that cannot be written is told of."""
    bench = Bench(dut, "fetch_errors", busy=0.1)
    await bench.begin()
    for table in bench.tables:
        await table.reset()
        await table.setup(control=ext.CONTROL_ERROR_WORDS_MASK)
        for answer in (SLVERR, DECERR):
            first = table.next()[0]
            bad = table.next(40)[bench.rng.randrange(40)]
            at = table.base + WORDS_BYTES + DESC_BYTES * bad

            def fails(write: bool, beat: int, at: int = at, answer: int = answer) -> int:
                return answer if not write and beat < at + DESC_BYTES and at < beat + bench.beat_bytes else OKAY

            bench.host_error = fails
            image = table.targets()
            items = [table.transfer(slot) for slot in range(40)]
            places = await table.request(items)
            await table.ended(places)
            await table.idle()
            bench.host_error = lambda write, beat: OKAY
            wrong = [place for place in places if table.word(place) != DONE]
            # A beat of 512 bits may be of two reads, of 16 descriptors each.
            assert bad in wrong and len(wrong) <= 16 * max(1, bench.beat_bytes // DESC_BYTES), f"{first} {bad} {wrong}"
            assert all(table.word(place) == ERROR | E_FETCH << 8 for place in wrong)
            table.apply(image, [item for place, item in zip(places, items, strict=True) if place not in wrong])
            assert table.targets() == image
            assert await table.get_ext(ext.ERROR_OFFSET) == E_FETCH
            assert await table.get_ext(ext.FAILED_OFFSET) == wrong[-1]
            await table.put_ext(ext.ERROR_OFFSET, E_FETCH)
        count = await table.get_ext(ext.COMPLETED_OFFSET)
        places = table.next(10)
        at = table.base + 4 * places[4]
        bench.host_error = lambda write, beat, at=at: SLVERR if write and beat <= at < beat + bench.beat_bytes else OKAY
        image = table.targets()
        items = [table.transfer(slot) for slot in range(10)]
        table.apply(image, items)
        await table.request(items)
        await table.idle()
        bench.host_error = lambda write, beat: OKAY
        assert table.targets() == image
        assert table.word(places[4]) == 0
        lost = sum(
            4 * place + table.base in range(at - at % bench.beat_bytes, at - at % bench.beat_bytes + bench.beat_bytes)
            for place in places
        )
        assert await table.get_ext(ext.ERROR_OFFSET) == E_WORD
        assert await table.get_ext(ext.COMPLETED_OFFSET) == count + 10 - lost
        await table.put_ext(ext.ERROR_OFFSET, E_WORD)
        await transfer(table, [table.transfer(slot) for slot in range(10)])


@cocotb.test()
async def resets(dut: Any) -> None:
    """A reset at any moment ends in time, on a bus that checks its rules; its registers are as after power-on; nothing
    is written after it; the other direction does not notice."""
    bench = Bench(dut, "resets", busy=0.1)
    await bench.begin()
    for table in bench.tables:
        other = bench.read if table.write else bench.write
        await other.reset()
        await other.setup()
        for turn in range(8):
            await table.setup(MOST, exact=bool(turn % 2), control=ext.CONTROL_ERROR_WORDS_MASK)
            await table.put_ext(ext.VECTOR_OFFSET, 3)
            for place in range(MOST):
                table.fill(place, table.transfer(place))
            await table.ring(4)
            await table.ring(MOST - 1)
            beside = [other.transfer(slot) for slot in range(60)]
            image = other.targets()
            other.apply(image, beside)
            places = await other.request(beside)
            await bench.wait(bench.rng.randrange(600) if turn else 0)
            begun = bench.cycles.now
            await table.reset()
            assert bench.cycles.now - begun < 1500
            words = bench.get(table.base, 4 * MOST)
            after = table.targets()
            assert await table.get(LAST_PTR) == NOTHING
            assert await table.get(TABLE_SIZE) == MOST - 1 and await table.get(BASE_LO) == 0
            for name in ("CONTROL", "ERROR", "VECTOR", "COMPLETED", "ERRORS", "BYTES_LO"):
                assert await table.get_ext(getattr(ext, f"{name}_OFFSET")) == 0, name
            assert await table.get_ext(ext.STATUS_OFFSET) == MOST << 8
            await other.ended(places)
            assert other.targets() == image
            await bench.wait(100)
            assert table.targets() == after and bench.get(table.base, 4 * MOST) == words
            await table.setup(MOST, control=ext.CONTROL_ERROR_WORDS_MASK)
            await table.put_ext(ext.VECTOR_OFFSET, 9)
            bench.vectors.clear()
            await transfer(table, [table.transfer(slot) for slot in range(10)])
            await table.idle()
            await bench.wait(50)
            assert bench.vectors == [9], "nothing of what was requested before is left"


@cocotb.test()
async def late_answers(dut: Any) -> None:
    """A reset waits for the answers of status words, so that none is taken for a later one's."""
    bench = Bench(dut, "late")
    await bench.begin()
    for table in bench.tables:
        await table.setup()
        for turn in range(4):
            bench.host.write_latency = 500
            places = await table.request([table.transfer(slot) for slot in range(6)])
            await table.ended(places[:1])
            await bench.wait(40 * turn)
            assert bench.host.open_writes
            await table.reset()
            assert not bench.host.open_writes
            bench.host.write_latency = 30
            await table.setup()
            await transfer(table, [table.transfer(slot) for slot in range(10)])
            await table.idle()


@cocotb.test()
async def longest(dut: Any) -> None:
    """The longest length in dwords, and one in bytes that is longer. By wide buses: it takes long."""
    bench = Bench(dut, "longest")
    await bench.begin()
    if bench.beat_bytes < 32:
        return
    most, more = 4 * ((1 << 18) - 1), 1_100_001
    room = 1 << 21
    for memory in (bench.host, bench.card):
        memory.error = lambda write, at: OKAY
        memory.memory += bench.rng.randbytes(2 * room)
        memory.written += bytes(2 * room)
    for table in bench.tables:
        for exact, size in ((False, most), (True, more)):
            await table.reset()
            await table.setup(exact=exact)
            (source, from_base, _), (target, to_base, _) = table.source, table.target
            src, dst = HOST_BYTES + 4, HOST_BYTES + room + 8
            places = await table.request([Transfer(from_base + src, to_base + dst, size)])
            await bench.wait(size // bench.beat_bytes)
            await table.ended(places)
            assert target.memory[dst : dst + size] == source.memory[src : src + size], f"{table} {size}"
            await table.idle()
            assert await table.get_ext(ext.BYTES_LO_OFFSET) == size


@cocotb.test()
async def some_words(dut: Any) -> None:
    """Done words for all or for those that LAST_PTR was written with, error words or none, several requests, some
    descriptors fail: words, counters and interrupts are what a model says."""
    bench = Bench(dut, "some_words", busy=0.2, host_latency=15)
    await bench.begin()
    rng = bench.rng
    for turn in range(60 if FULL else 15):
        for table in bench.tables:
            await table.reset()
            size, each, errors = rng.choice((2, 5, 17, 40, MOST)), rng.randrange(2), rng.randrange(2)
            await table.setup(size, done=each, control=ext.CONTROL_ERROR_WORDS_MASK if errors else 0)
            await table.put_ext(ext.VECTOR_OFFSET, 11)
            bench.vectors.clear()
            items = []
            for place in range(size):
                items.append(table.transfer(place, most=200))
                if rng.random() < 0.15:
                    items[place] = spoiled(table, items[place], rng.choice((E_LENGTH, E_READ, E_WRITE)))
                table.fill(place, items[place])
            lasts = sorted({rng.randrange(size) for _ in range(rng.randint(0, 4))} | {size - 1})
            for place in lasts:
                await table.ring(place)
                await bench.wait(rng.choice((0, rng.randrange(100))))
            await table.idle()
            await bench.wait(4)
            for place, item in enumerate(items):
                expected = ERROR | item.cause << 8 if item.cause else DONE
                has_word = errors if item.cause else each or place in lasts
                assert table.word(place) == (expected if has_word else 0), f"{turn} {table} {place} {item}"
            good = [item.size for item in items if not item.cause]
            counts = [await table.get_ext(at) for at in (ext.COMPLETED_OFFSET, ext.ERRORS_OFFSET, ext.BYTES_LO_OFFSET)]
            assert counts == [len(good), size - len(good), sum(good)]
            assert 1 <= len(bench.vectors) <= len(lasts) and set(bench.vectors) == {11}


@cocotb.test()
async def reset_drops_interrupts(dut: Any) -> None:
    """A vector that waits behind the other direction's is gone with a reset; the other's is not."""
    bench = Bench(dut, "drops")
    await bench.begin()
    for table, other in (bench.tables, bench.tables[::-1]):
        for item, vector in ((table, 3), (other, 7)):
            await item.reset()
            await item.setup()
            await item.put_ext(ext.VECTOR_OFFSET, vector)
        bench._refuse = lambda: True
        bench.vectors.clear()
        for item in (other, table):
            await transfer(item, [item.transfer(0)])
            await item.idle()
        await table.reset()
        await table.put_ext(ext.VECTOR_OFFSET, 4)
        bench._refuse = lambda: False
        await bench.wait(20)
        assert bench.vectors == [7]


class Driver:
    """Keeps a table busy: fills places whose descriptor has ended, requests some of them at a time while others run,
    has the whole table carried out again now and then, lets some fail, resets."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rng = table.bench.rng
        self.image = table.targets()
        self.outstanding: list[tuple[int, Transfer]] = []
        self.total = 0  # that have ended
        self.good = 0  # of them since the reset
        self.again = 0  # carried out once more
        self.resets = 0

    async def setup(self) -> None:
        size = self.rng.choice((MOST, MOST, 100, 33, 7))
        await self.table.setup(size, exact=self.rng.random() < 0.5, control=ext.CONTROL_ERROR_WORDS_MASK)
        self.good = 0

    def some(self, place: int) -> Transfer:
        table = self.table
        item = table.transfer(place)
        if self.rng.random() < 0.03:
            causes = [E_LENGTH, E_READ, E_WRITE] + ([E_INDEX] if table.size < MOST else [])
            item = spoiled(table, item, self.rng.choice(causes))
        return item

    def collect(self) -> None:
        """Looks at those that have ended, in whatever order."""
        table = self.table
        left = []
        for place, item in self.outstanding:
            word = table.word(place)
            if not word:
                left.append((place, item))
                continue
            assert word == (DONE if not item.cause else ERROR | item.cause << 8), f"{table} {place} {item}: {word:#x}"
            memory, _, at = table.target
            if item.cause in (E_READ, E_WRITE):
                table.copy_back(self.image, item)
            elif not item.cause:
                table.apply(self.image, [item])
                self.good += 1
            part = slice(place * SLOT, (place + 1) * SLOT)
            assert memory.memory[at + part.start : at + part.stop] == self.image[part], f"{table} {place} {item}"
            self.total += 1
        self.outstanding = left

    async def lap(self) -> None:
        """The whole table once or more again, without waiting for room."""
        table = self.table
        while self.outstanding:
            self.collect()
            await table.bench.wait(10)
        await table.idle()
        items = [table.transfer(place) for place in range(table.size)]
        for place, item in enumerate(items):
            table.fill(place, item)
        table.apply(self.image, items)
        laps = self.rng.randint(2, 4)
        for _ in range(laps):
            await table.ring(table.last)
        await table.idle()
        self.good += laps * table.size
        self.again += laps * table.size
        assert await table.get_ext(ext.COMPLETED_OFFSET) == self.good
        assert table.targets() == self.image

    async def reset(self) -> None:
        table = self.table
        await table.reset()
        for place, item in self.outstanding:
            if table.word(place) == DONE:
                table.apply(self.image, [item])
            else:
                table.copy_back(self.image, item)
        assert table.targets() == self.image
        self.outstanding = []
        self.resets += 1
        await self.setup()

    async def run(self, count: int) -> None:
        table = self.table
        await self.setup()
        while self.total + self.again < count:
            self.collect()
            room = table.size - len(self.outstanding)
            dice = self.rng.random()
            if dice < 0.002:
                await self.reset()
            elif dice < 0.006:
                await self.lap()
            elif room:
                items = []
                for place in table.next(self.rng.randint(1, room)):
                    # Done words come in order here; a driver must not rely on it.
                    if any(place == used for used, _ in self.outstanding):
                        break
                    items.append(self.some(place))
                if items:
                    places = await table.request(items)
                    self.outstanding += zip(places, items, strict=True)
            if self.rng.random() < 0.3:
                await table.bench.wait(self.rng.choice((1, 5, 50)))
        while self.outstanding:
            self.collect()
            await table.bench.wait(10)
        await table.idle()
        assert table.targets() == self.image
        assert await table.get_ext(ext.COMPLETED_OFFSET) == self.good


@cocotb.test()
async def many(dut: Any) -> None:
    """MANY, or a tenth of that, through each table at once, with waiting, errors and resets at random moments."""
    bench = Bench(dut, "many", busy=0.1)
    await bench.begin()
    count = MANY if FULL else MANY // 10
    drivers = [Driver(table) for table in bench.tables]
    # One register access at a time: the drivers take turns on the bus.
    lock = Lock()
    read, write = bench.bus.read, bench.bus.write

    async def locked_read(addr: int) -> int:
        async with lock:
            return await read(addr)

    async def locked_write(addr: int, data: int, strobe: int = 0xF) -> None:
        async with lock:
            await write(addr, data, strobe)

    bench.bus.read, bench.bus.write = locked_read, locked_write  # type: ignore[method-assign]
    tasks = [cocotb.start_soon(driver.run(count)) for driver in drivers]
    for task in tasks:
        await task
    dut._log.warning("many: %s", [(d.total, d.again, d.resets) for d in drivers])
    assert any(driver.resets for driver in drivers) or count < MANY
    assert bench.vectors
