# SPDX-License-Identifier: Apache-2.0
# For 32-bit Arm machines under Linux, the Zynq-7000 among them:
# cmake --toolchain cmake/arm-linux-gnueabihf.cmake ... (Debian's package g++-arm-linux-gnueabihf).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
