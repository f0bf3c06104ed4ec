# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma in scatter-gather and cyclic mode, as PG021 states it, one behaviour a test."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from pg021 import (
    ADDRESS,
    ALL_ERRORS,
    ALL_IRQ,
    BD_BYTES,
    BD_COMPLETE,
    BD_DEC_ERR,
    BD_EOF,
    BD_INT_ERR,
    BD_LENGTH,
    BD_SLV_ERR,
    BD_SOF,
    CR_AT_RESET,
    CR_CYCLIC,
    CR_DELAY,
    CR_RESET,
    CR_RS,
    CR_THRESHOLD,
    CURDESC,
    DMACR,
    DMASR,
    LENGTH,
    SR_AT_RESET,
    SR_DEC_ERR,
    SR_DELAY,
    SR_ERR,
    SR_HALTED,
    SR_IDLE,
    SR_INT_ERR,
    SR_IOC,
    SR_SG,
    SR_SG_DEC_ERR,
    SR_SG_INT_ERR,
    SR_SG_SLV_ERR,
    SR_SLV_ERR,
    TAILDESC,
    TAILDESC_MSB,
    Channel,
    Descriptor,
)
from sg_bench import MEMORY_BYTES, SgBench, receive

from tb import run
from tb.axi import DECERR, OKAY, SLVERR
from tb.signals import reader
from tb.stalls import parameters

WHOLE = BD_SOF | BD_EOF
SG_AT_RESET = SR_AT_RESET | SR_SG
EITHER = bool(parameters().get("IncludeDirect", 0))

CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128, "IncludeSg": 1},
    {
        "DataWidth": 32,
        "LenWidth": 26,
        "MaxBurst": 16,
        "BufferBeats": 128,
        "IncludeSg": 1,
        "IncludeDirect": 1,
        "Unaligned": 1,
        "AddrWidth": 40,
    },
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_dma_sg(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


class Bench(SgBench):
    def packet(self, length: int) -> bytes:
        return self.rng.randbytes(length)

    def sending(
        self, lengths: list[int], flags: list[int] | None = None, at: int = 0, **places: Any
    ) -> tuple[list[Descriptor], list[bytes]]:
        """A chain for MM2S with data in its buffers, and the packets that it makes."""
        flags = flags or [WHOLE] * len(lengths)
        buffers = self.buffers(lengths, 0, MEMORY_BYTES // 2)
        packets, part = [], b""
        for (buffer, length), flag in zip(buffers, flags, strict=True):
            data = self.rng.randbytes(length)
            self.memory.memory[buffer : buffer + length] = data
            part += data
            if flag & BD_EOF:
                packets.append(part)
                part = b""
        return self.chain(self.places(len(lengths), at, **places), buffers, flags), packets

    def receiving(self, lengths: list[int], at: int = 0x4000, **places: Any) -> list[Descriptor]:
        """A chain for S2MM."""
        buffers = self.buffers(lengths, MEMORY_BYTES // 2, MEMORY_BYTES // 2)
        return self.chain(self.places(len(lengths), at, **places), buffers)

    async def idle(self, channel: Channel) -> int:
        return await channel.poll(DMASR, SR_IDLE, SR_IDLE)

    async def halted(self, channel: Channel) -> int:
        return await channel.poll(DMASR, SR_HALTED, SR_HALTED)

    async def drain(self) -> None:
        """Takes what is left of packets out of the stream; ends with a reset."""
        self.source.clear()
        self.send(self.packet(self.size))
        await self.start(self.s2mm, self.receiving([4096] * 2))
        await self.drained()
        await self.both_reset(self.s2mm)
        self.memory.written[:] = bytes(MEMORY_BYTES)

    async def both_reset(self, channel: Channel) -> None:
        await channel.reset()
        for one in (self.mm2s, self.s2mm):
            assert await one.get(DMASR) == SG_AT_RESET


@cocotb.test()
async def register_values(dut: Any) -> None:
    """Reset values, widths of the fields, what direct register mode has and this has not, unless it is
    built for both."""
    bench = Bench(dut, "register_values", busy=0.2)
    await bench.begin()
    direct = {ADDRESS: 0xFFFFFFFF, ADDRESS + 4: (1 << (bench.addr_width - 32)) - 1, LENGTH: bench.len_max}
    high = (1 << (bench.addr_width - 32)) - 1
    for channel in (bench.mm2s, bench.s2mm):
        assert await channel.get(DMACR) == CR_AT_RESET
        assert await channel.get(DMASR) == SG_AT_RESET
        for reg in (ADDRESS, ADDRESS + 4, LENGTH):
            await channel.put(reg, 0xFFFFFFFF)
            assert await channel.get(reg) == (direct[reg] if EITHER else 0), f"register {reg:#x}"
        for reg in (CURDESC, TAILDESC):
            assert await channel.get_pointer(reg) == 0
            await channel.put(reg, 0xFFFFFFFF)
            await channel.put(reg + 4, 0xFFFFFFFF)
            assert await channel.get_pointer(reg) == high << 32 | 0xFFFFFFC0
        await channel.put(DMACR, 0xFFFFFFFF & ~(CR_RESET | CR_RS))
        assert await channel.get(DMACR) == 0xFFFF0002 | CR_CYCLIC | ALL_IRQ
        assert await channel.get(DMASR) == SG_AT_RESET & ~(0xFF << 16) | 0xFF << 16
        await channel.put(DMACR, 5 << CR_THRESHOLD)
        await channel.put(DMACR, 0)
        assert await channel.get(DMACR) == 5 << CR_THRESHOLD | 2, "a threshold of 0 has no effect"
        await channel.put(DMASR, 0xFFFFFFFF)
        assert await channel.get(DMASR) == SG_AT_RESET & ~(0xFF << 16) | 5 << 16
    await bench.both_reset(bench.mm2s)
    assert not bench.table.log.reads and not bench.table.log.writes


@cocotb.test()
async def send_packets(dut: Any) -> None:
    """MM2S: packets of one and of several descriptors, contiguous and scattered, TLAST where TXEOF is,
    each descriptor complete with its bytes, one interrupt after the last."""
    bench = Bench(dut, "send_packets", busy=0.15)
    await bench.begin()
    for turn, scattered in enumerate((False, True)):
        step = bench.step
        lengths = [256, 5 * step, step, 64, 3 * step, 200 // step * step, 77]
        flags = [WHOLE, BD_SOF, 0, BD_EOF, BD_SOF, BD_EOF, WHOLE]
        chain, packets = bench.sending(lengths, flags, scattered=scattered)
        bench.sink.packets.clear()
        await bench.start(bench.mm2s, chain, control=4 << CR_THRESHOLD)
        status = await bench.mm2s.interrupt()
        assert status & (SR_IOC | SR_DELAY | SR_ERR | ALL_ERRORS) == SR_IOC
        await bench.idle(bench.mm2s)
        bench.check_sent(chain, packets)
        assert await bench.mm2s.get_pointer(CURDESC) == chain[-1].at
        assert await bench.mm2s.get(DMASR) == SG_AT_RESET & ~(SR_HALTED | 0xFF << 16) | SR_IDLE | 4 << 16
        assert len(bench.table.log.writes) == (turn + 1) * len(chain), "one write-back a descriptor"
        await bench.mm2s.stop()
        assert not await bench.mm2s.get(DMASR) & SR_IDLE


@cocotb.test()
async def receive_packets(dut: Any) -> None:
    """S2MM: packets shorter than, as long as and longer than a descriptor's buffer."""
    bench = Bench(dut, "receive_packets", busy=0.15)
    await bench.begin()
    lengths = [256, 256, 64, 64, 64, 128, 512, 64]
    packets = [bench.packet(n) for n in (100, 256, 64 + 64 + 9, 1, 128 - bench.size, 700 // 8 * 8)]
    pieces = receive(lengths, packets[:-1])
    lengths = lengths[: len(pieces)] + [128] * 6
    chain = bench.receiving(lengths)
    for packet in packets:
        bench.send(packet)
    await bench.start(bench.s2mm, chain, control=len(packets) << CR_THRESHOLD)
    status = await bench.s2mm.interrupt()
    assert status & (SR_IOC | SR_DELAY | SR_ERR | ALL_ERRORS) == SR_IOC
    pieces = receive(lengths, packets)
    assert len(pieces) == len(chain)
    await bench.idle(bench.s2mm)
    bench.check_received(chain, pieces)
    assert await bench.s2mm.get_pointer(CURDESC) == chain[-1].at
    assert not await bench.s2mm.get(DMASR) & SR_HALTED


@cocotb.test()
async def halted_and_idle(dut: Any) -> None:
    """TAILDESC does nothing while halted but moves the pointer; Idle falls with TAILDESC and comes
    back at the tail; CURDESC is open only while halted."""
    bench = Bench(dut, "halted_and_idle")
    await bench.begin()
    chain, packets = bench.sending([64, 64, 64])
    channel = bench.mm2s
    await channel.put_pointer(CURDESC, chain[0].at, bench.wide)
    await bench.append(channel, chain[-1].at)
    await bench.clocks(40)
    assert await channel.get(DMASR) == SG_AT_RESET
    await channel.run()
    await bench.clocks(40)
    assert await channel.get(DMASR) == SG_AT_RESET & ~SR_HALTED
    assert not bench.sink.packets
    await channel.put_pointer(CURDESC, bench.base + 0x1000, bench.wide)
    await bench.append(channel, chain[1].at)
    await bench.idle(channel)
    assert await channel.get_pointer(CURDESC) == chain[1].at
    assert bench.sink.packets == packets[:2]
    bench.sink.enabled = False
    await bench.append(channel, chain[2].at)
    assert not await channel.get(DMASR) & SR_IDLE
    await bench.clocks(100)
    assert not await channel.get(DMASR) & (SR_IDLE | SR_HALTED)
    assert await channel.get_pointer(CURDESC) == chain[2].at, "the one in work"
    bench.sink.enabled = True
    await bench.idle(channel)
    assert bench.sink.packets == packets
    await channel.stop()
    assert await channel.get(DMASR) & (SR_IDLE | SR_HALTED) == SR_HALTED
    await channel.put_pointer(CURDESC, bench.base, bench.wide)
    assert await channel.get_pointer(CURDESC) == bench.base


@cocotb.test(skip=parameters().get("AddrWidth", 32) == 32)
async def high_half_starts(dut: Any) -> None:
    """With wide addresses TAILDESC's low half starts nothing, the high half does."""
    bench = Bench(dut, "high_half_starts")
    await bench.begin()
    chain, packets = bench.sending([64])
    await bench.mm2s.put_pointer(CURDESC, chain[0].at, True)
    await bench.mm2s.run()
    await bench.mm2s.put(TAILDESC, chain[0].at & 0xFFFFFFFF)
    await bench.clocks(60)
    assert not bench.table.log.reads and not await bench.mm2s.get(DMASR) & SR_IDLE
    await bench.mm2s.put(TAILDESC_MSB, chain[0].at >> 32)
    await bench.idle(bench.mm2s)
    bench.check_sent(chain, packets)


@cocotb.test()
async def append_while_running(dut: Any) -> None:
    """Descriptors added behind the tail at any moment, their words written just before TAILDESC:
    nothing stale is executed; runs to idle and goes on, CURDESC writes without effect."""
    bench = Bench(dut, "append_while_running", busy=0.1)
    await bench.begin()
    count = 24
    chain, packets = bench.sending([bench.rng.randrange(1, 40) * bench.step for _ in range(count)])
    for later in chain[1:]:  # what lies there before: a descriptor that would be an error
        Descriptor(later.at, later.at + BD_BYTES, 0, 0, BD_COMPLETE).store(bench.table.memory, bench.base)
    done = 0
    while done < count:
        more = min(count - done, bench.rng.choice((1, 1, 2, 5)))
        for descriptor in chain[done : done + more]:
            bench.store(descriptor)
        done += more
        if done == more:
            await bench.start(bench.mm2s, chain[:done])
        else:
            if bench.rng.random() < 0.5:
                await bench.mm2s.put_pointer(CURDESC, bench.base + 0x2000, bench.wide)
            await bench.append(bench.mm2s, chain[done - 1].at)
        if bench.rng.random() < 0.3:
            await bench.idle(bench.mm2s)
        else:
            await bench.clocks(bench.rng.randrange(60))
    await bench.idle(bench.mm2s)
    bench.check_sent(chain, packets)
    assert not await bench.mm2s.get(DMASR) & ALL_ERRORS


@cocotb.test()
async def threshold_and_delay(dut: Any) -> None:
    """IOC_Irq at every third packet; the rest is told by Dly_Irq, 125 cycles a unit after the last."""
    bench = Bench(dut, "threshold_and_delay")
    await bench.begin()
    irq = reader(dut.mm2s_irq_o)
    chain, packets = bench.sending([64] * 5)
    await bench.start(bench.mm2s, chain, tail=1, control=3 << CR_THRESHOLD | 4 << CR_DELAY)
    await bench.idle(bench.mm2s)
    status = await bench.mm2s.get(DMASR)
    assert not irq() and status >> 16 & 0xFF == 1, "two of three"
    await bench.append(bench.mm2s, chain[4].at)
    await bench.idle(bench.mm2s)
    assert await bench.mm2s.interrupt() & (SR_IOC | SR_DELAY) == SR_IOC
    assert (await bench.mm2s.get(DMASR)) >> 16 & 0xFF == 1
    last = bench.table.log.b_edges[-1]
    assert await bench.mm2s.interrupt(1000) & (SR_IOC | SR_DELAY) == SR_DELAY
    assert 500 < bench.table.cycle - last < 530
    assert (await bench.mm2s.get(DMASR)) >> 16 & 0xFF == 3
    await bench.clocks(600)
    assert not irq(), "once for a packet"
    bench.check_sent(chain, packets)


@cocotb.test()
async def bad_descriptors(dut: Any) -> None:
    """A stale one, one whose NXTDESC is misaligned, one without bytes, one that is misaligned: those
    before it complete, CURDESC points to it, the other channel runs on, a reset recovers."""
    bench = Bench(dut, "bad_descriptors", busy=0.1)
    await bench.begin()
    kinds = ["stale", "next", "empty"] + ([] if bench.unaligned else ["buffer", "uneven"])
    for kind in kinds:
        for channel in (bench.mm2s, bench.s2mm):
            if kind == "uneven" and channel is bench.s2mm:
                continue
            bench.sink.packets.clear()
            bench.memory.written[:] = bytes(MEMORY_BYTES)
            at = bench.rng.randrange(4)
            if channel is bench.mm2s:
                chain, packets = bench.sending([128] * 5)
            else:
                chain, packets = bench.receiving([128] * 5), [bench.packet(128) for _ in range(5)]
                for packet in packets:
                    bench.send(packet)
            wrong = chain[at]
            if kind == "stale":
                wrong.status = BD_COMPLETE | 5
            elif kind == "next":
                wrong.next += 4
            elif kind == "empty":
                wrong.control &= ~BD_LENGTH
            elif kind == "buffer":
                wrong.buffer += bench.size // 2
            else:
                wrong.control = 128 - 1
            bench.store(wrong)
            await bench.start(channel, chain)
            sg = kind in ("stale", "next")
            while not (status := await channel.interrupt()) & SR_ERR:
                pass
            assert status & ALL_ERRORS == (SR_SG_INT_ERR if sg else SR_INT_ERR), f"{kind}: {status:#x}"
            await bench.halted(channel)
            assert not await channel.get(DMACR) & CR_RS
            assert await channel.get_pointer(CURDESC) == wrong.at
            for i, descriptor in enumerate(chain):
                now = bench.status(descriptor)
                if i < at:
                    assert now & (BD_COMPLETE | BD_LENGTH) == BD_COMPLETE | 128, f"{kind}: {i} of {at}"
                elif i == at and not sg:
                    assert now & ~WHOLE == BD_COMPLETE | BD_INT_ERR
                else:
                    assert now == descriptor.status
            if channel is bench.mm2s:
                assert bench.sink.packets == packets[:at]
            await channel.put(DMACR, CR_RS | ALL_IRQ)
            assert not await channel.get(DMACR) & CR_RS, "no start before a reset"
            await bench.both_reset(channel)
            await bench.drain()


@cocotb.test()
async def error_responses(dut: Any) -> None:
    """SLVERR and DECERR on a descriptor's read, its write-back and its data: the bit, CURDESC, the
    descriptor's own error bits, nothing claimed that did not arrive."""
    bench = Bench(dut, "error_responses", busy=0.1)
    await bench.begin()
    for channel in (bench.mm2s, bench.s2mm):
        for where in ("read", "write", "data"):
            for resp in (SLVERR, DECERR):
                bench.sink.packets.clear()
                bench.sink.part.clear()
                at = bench.rng.randrange(1, 5)
                if channel is bench.mm2s:
                    chain, _ = bench.sending([128] * 6)
                else:
                    chain = bench.receiving([128] * 6)
                    for _ in chain:
                        bench.send(bench.packet(128))
                wrong = chain[at]

                def table_error(
                    write: bool, addr: int, resp: int = resp, where: str = where, wrong: Any = wrong
                ) -> int:
                    hit = wrong.at <= addr < wrong.at + BD_BYTES and where == ("write" if write else "read")
                    return resp if hit else OKAY

                victim = (
                    (channel is bench.s2mm, (wrong.buffer + 64) // bench.size * bench.size) if where == "data" else None
                )

                def data_error(write: bool, addr: int, resp: int = resp, victim: Any = victim) -> int:
                    return resp if (write, addr // bench.size * bench.size) == victim else OKAY

                bench.table.error, bench.memory.error = table_error, data_error
                await bench.start(channel, chain)
                while not (status := await channel.interrupt()) & SR_ERR:
                    pass
                if where == "data":
                    bit = SR_SLV_ERR if resp == SLVERR else SR_DEC_ERR
                else:
                    bit = SR_SG_SLV_ERR if resp == SLVERR else SR_SG_DEC_ERR
                assert status & ALL_ERRORS == bit, f"{where}: {status:#x}"
                if where == "data":
                    now = bench.status(wrong)
                    flag = BD_SLV_ERR if resp == SLVERR else BD_DEC_ERR
                    assert now & (BD_COMPLETE | BD_INT_ERR | BD_SLV_ERR | BD_DEC_ERR) == BD_COMPLETE | flag
                    assert now & BD_LENGTH <= 64
                await bench.halted(channel)
                assert await channel.get_pointer(CURDESC) == wrong.at
                assert not await channel.get(DMACR) & CR_RS
                assert bench.memory.outstanding == bench.table.outstanding == 0
                for descriptor in chain[:at]:
                    assert bench.status(descriptor) & (BD_COMPLETE | BD_LENGTH) == BD_COMPLETE | 128
                bench.table.error = bench.memory.error = None
                await bench.both_reset(channel)
                await bench.drain()


@cocotb.test()
async def stop_while_running(dut: Any) -> None:
    """RS cleared at any moment: what was issued completes and is written back, in order; nothing else
    is touched; the channel runs again from where software says."""
    bench = Bench(dut, "stop_while_running", busy=0.1)
    await bench.begin()
    for turn in range(10):
        bench.sink.packets.clear()
        bench.memory.written[:] = bytes(MEMORY_BYTES)
        chain, packets = bench.sending([64] * 12, scattered=turn % 2 == 1)
        await bench.start(bench.mm2s, chain)
        await bench.clocks(bench.rng.randrange(250))
        await bench.mm2s.stop()
        done = [bench.complete(d) for d in chain].count(True)
        assert [bench.complete(d) for d in chain] == [True] * done + [False] * (12 - done)
        assert bench.sink.packets == packets[:done] and not bench.sink.part
        assert bench.memory.outstanding == bench.table.outstanding == 0
        quiet = len(bench.table.log.reads)
        await bench.clocks(40)
        assert len(bench.table.log.reads) == quiet
        if done < 12:
            await bench.start(bench.mm2s, chain[done:])
            await bench.idle(bench.mm2s)
            assert bench.sink.packets == packets
            await bench.mm2s.stop()
    # S2MM: none has data; then data in flight; beats without a descriptor wait in the stream.
    chain = bench.receiving([64] * 4)
    await bench.start(bench.s2mm, chain)
    await bench.clocks(100)
    await bench.s2mm.stop()
    assert bench.statuses(chain) == [0] * 4
    for _ in range(6):
        bench.memory.written[:] = bytes(MEMORY_BYTES)
        chain = bench.receiving([64] * 8)
        taken = bench.source.taken
        sent = [bench.packet(64) for _ in range(8)]
        for packet in sent:
            bench.send(packet)
        await bench.start(bench.s2mm, chain)
        await bench.clocks(bench.rng.randrange(150))
        await bench.s2mm.stop()
        done = [bench.complete(d) for d in chain].count(True)
        bench.check_received(chain, receive([64] * done, sent))
        held = (bench.source.taken - taken) * bench.size - 64 * done
        assert held in ((0, bench.size) if bench.unaligned else (0,)), "beats were lost"
        await bench.drain()


@cocotb.test()
async def reset_in_flight(dut: Any) -> None:
    """A soft reset at any cycle of two running chains: all ports finish legally, registers return,
    nothing moves afterwards, and both run again."""
    bench = Bench(dut, "reset_in_flight", busy=0.2, latency=12)
    await bench.begin()
    for turn in range(10):
        out, _ = bench.sending([bench.rng.randrange(1, 30) * bench.step for _ in range(12)], scattered=turn % 2 == 1)
        into = bench.receiving([bench.rng.randrange(1, 30) * bench.step for _ in range(12)])
        for _ in range(12):
            bench.send(bench.packet(bench.rng.randrange(1, 20) * bench.step))
        cyclic = CR_CYCLIC if turn % 3 == 0 else 0
        bench.sink.enabled = turn % 4 != 1
        await bench.start(bench.mm2s, out, control=cyclic)
        await bench.start(bench.s2mm, into, control=cyclic)
        await bench.clocks(bench.rng.randrange(200))
        channel = bench.rng.choice((bench.mm2s, bench.s2mm))
        await channel.set_bits(DMACR, CR_RESET)
        await channel.poll(DMACR, CR_RESET, 0)
        assert bench.memory.outstanding == bench.table.outstanding == 0
        for one in (bench.mm2s, bench.s2mm):
            assert await one.get(DMACR) == CR_AT_RESET and await one.get(DMASR) == SG_AT_RESET
            assert await one.get_pointer(CURDESC) == await one.get_pointer(TAILDESC) == 0
        quiet = len(bench.table.log.reads), len(bench.table.log.writes)
        await bench.clocks(30)
        assert quiet == (len(bench.table.log.reads), len(bench.table.log.writes))
        bench.sink.enabled = True
        await bench.drain()
        bench.sink.part.clear()
        bench.sink.packets.clear()
        chain, packets = bench.sending([64, 128])
        await bench.start(bench.mm2s, chain)
        await bench.idle(bench.mm2s)
        bench.check_sent(chain, packets)
        await bench.mm2s.stop()


@cocotb.test()
async def cyclic_send(dut: Any) -> None:
    """MM2S round and round, with the complete bit standing and the tail outside the ring; an interrupt
    a descriptor; RS = 0 ends it after a whole descriptor."""
    bench = Bench(dut, "cyclic_send", busy=0.1)
    await bench.begin()
    chain, packets = bench.sending([64, 128, 96], [WHOLE] * 3)
    chain[1].status = BD_COMPLETE | 1
    bench.store(chain[1])
    await bench.mm2s.put_pointer(CURDESC, chain[0].at, bench.wide)
    await bench.mm2s.put(DMACR, CR_CYCLIC | 1 << CR_THRESHOLD | ALL_IRQ | CR_RS)
    await bench.append(bench.mm2s, bench.base + 0x50)
    for _ in range(5):
        status = await bench.mm2s.interrupt()
        assert status & (SR_IOC | SR_ERR | SR_IDLE) == SR_IOC
    await bench.until(lambda: len(bench.sink.packets) > 12, what="four rounds")
    await bench.mm2s.stop()
    count = len(bench.sink.packets)
    assert bench.sink.packets == (packets * count)[:count] and not bench.sink.part
    assert bench.statuses(chain) == [BD_COMPLETE | len(p) for p in packets]
    assert len(bench.table.log.writes) == count
    await bench.clocks(100)
    assert len(bench.sink.packets) == count


@cocotb.test()
async def cyclic_capture(dut: Any) -> None:
    """An endless counter at full rate, no TLAST, into a ring of four periods while the descriptor port
    stalls 40 % of its cycles: not a beat waits, not one is lost or twice, an interrupt a period."""
    bench = Bench(dut, "cyclic_capture", latency=20, sg_busy=0.4, sg_latency=30)
    await bench.begin()
    size, period, periods = bench.size, 1024, 4
    places = [(MEMORY_BYTES // 2 + 2 * period * i, period) for i in range(periods)]
    chain = bench.chain(bench.places(periods), places)
    beats = 12 * period // size
    stream = b"".join(n.to_bytes(size, "little") for n in range(beats))
    await bench.s2mm.put_pointer(CURDESC, chain[0].at, bench.wide)
    await bench.s2mm.put(DMACR, CR_CYCLIC | 1 << CR_THRESHOLD | ALL_IRQ | CR_RS)
    await bench.append(bench.s2mm, bench.base + 0x50)
    await bench.clocks(250)
    bench.source.send(stream, last=False)
    for turn in range(12):
        assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        descriptor = chain[turn % periods]
        assert bench.status(descriptor) & ~BD_SOF == BD_COMPLETE | period
        data = bench.memory.memory[descriptor.buffer : descriptor.buffer + period]
        assert data == stream[turn * period : (turn + 1) * period], f"period {turn}"
    edges = bench.source.beats
    assert len(edges) == beats and edges[-1] - edges[0] == beats - 1, (
        f"{beats} beats in {edges[-1] - edges[0] + 1} cycles"
    )
    await bench.s2mm.stop()
    assert not await bench.s2mm.get(DMASR) & ALL_ERRORS


@cocotb.test()
async def probes(dut: Any) -> None:
    """done_o: one pulse a descriptor, after its write-back, with its bytes and whether its packet
    ended there."""
    bench = Bench(dut, "probes", busy=0.1)
    await bench.begin()
    seen: dict[str, list[tuple[int, int]]] = {"mm2s": [], "s2mm": []}

    async def watch(side: str) -> None:
        done, size, eop = (reader(getattr(dut, f"{side}_done{n}_o")) for n in ("", "_bytes", "_eop"))
        while True:
            await RisingEdge(dut.clk_i)
            if done():
                seen[side].append((size(), eop()))
                assert len(bench.table.log.writes) >= len(seen["mm2s"]) + len(seen["s2mm"])

    for side in seen:
        cocotb.start_soon(watch(side))
    out, _ = bench.sending([64, 32, 128], [BD_SOF, BD_EOF, WHOLE])
    into = bench.receiving([64] * 4)
    packets = [bench.packet(n) for n in (100, 64, 8)]
    for packet in packets:
        bench.send(packet)
    await bench.start(bench.mm2s, out)
    await bench.start(bench.s2mm, into)
    await bench.idle(bench.mm2s)
    await bench.idle(bench.s2mm)
    assert seen == {"mm2s": [(64, 0), (32, 1), (128, 1)], "s2mm": [(64, 0), (36, 1), (64, 1), (8, 1)]}
    await ClockCycles(dut.clk_i, 10)


@cocotb.test(skip=not EITHER)
async def either_mode(dut: Any) -> None:
    """An engine built for both modes: each run of a channel is of the mode whose register was written first, whatever
    ran before; a transfer or a chain has its own data, bytes and interrupts."""
    bench = Bench(dut, "either_mode", busy=0.15)
    await bench.begin()
    for turn in range(16):
        channel = (bench.mm2s, bench.s2mm)[turn & 1]
        room = 300
        if bench.rng.random() < 0.3:
            await bench.both_reset(channel)
        await channel.set_bits(DMACR, ALL_IRQ)
        for _ in range(bench.rng.randint(0, 2)):  # direct
            data = bench.packet(bench.rng.randint(1, room))
            at = bench.rng.randrange(0, 4096) + (MEMORY_BYTES // 2 if channel is bench.s2mm else 0)
            fetched = len(bench.table.log.reads)
            if channel is bench.mm2s:
                bench.sink.packets.clear()
                bench.memory.memory[at : at + len(data)] = data
            else:
                bench.send(data)
            status = await channel.transfer(at, len(data) if channel is bench.mm2s else room)
            assert status & (SR_IOC | SR_IDLE | SR_ERR | SR_HALTED) == SR_IOC | SR_IDLE, f"status {status:#x}"
            await bench.clocks(2)
            if channel is bench.mm2s:
                assert bench.sink.packets == [data]
            else:
                assert bench.memory.memory[at : at + len(data)] == data
                assert await channel.get(LENGTH) == len(data)
            assert len(bench.table.log.reads) == fetched, "a descriptor was read"
        await channel.stop()
        lengths = [bench.rng.randint(1, room) for _ in range(3)]
        bench.sink.packets.clear()
        bench.memory.written[:] = bytes(MEMORY_BYTES)
        if channel is bench.mm2s:
            chain, packets = bench.sending(lengths)
            await bench.start(channel, chain, control=3 << CR_THRESHOLD)
        else:
            chain = bench.receiving(lengths)
            packets = [bench.packet(length) for length in lengths]
            for packet in packets:
                bench.send(packet)
            await bench.start(channel, chain, control=3 << CR_THRESHOLD)
        status = await channel.interrupt()
        assert status & (SR_IOC | SR_ERR | ALL_ERRORS) == SR_IOC
        await bench.idle(channel)
        if channel is bench.mm2s:
            bench.check_sent(chain, packets)
        else:
            bench.check_received(chain, receive(lengths, packets))
        await channel.stop()


@cocotb.test(skip=not EITHER)
async def the_other_modes_registers(dut: Any) -> None:
    """In direct register mode TAILDESC and CURDESC start and change nothing; in scatter-gather mode LENGTH does not."""
    bench = Bench(dut, "the_other_modes_registers")
    await bench.begin()
    chain, packets = bench.sending([64, 96])
    mm2s = bench.mm2s
    await mm2s.put_pointer(CURDESC, chain[0].at, bench.wide)
    await mm2s.set_bits(DMACR, ALL_IRQ)
    bench.memory.memory[4096:4160] = bench.packet(64)
    assert await mm2s.transfer(4096, 64) & (SR_IOC | SR_ERR) == SR_IOC
    await bench.append(mm2s, chain[-1].at)
    await mm2s.put_pointer(CURDESC, chain[1].at, bench.wide)
    await bench.clocks(100)
    assert not bench.table.log.reads and await mm2s.get_pointer(CURDESC) == chain[0].at
    assert await mm2s.transfer(4096, 64) & (SR_IOC | SR_ERR) == SR_IOC, "it works on"
    await mm2s.stop()
    bench.sink.packets.clear()
    await bench.start(mm2s, chain, tail=0)
    assert await mm2s.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
    read = len(bench.memory.log.reads)
    await mm2s.put(ADDRESS, 4096)
    await mm2s.put(LENGTH, 64)
    await bench.clocks(100)
    assert len(bench.memory.log.reads) == read and await mm2s.get(DMASR) & (SR_IOC | SR_IDLE) == SR_IDLE
    await bench.append(mm2s, chain[-1].at)
    assert await mm2s.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
    bench.check_sent(chain, packets)
