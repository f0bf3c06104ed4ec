// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/statistics.hpp"

namespace sluice::model {

Statistics& Statistics::operator-=(const Statistics& o) {
  cycles -= o.cycles;
  idle_cycles -= o.idle_cycles;
  reads -= o.reads;
  writes -= o.writes;
  row_hits -= o.row_hits;
  row_misses -= o.row_misses;
  row_empties -= o.row_empties;
  precharges -= o.precharges;
  refreshes -= o.refreshes;
  read_to_write -= o.read_to_write;
  write_to_read -= o.write_to_read;
  read_mode_cycles -= o.read_mode_cycles;
  write_mode_cycles -= o.write_mode_cycles;
  read_cam_entry_cycles -= o.read_cam_entry_cycles;
  write_cam_entry_cycles -= o.write_cam_entry_cycles;
  data_cycles -= o.data_cycles;
  for (std::size_t port = 0; port < hp_read_bytes.size(); ++port) {
    hp_read_bytes[port] -= o.hp_read_bytes[port];
    hp_write_bytes[port] -= o.hp_write_bytes[port];
  }
  return *this;
}

}  // namespace sluice::model
