# SPDX-License-Identifier: Apache-2.0
# fmt::fmt out of its headers alone, which are those of any processor. Only they are put on the path
# of headers, none of the system's that they lie among.
find_path(SLUICE_FMT_HEADERS fmt/core.h REQUIRED)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
file(CREATE_LINK ${SLUICE_FMT_HEADERS}/fmt ${CMAKE_BINARY_DIR}/headers/fmt SYMBOLIC)
add_library(sluice_fmt INTERFACE)
add_library(fmt::fmt ALIAS sluice_fmt)
target_include_directories(sluice_fmt SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/headers)
target_compile_definitions(sluice_fmt INTERFACE FMT_HEADER_ONLY)
