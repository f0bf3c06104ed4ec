# SPDX-License-Identifier: Apache-2.0
# For 64-bit x86 machines under Linux: cmake --toolchain cmake/x86_64-linux-gnu.cmake ...
# (Debian's package g++, or g++-x86-64-linux-gnu elsewhere).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
