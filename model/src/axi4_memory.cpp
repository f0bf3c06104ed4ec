// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/axi4_memory.hpp"

#include <algorithm>
#include <cstring>

namespace sluice::model {

void Axi4Memory::give(Burst& burst, Axi4Outputs& out) {
  const std::uint64_t address = beat_address(burst);
  const Response status = memory_.access(address, width_bytes_);
  out.rvalid = true;
  out.rid = burst.id;
  out.rresp = static_cast<std::uint8_t>(status);
  out.rlast = burst.beats == 1;
  if (status == Response::okay)
    std::memcpy(out.rdata.data(), memory_.host(address, width_bytes_), width_bytes_);
  else
    out.rdata.fill(0);
  burst.address = address + width_bytes_;
  --burst.beats;
}

void Axi4Memory::take(Burst& burst, const Axi4Inputs& in) {
  const std::uint64_t address = beat_address(burst);
  const Response status = memory_.access(address, width_bytes_);
  burst.status = std::max(burst.status, status);
  if (status == Response::okay) {
    std::uint8_t* bytes = memory_.host(address, width_bytes_);
    const auto* data = reinterpret_cast<const std::uint8_t*>(in.wdata.data());
    for (unsigned i = 0; i < width_bytes_; ++i)
      if ((in.wstrb >> i & 1U) != 0) bytes[i] = data[i];
  }
  burst.address = address + width_bytes_;
  --burst.beats;
}

void Axi4Memory::edge(std::uint64_t now_ps, const Axi4Inputs& in, Axi4Outputs& out) {
  if (out.rvalid && in.rready) {
    out.rvalid = false;
    if (reads_.front().beats == 0) reads_.pop_front();
  }
  if (!out.rvalid && !reads_.empty() && reads_.front().ready_ps <= now_ps)
    give(reads_.front(), out);
  if (in.arvalid && out.arready)
    reads_.push_back({.id = in.arid,
                      .address = in.araddr,
                      .beats = in.arlen + 1U,
                      .ready_ps = now_ps + read_ps_});

  if (out.bvalid && in.bready) {
    out.bvalid = false;
    responses_.pop_front();
  }
  if (in.wvalid && out.wready) {
    take(writes_.front(), in);
    if (writes_.front().beats == 0) {
      writes_.front().ready_ps = now_ps + write_ps_;
      responses_.push_back(writes_.front());
      writes_.pop_front();
    }
  }
  if (in.awvalid && out.awready)
    writes_.push_back({.id = in.awid, .address = in.awaddr, .beats = in.awlen + 1U, .ready_ps = 0});
  if (!out.bvalid && !responses_.empty() && responses_.front().ready_ps <= now_ps) {
    out.bvalid = true;
    out.bid = responses_.front().id;
    out.bresp = static_cast<std::uint8_t>(responses_.front().status);
  }
  out.arready = reads_.size() < kBursts;
  out.awready = writes_.size() < kBursts;
  out.wready = !writes_.empty() && responses_.size() < kBursts;
}

}  // namespace sluice::model
