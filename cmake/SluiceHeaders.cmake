# SPDX-License-Identifier: Apache-2.0
# sluice_headers(TARGET FOLDER): makes TARGET, named like A::B, of a library's headers alone, which
# are those of any processor. Only they are put on the path of headers, none of the system's that
# they lie among.
function(sluice_headers target folder)
  string(REPLACE "::" "_" name headers_${target})
  find_path(${name}_in ${folder} REQUIRED)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
  file(CREATE_LINK ${${name}_in}/${folder} ${CMAKE_BINARY_DIR}/headers/${folder} SYMBOLIC)
  add_library(${name} INTERFACE)
  add_library(${target} ALIAS ${name})
  target_include_directories(${name} SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/headers)
endfunction()
