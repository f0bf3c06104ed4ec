// SPDX-License-Identifier: Apache-2.0
// Ddrc: the DDR controller of the Zynq-7000 (UG585 chapter 10): four ports, arbiter, two CAMs, the
// read/write state of stage 3, and the command scheduler of a DramController.
//
// Per DDR_2x cycle ddri_tick() lets the arbiter move one request from a port into a CAM; after a
// write none follows for write_request_ticks, while its data enters. Per DDR (DDR_3x) cycle comes a
// tick().
//
// Stage 3 (UG585 10.4.7, figure 10-9): the controller stays in read or write mode until the other
// store is critical (TransactionStore), or until its own store has had nothing for rdwr_idle_gap
// cycles while the other has. Only requests of the current mode are worked on.
// Within the mode, per cycle, the first that is legal now:
//   1. column command: the oldest request whose row is open;
//   2. ACT for the oldest request of a closed bank;
//   3. PRE of a bank whose open row no request wants, or whose hits have passed an older request of
//      another row page_hit_limit times (bounded row-hit preference, of reads and writes apart).
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/cam.hpp"
#include "sluice/model/ddrc_params.hpp"
#include "sluice/model/ddri_arbiter.hpp"
#include "sluice/model/ddri_port.hpp"
#include "sluice/model/dram_controller.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/statistics.hpp"
#include "sluice/model/transaction_store.hpp"

namespace sluice::model {

class Ddrc : public DramController<Ddrc> {
 public:
  static constexpr std::uint32_t kPorts = DdriArbiter::kPorts;

  /// Throws std::invalid_argument naming the parameter.
  Ddrc(const DdrcParams& params, const Ddr3Timing& timing);

  [[nodiscard]] DdriPort& port(std::uint32_t index) { return ports_.at(index); }

  void ddri_tick(std::uint64_t cycle) {
    if (write_ticks_left_ != 0) --write_ticks_left_;
    const DdriArbiter::Grant grant = arbiter_.arbitrate(
        port_list_, cycle, !cam_[kRead].full(), !cam_[kWrite].full() && write_ticks_left_ == 0);
    if (grant.any) enter(grant, cycle);
  }

  /// No request, burst or owed refresh.
  [[nodiscard]] bool quiet() const {
    // A write leaves its port when it is answered, which may be before its requests are served.
    return requests_.bursts == 0 && cam_[kWrite].empty() && cam_[kRead].empty() &&
           returns_.empty() && !refreshing();
  }
  void skip_idle(std::uint64_t cycles) {
    DramController::skip_idle(cycles);
    mode_since_ += cycles;
  }

  [[nodiscard]] Statistics statistics() const;

 private:
  friend class DramController<Ddrc>;
  static constexpr bool kPrechargeAll = false;
  enum Type : std::uint32_t { kRead = 0, kWrite = 1 };
  struct Return {
    std::uint64_t cycle;
    DramRequest request;
  };

  void enter(const DdriArbiter::Grant& grant, std::uint64_t cycle);
  void step(std::uint64_t cycle);
  bool schedule(std::uint64_t cycle);
  void insert(Type type, const DramRequest& request, std::uint64_t cycle);
  void choose_mode(std::uint64_t cycle);
  bool issue_column(std::uint64_t cycle, std::uint32_t exhausted);
  bool issue_row(std::uint64_t cycle, std::uint32_t exhausted);
  /// Banks whose hits must wait, because an older request of another row has been passed too often.
  [[nodiscard]] std::uint32_t exhausted_banks() const;
  void set_passed(std::uint32_t bank, std::uint32_t passed);
  void row_opened(std::uint32_t bank, std::uint32_t row);
  void row_closed(std::uint32_t bank);
  void count_mode(Statistics& stats) const {
    (mode_ == kRead ? stats.read_mode_cycles : stats.write_mode_cycles) += now_ - mode_since_;
  }

  DdrcParams params_;
  DdriRequests requests_;
  std::array<DdriPort, kPorts> ports_;
  std::array<DdriPort*, kPorts> port_list_{};
  DdriArbiter arbiter_;
  std::array<RequestCam, 2> cam_;
  std::array<TransactionStore, 2> store_;
  Type mode_ = kRead;
  std::uint64_t mode_since_ = 0;  ///< idle cycles left out
  std::uint64_t mode_empty_since_ = 0;
  std::array<std::uint32_t, Ddr3Device::kMaxBanks>
      passed_{};                                  ///< hits that passed an older request
  std::array<std::uint32_t, 2> passed_enough_{};  ///< by type: banks whose limit is reached, a mask
  std::uint32_t write_ticks_left_ = 0;            ///< of the write request that enters
  Ring<Return> returns_;
  // Of stats_, the cycles in a mode are without those since mode_since_; the entries' of a CAM
  // count each entry at its leaving, so at any time they lack its present size times now_.
};

}  // namespace sluice::model
