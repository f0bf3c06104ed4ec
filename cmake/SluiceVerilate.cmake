# SPDX-License-Identifier: Apache-2.0
find_program(SLUICE_VERILATOR verilator REQUIRED)
find_program(SLUICE_MAKE make REQUIRED)
find_package(Threads REQUIRED)
execute_process(COMMAND ${SLUICE_VERILATOR} --getenv VERILATOR_ROOT
                OUTPUT_VARIABLE SLUICE_VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# sluice_verilator_runtime(NAME HOOKS <header>)
# Makes a library target NAME of Verilator's run time. HOOKS is included before its code: it may
# take over how a design prints and stops (verilated.h, verilated_funcs.h).
function(sluice_verilator_runtime name)
  cmake_parse_arguments(ARG "" "HOOKS" "" ${ARGN})
  set(include ${SLUICE_VERILATOR_ROOT}/include)
  add_library(${name} STATIC ${include}/verilated.cpp ${include}/verilated_threads.cpp)
  target_include_directories(${name} SYSTEM PUBLIC ${include} ${include}/vltstd)
  target_compile_options(${name} PRIVATE -w -include ${ARG_HOOKS})
  target_compile_definitions(${name} PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=0 VM_TRACE_FST=0
                             VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  target_link_libraries(${name} PUBLIC Threads::Threads)
endfunction()

# sluice_verilate(NAME TOP <module> FILELIST <file> RUNTIME <target> PARAMETERS <-GName=value>...
#                 [SOURCES <file>...])
# Makes a library target NAME of RTL: the C++ class V<NAME> (header V<NAME>.h) that Verilator
# builds of TOP with these parameters, assertions live; further options of Verilator's may stand
# among the parameters. FILELIST names the sources, one a line, relative to the top of the tree;
# SOURCES are further ones. RUNTIME is a sluice_verilator_runtime().
function(sluice_verilate name)
  cmake_parse_arguments(ARG "" "TOP;FILELIST;RUNTIME" "PARAMETERS;SOURCES" ${ARGN})
  if(SLUICE_VERILATED_FROM)
    set(folder ${SLUICE_VERILATED_FROM}/verilated/${name})
  else()
    set(folder ${CMAKE_BINARY_DIR}/verilated/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_FILELIST})
    file(STRINGS ${ARG_FILELIST} sources REGEX "^[^#]")
    list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
    list(APPEND sources ${ARG_SOURCES})
    add_custom_command(
      OUTPUT ${folder}/libV${name}.a
      COMMAND ${SLUICE_VERILATOR} --cc --quiet --top-module ${ARG_TOP} --prefix V${name}
              --Mdir ${folder} --assert -Wall -O3 --x-assign fast --x-initial fast --no-timing
              -CFLAGS -fPIC ${ARG_PARAMETERS} ${sources}
      COMMAND ${SLUICE_MAKE} -s -C ${folder} -f V${name}.mk libV${name}.a
              OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2 CFG_CXXFLAGS_PCH_I=-include
      DEPENDS ${sources} ${ARG_FILELIST}
      COMMENT "Verilating ${name}"
      VERBATIM)
  endif()
  add_custom_target(${name}_verilated DEPENDS ${folder}/libV${name}.a)

  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_verilated)
  target_include_directories(${name} SYSTEM INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE ${folder}/libV${name}.a ${ARG_RUNTIME})
endfunction()
