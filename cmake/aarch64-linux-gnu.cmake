# SPDX-License-Identifier: Apache-2.0
# For 64-bit Arm machines under Linux: cmake --toolchain cmake/aarch64-linux-gnu.cmake ...
# (Debian's package g++-aarch64-linux-gnu).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
