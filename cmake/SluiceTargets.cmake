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
# same internal names as others. Each source includes what it uses: tools/tests/test_includes.py
# compiles each by itself, with -DSLUICE_UNITY=OFF.
function(sluice_unity target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SLUICE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# sluice_exports(TARGET MAP): a shared library has the names of MAP, a version script, and no others.
function(sluice_exports target map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# sluice_test_options(TARGET LABEL): what a test's own source is compiled with.
function(sluice_test_options target label)
  sluice_warnings(${target})
  if(NOT SLUICE_SANITIZE)
    return()
  endif()
  # Of the tests themselves; what they test has both. It takes a third of their compilation.
  target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  if(label MATCHES "^(cosim|lib)/")
    # These drive what the libraries do, and compile in half the time of -O1; the others simulate.
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# sluice_test_header(VARIABLE LABEL): the target whose compiled gtest.h a test takes. The compiler
# wants the same options, so there are two of them in the sanitized build.
function(sluice_test_header variable label)
  set(name tests_header)
  if(SLUICE_SANITIZE AND label MATCHES "^(cosim|lib)/")
    set(name tests_header_quick)
  endif()
  set(${variable} ${name} PARENT_SCOPE)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/testing/header.cpp)
  sluice_test_options(${name} ${label})
  # As programs are compiled, not libraries.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
  target_link_libraries(${name} PRIVATE GTest::gtest)
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
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
  sluice_test_options(${name} ${label})
  sluice_test_header(header ${label})
  target_precompile_headers(${name} REUSE_FROM ${header})
  add_dependencies(sluice_tests ${name})
  # Of a test that hangs; sweeps take minutes, on a busy machine many.
  gtest_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT 1800)
endfunction()
