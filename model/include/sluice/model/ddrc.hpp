// SPDX-License-Identifier: Apache-2.0
// Ddrc: the DDR controller of the Zynq-7000 (UG585 chapter 10): four ports, arbiter, two CAMs, the
// read/write state of stage 3, and the command scheduler in front of a Ddr3Device.
//
// Per DDR_2x cycle ddri_tick() lets the arbiter move one request from a port into a CAM; after a
// write none follows for write_request_ticks, while its data enters. Per DDR (DDR_3x) cycle tick()
// issues at most one DRAM command.
//
// Stage 3 (UG585 10.4.7, figure 10-9): the controller stays in read or write mode until the other
// store is critical (TransactionStore), or until its own store has had nothing for rdwr_idle_gap
// cycles while the other has. Only requests of the current mode are worked on.
// Within the mode, per cycle, the first that is legal now:
//   1. column command: the oldest request whose row is open;
//   2. ACT for the oldest request of a closed bank;
//   3. PRE of a bank whose open row no request wants, or whose hits have passed an older request of
//      another row page_hit_limit times (bounded row-hit preference, of reads and writes apart).
// With check_commands a Ddr3TraceChecker reads every command, and tick() throws std::logic_error at
// the first violation.
// Refresh: when a REF is due (tREFI) new column commands stop, banks are precharged, REF is issued.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sluice/model/cam.hpp"
#include "sluice/model/ddr3_device.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/ddrc_params.hpp"
#include "sluice/model/ddri_arbiter.hpp"
#include "sluice/model/ddri_port.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/statistics.hpp"
#include "sluice/model/transaction_store.hpp"

namespace sluice::model {

class Ddrc {
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
  void tick(std::uint64_t cycle) {
    now_ = cycle + 1U;
    if (cycle >= next_step_) step(cycle);
  }

  /// No request, burst or owed refresh.
  [[nodiscard]] bool quiet() const {
    // A write leaves its port when it is answered, which may be before its requests are served.
    return requests_.bursts == 0 && cam_[kWrite].empty() && cam_[kRead].empty() &&
           returns_.empty() && !refreshing_;
  }
  /// While quiet, nothing happens before this cycle (the next refresh).
  [[nodiscard]] std::uint64_t next_refresh_cycle() const { return refresh_due_; }
  /// So many cycles are left out, in which it is quiet.
  void skip_idle(std::uint64_t cycles) {
    stats_.idle_cycles += cycles;
    mode_since_ += cycles;
    now_ += cycles;
  }

  [[nodiscard]] Statistics statistics() const;
  /// In the place of check_commands.
  void observe_dram(DramObserver* observer) { device_.observe(observer); }

 private:
  enum Type : std::uint32_t { kRead = 0, kWrite = 1 };
  struct Return {
    std::uint64_t cycle;
    DramRequest request;
  };

  void enter(const DdriArbiter::Grant& grant, std::uint64_t cycle);
  void step(std::uint64_t cycle);
  void issue(std::uint64_t cycle);
  void insert(Type type, const DramRequest& request, std::uint64_t cycle);
  void choose_mode(std::uint64_t cycle);
  bool serve_refresh(std::uint64_t cycle);
  bool issue_column(std::uint64_t cycle, std::uint32_t exhausted);
  bool issue_row(std::uint64_t cycle, std::uint32_t exhausted);
  /// Banks whose hits must wait, because an older request of another row has been passed too often.
  [[nodiscard]] std::uint32_t exhausted_banks() const;
  void set_passed(std::uint32_t bank, std::uint32_t passed);
  void activate(std::uint32_t bank, std::uint32_t row, std::uint64_t cycle);
  void precharge(std::uint32_t bank, std::uint64_t cycle);
  void count_mode(Statistics& stats) const {
    (mode_ == kRead ? stats.read_mode_cycles : stats.write_mode_cycles) += now_ - mode_since_;
  }
  void wake_at(std::uint64_t cycle) { wake_ = cycle < wake_ ? cycle : wake_; }

  DdrcParams params_;
  Ddr3Device device_;
  std::unique_ptr<Ddr3TraceChecker> checker_;  ///< with check_commands
  DdriRequests requests_;
  std::array<DdriPort, kPorts> ports_;
  std::array<DdriPort*, kPorts> port_list_{};
  DdriArbiter arbiter_;
  std::array<RequestCam, 2> cam_;
  std::array<TransactionStore, 2> store_;
  Type mode_ = kRead;
  std::uint64_t mode_since_ = 0;  ///< idle cycles left out
  std::uint64_t mode_empty_since_ = 0;
  std::uint64_t now_ = 0;        ///< cycles before it have been simulated
  std::uint64_t wake_ = 0;       ///< nothing can be issued before this cycle
  std::uint64_t next_step_ = 0;  ///< nor does data return or a refresh become due
  std::array<std::uint32_t, Ddr3Device::kMaxBanks>
      passed_{};                                  ///< hits that passed an older request
  std::array<std::uint32_t, 2> passed_enough_{};  ///< by type: banks whose limit is reached, a mask
  std::array<bool, Ddr3Device::kMaxBanks> closed_by_conflict_{};
  std::uint32_t write_ticks_left_ = 0;  ///< of the write request that enters
  std::uint64_t refresh_due_;
  bool refreshing_ = false;
  Ring<Return> returns_;
  std::uint32_t last_column_ = 2;  // Type of the last column command; 2: none yet
  /// The cycles in a mode are without those since mode_since_; the entries' of a CAM count each
  /// entry at its leaving, so at any time they lack its present size times now_.
  Statistics stats_{};
};

}  // namespace sluice::model
