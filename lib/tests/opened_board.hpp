// SPDX-License-Identifier: Apache-2.0
// A board in a test of the C interface: what cannot be had is a failed expectation.
#pragma once

#include <gtest/gtest.h>
#include <sluice.h>

#include <cstdint>
#include <memory>
#include <string>

namespace sluice {

struct CloseBoard {
  void operator()(sluice_board* board) const { sluice_board_close(board); }
};
using Board = std::unique_ptr<sluice_board, CloseBoard>;

inline Board open_board(const std::string& uri) {
  sluice_board* board = nullptr;
  EXPECT_EQ(sluice_board_open(uri.c_str(), &board), 0) << sluice_last_error();
  return Board(board);
}

inline sluice_channel* channel(const Board& board, const char* name) {
  sluice_channel* found = nullptr;
  EXPECT_EQ(sluice_board_find_channel(board.get(), name, &found), 0) << sluice_last_error();
  return found;
}

inline uint8_t* data(sluice_buffer* of) { return static_cast<uint8_t*>(sluice_buffer_data(of)); }

}  // namespace sluice
