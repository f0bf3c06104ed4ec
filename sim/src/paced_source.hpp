// SPDX-License-Identifier: Apache-2.0
// PacedSource: sl_stream_source and sl_stream_dropper on the transaction level: a counter in frames
// of packets, paced by the clock, that may not wait, and what of it found no place.
//
// Words have 64 bits. Of a stream of 32 bits two beats are a word: packets have an even number of
// them, and both are dropped or neither is. CLEAR in the middle of a word loses its first beat.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/model/port_master.hpp"
#include "test_picture.hpp"

namespace sluice::sim {

class PacedSource {
 public:
  // The words feed the master's writes; a beat has the width of its port, 32 or 64 bits, and what
  // the picture, if there is one, draws over it.
  explicit PacedSource(model::Master& master, TestPicture* picture = nullptr)
      : master_(master), picture_(picture), narrow_(master.params().port_bits == 32) {}

  // offset: among its registers. Nothing, and false: there is no such register. store() throws
  // NotModelled for packets that are no multiple of 8 bytes.
  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset) const;
  bool store(uint32_t offset, uint32_t value);

  // A tick.
  void edge();
  // At so many of the next ticks it only counts: in a pause, or between two frames. pass_edges()
  // has at most so many pass at once.
  [[nodiscard]] uint64_t quiet_edges() const;
  void pass_edges(uint64_t count);
  [[nodiscard]] bool running() const { return enable_ || valid_; }
  // Beats dropped since reset; CLEAR zeroes the register alone.
  [[nodiscard]] uint64_t drops() const { return all_drops_; }

 private:
  // What the beat after the presented one is.
  enum class Next : uint8_t { beat, packet, frame, none };

  void present();
  void take();
  void clear();
  void check_packet(uint32_t beats) const;

  model::Master& master_;
  TestPicture* picture_;
  bool narrow_;  // beats of 32 bits

  uint32_t control_ = 0;
  uint32_t packet_beats_ = 1, pause_ticks_ = 0, frame_packets_ = 1, frame_ticks_ = 0, frames_ = 1;
  uint32_t start_ = 0;

  bool enable_ = false, was_enabled_ = false;
  bool done_ = false;
  bool valid_ = false;  // a beat is presented
  bool last_ = false, frame_end_ = false, last_packet_ = false, last_frame_ = false;
  bool fresh_ = true;  // no beat since it was cleared
  bool first_ = true;  // the next frame is the first of its run
  bool windowed_ = false;
  Next next_ = Next::frame;
  uint32_t beats_left_ = 0, packets_left_ = 0, frames_left_ = 0;
  uint32_t pause_ = 0, window_ = 0;
  uint32_t word_ = 0;
  bool upper_ = false;     // narrow_: the presented beat is the second one of a word
  uint32_t lower_ = 0;     // the first one
  bool dropping_ = false;  // which was dropped
  uint64_t beats_ = 0;
  uint32_t packets_done_ = 0, frames_done_ = 0, late_ = 0;

  bool gap_ = false;      // the beat before was dropped
  bool reached_ = false;  // a beat of this packet was not
  uint64_t index_ = 0;
  uint64_t all_drops_ = 0;
  uint64_t drop_beats_ = 0, drop_first_ = 0;
  uint32_t drop_runs_ = 0, drop_packets_ = 0;
};

}  // namespace sluice::sim
