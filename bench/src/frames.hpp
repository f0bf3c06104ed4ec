// SPDX-License-Identifier: Apache-2.0
// Frames of a stream, or of several, captured into rings, and a program that does something with
// each: how long it is busy with one, and whether any word of a stream is missing that no loss
// names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::bench {

// How the program gets a frame's bytes: it reads them where the engine wrote them, copies them to
// memory of its own first, or has the driver copy them there by read() (dev: alone).
enum class Method : uint8_t { mmap, copy, read };

// What it does with them: nothing, load each word, or a mean over 3 x 3 pixels of 16 bits.
enum class Look : uint8_t { none, read, filter };

struct Frames {
  std::string uri;
  // SLUICE_CAN_CAPTURE, each with a counter source in front of it. Of several the program takes
  // from the one with the most frames that have come.
  std::vector<std::string> channels = {"hp0.s2mm"};
  uint64_t bytes = 614'400;  // of a frame, a period of the ring; a multiple of the beat
  unsigned width = 640;      // pixels of a row; of the filter alone
  double rate_hz = 120;      // frames a second; 0: as fast as the stream goes
  uint32_t pause_ticks = 0;  // of the logic's clock behind each frame, at least
  uint64_t frames = 200;     // that each source sends
  unsigned periods = 4;      // of the ring
  Method method = Method::mmap;
  Look look = Look::none;
  bool hold = false;    // the stream waits for the program; else it is written over
  bool compare = true;  // each word of a frame with the counter; else its first and last
  // Lanes in loop-back, such as hp1, that copy meanwhile, so many bytes a transfer; dev: alone.
  std::vector<std::string> beside = {};
  uint64_t beside_bytes = uint64_t{1} << 20;
};

struct Framed {
  std::vector<uint64_t> user_ns;  // from when the program knew of a frame to its release
  std::vector<uint64_t> work_ns;  // of the processor for this process, within that; none on sim:
  // From the end of a frame to the end of the next one, by the hardware's clock. None of frames
  // whose ends it does not tell.
  std::vector<uint64_t> engine_ns;
  uint64_t lost = 0;       // frames that were written over, or might have been
  uint64_t unjudged = 0;   // frames of whose words nothing is known, lost or not
  uint64_t drops = 0;      // beats that found no room in front of the engine
  uint64_t behind = 0;     // most frames that had ended when the program began with an earlier one
  uint64_t clock_hz = 0;   // of the logic; 0: the board does not say
  double beside_mb_s = 0;  // 10^6 bytes a second that the lanes beside copied
};

// Each frame is in the times or is lost; all may be. Comparing is not within the times, but it
// takes time, in which frames may be lost. Throws std::invalid_argument: what the channel cannot
// do; std::runtime_error: a word is missing that is neither in a lost frame nor a counted drop, or
// one too many is counted; Failure: the board.
[[nodiscard]] Framed run_frames(const Frames& frames);

// The shortest time from frame to frame at which none is lost, no beat dropped, and the program
// never more than one frame behind. By runs of the same frames at several rates, to 2 %; of
// `frames` the rate does not count. A program that is too slow by less than 1 / frames is not seen.
// A stream without a pause has the shortest time there is. Throws as run_frames(), and
// std::runtime_error where frames are lost at any rate down to one a second.
struct Shortest {
  uint64_t interval_ns;
  double beside_mb_s;  // meanwhile
};
[[nodiscard]] Shortest shortest_interval(Frames frames);

}  // namespace sluice::bench
