# SPDX-License-Identifier: Apache-2.0

# sluice_warnings(TARGET): the warnings that every C++ target of the project compiles clean with.
# Structures of the C API grow at their end, and what a program does not name is 0: so no warning of
# that.
function(sluice_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                         -Wno-missing-field-initializers)
endfunction()

# sluice_unity(TARGET [ALONE <source>...]): compile a library's sources eight together, because most
# of the compiler's time goes into headers that all of them include. ALONE: sources that define the
# same internal names as others. The sanitized build of the tests compiles each source by itself, so
# each source must include what it uses.
function(sluice_unity target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  if(SLUICE_SANITIZE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# sluice_exports(TARGET MAP): a shared library has the names of MAP, a version script, and no others.
function(sluice_exports target map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# sluice_add_test(SOURCE LIBRARIES...): one GoogleTest program from one source file. Its label is
# the file's path from the top of the tree, by which `make test T=<path>` selects it.
function(sluice_add_test source)
  if(NOT SLUICE_TESTS)
    return()
  endif()
  file(RELATIVE_PATH label ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  string(REGEX REPLACE "[/.]" "_" name ${label})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/testing)
  sluice_warnings(${name})
  if(SLUICE_SANITIZE)
    # Of the tests themselves; what they test has both. It takes a third of their compilation.
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
  endif()
  if(SLUICE_SANITIZE AND label MATCHES "^(cosim|lib)/")
    # These drive what the libraries do, and compile in half the time of -O1; the others simulate.
    target_compile_options(${name} PRIVATE -O0)
  endif()
  add_dependencies(sluice_tests ${name})
  # Of a test that hangs; sweeps take minutes, on a busy machine many.
  gtest_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT 1800)
endfunction()
