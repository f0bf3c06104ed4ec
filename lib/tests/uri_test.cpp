// SPDX-License-Identifier: Apache-2.0
#include "uri.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "error.hpp"
#include "tcp_place.hpp"

namespace sluice {
namespace {

// The sentence that refusing something gives; empty if it is not refused.
template <typename Call>
std::string refusal(Call call, int errnum = EINVAL) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.errnum(), errnum);
    return error.what();
  }
  return "";
}

TEST(Uri, HasItsParts) {
  Uri uri("sim:zynq7010/hp_stress?width=32&clock_mhz=142.5&start_cost_ns=0");
  EXPECT_EQ(uri.scheme(), "sim");
  EXPECT_EQ(uri.board(), "zynq7010");
  EXPECT_EQ(uri.design(), "hp_stress");
  EXPECT_EQ(uri.take_integer("width", 0, 64), 32U);
  EXPECT_EQ(uri.take_number("clock_mhz", 10, 250), 142.5);
  EXPECT_EQ(uri.take_integer("start_cost_ns", 0, 10), 0U);
  EXPECT_EQ(uri.take_integer("absent", 0, 10), std::nullopt);
  EXPECT_NO_THROW(uri.expect_empty("width"));
}

TEST(Uri, RefusesOtherForms) {
  for (const char* text : {"", "sim", "sim:", ":a/b", "sim:zynq7010", "sim:/b", "sim:a/",
                           "sim:a/b?width", "sim:a/b?=3", "sim:a/b?width=1&&x=2"})
    EXPECT_NE(refusal([&] { Uri uri(text); }).find("not of the form"), std::string::npos) << text;
  EXPECT_NE(refusal([] { Uri uri("sim:a/b?w=1&w=2"); }).find("gives 'w' twice"), std::string::npos);
}

TEST(Uri, RefusesValuesOutOfRangeAndNamesTheRange) {
  for (const char* value : {"", "x", "-1", "65", "3.5", "1e3", " 3", "99999999999999999999"}) {
    Uri uri(std::string("sim:a/b?width=") + value);
    EXPECT_EQ(refusal([&] { (void)uri.take_integer("width", 0, 64); }),
              std::string("width must be a whole number from 0 to 64, not '") + value + "'");
  }
  for (const char* value : {"nan", "inf", "9.9", "251", "ten"}) {
    Uri uri(std::string("sim:a/b?clock_mhz=") + value);
    EXPECT_EQ(refusal([&] { (void)uri.take_number("clock_mhz", 10, 250); }),
              std::string("clock_mhz must be a number from 10 to 250, not '") + value + "'");
  }
}

TEST(Uri, NamesTheKeyNobodyTook) {
  const Uri uri("sim:a/b?widht=64");
  EXPECT_EQ(refusal([&] { uri.expect_empty("width"); }),
            "unknown key 'widht' in board URI 'sim:a/b?widht=64'; allowed: width");
}

TEST(TcpPlace, HasHostAndPort) {
  struct Case {
    const char* text;
    const char* host;
    uint16_t port;
  };
  for (const Case& one : {Case{"radio", "radio", tcp::kDefaultPort}, Case{"radio:7", "radio", 7},
                          Case{"192.168.1.2:65535", "192.168.1.2", 65535},
                          Case{"radio:0", "radio", 0}, Case{"::1", "::1", tcp::kDefaultPort},
                          Case{"[::1]", "::1", tcp::kDefaultPort}, Case{"[::1]:7", "::1", 7}}) {
    const auto place = tcp::parse_place(one.text);
    ASSERT_TRUE(place) << one.text;
    EXPECT_EQ(place->host, one.host) << one.text;
    EXPECT_EQ(place->port, one.port) << one.text;
  }
  for (const char* text : {"", ":7", "radio:", "radio:http", "radio:65536", "radio:-1", "[]:7",
                           "[::1", "[::1]x", "[::1]7", "[::1]:"})
    EXPECT_FALSE(tcp::parse_place(text)) << text;
}

}  // namespace
}  // namespace sluice
