-- SPDX-License-Identifier: Apache-2.0
-- Wireshark's view of a link's packets, as TlpCapture and NetTLP write them into UDP datagrams:
--   tshark -X lua_script:tlp.lua -r link.pcap
-- Fields: docs/howto/record-the-link.md. Layout: PCI Express Base Specification 3.0, 2.2; around
-- it, sluice/model/tlp_capture.hpp. Wireshark 3.6 and newer.

local KINDS = {
  [0x00] = "MRd", [0x20] = "MRd", [0x40] = "MWr", [0x60] = "MWr", [0x0a] = "Cpl", [0x4a] = "CplD",
}
local STATUS = { [0] = "successful", [1] = "unsupported request", [4] = "completer abort" }
local FIRST_PORT, LAST_PORT = 0x3000, 0x4fff

local tlp = Proto("tlp", "PCI Express transaction layer packet")
local f = {
  sequence = ProtoField.uint16("tlp.sequence", "Sequence number"),
  time = ProtoField.uint32("tlp.time", "Time (ns)"),
  kind = ProtoField.uint8("tlp.kind", "Kind", base.HEX, KINDS),
  length = ProtoField.uint16("tlp.length", "Length (dwords)"),
  sender = ProtoField.uint16("tlp.sender", "Sender's ID", base.HEX),
  tag = ProtoField.uint8("tlp.tag", "Tag"),
  first_be = ProtoField.uint8("tlp.first_be", "Bytes enabled in the first dword", base.HEX),
  last_be = ProtoField.uint8("tlp.last_be", "Bytes enabled in the last dword", base.HEX),
  address32 = ProtoField.uint32("tlp.address32", "Address", base.HEX),
  address64 = ProtoField.uint64("tlp.address64", "Address", base.HEX),
  status = ProtoField.uint8("tlp.status", "Status", base.DEC, STATUS),
  byte_count = ProtoField.uint16("tlp.byte_count", "Bytes left, these included"),
  receiver = ProtoField.uint16("tlp.receiver", "Receiver's ID", base.HEX),
  lower = ProtoField.uint8("tlp.lower", "Low bits of the address", base.HEX),
  data = ProtoField.bytes("tlp.data", "Data"),
}
tlp.fields = f

-- A field of 0 stands for the largest number that it cannot hold.
local function or_all(value, all) return value == 0 and all or value end

-- Adds a request's part of the header to the tree; returns the header's bytes and a summary.
local function request(buffer, tree, four_dwords)
  tree:add(f.tag, buffer(6, 1))
  tree:add(f.last_be, buffer(7, 1), buffer(7, 1):bitfield(0, 4))
  tree:add(f.first_be, buffer(7, 1), buffer(7, 1):bitfield(4, 4))
  if four_dwords then
    tree:add(f.address64, buffer(8, 8))
    return 16, string.format("0x%s", buffer(8, 8):uint64():tohex())
  end
  tree:add(f.address32, buffer(8, 4))
  return 12, string.format("0x%08x", buffer(8, 4):uint())
end

local function completion(buffer, tree)
  local bytes = or_all(buffer(6, 2):bitfield(4, 12), 4096)
  tree:add(f.status, buffer(6, 1), buffer(6, 1):bitfield(0, 3))
  tree:add(f.byte_count, buffer(6, 2), bytes)
  tree:add(f.receiver, buffer(8, 2))
  tree:add(f.tag, buffer(10, 1))
  tree:add(f.lower, buffer(11, 1))
  return 12, string.format("%d bytes left", bytes)
end

function tlp.dissector(datagram, info, root)
  if datagram:len() < 6 + 12 then return 0 end
  local buffer = datagram(6):tvb()
  local kind = buffer(0, 1):uint()
  local name = KINDS[kind]
  if not name then return 0 end
  local tree = root:add(tlp, datagram())
  tree:add(f.sequence, datagram(0, 2))
  tree:add(f.time, datagram(2, 4))
  tree:add(f.kind, buffer(0, 1))
  local dwords = buffer(2, 2):bitfield(6, 10)
  if name ~= "Cpl" then dwords = or_all(dwords, 1024) end
  tree:add(f.length, buffer(2, 2), dwords)
  tree:add(f.sender, buffer(4, 2))
  local at, summary
  if name:sub(1, 3) == "Cpl" then
    at, summary = completion(buffer, tree)
  else
    at, summary = request(buffer, tree, bit.band(kind, 0x20) ~= 0)
  end
  if buffer:len() > at then tree:add(f.data, buffer(at)) end
  info.cols.protocol = "TLP"
  info.cols.info = string.format("%s %d DW, tag %d, %s", name, dwords,
                                 buffer(name:sub(1, 3) == "Cpl" and 10 or 6, 1):uint(), summary)
  return datagram:len()
end

DissectorTable.get("udp.port"):add(FIRST_PORT .. "-" .. LAST_PORT, tlp)
