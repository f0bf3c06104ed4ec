# SPDX-License-Identifier: Apache-2.0
find_program(SLUICE_VERILATOR verilator REQUIRED)
find_program(SLUICE_MAKE make REQUIRED)
# What Verilator writes runs a fifth faster if clang compiles it; where there is none, the compiler
# of everything else does.
find_program(SLUICE_CLANGXX clang++)
find_program(SLUICE_PYTHON3 python3 REQUIRED)  # with PyYAML: .venv's, see tools/setup
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
  # Little of it runs in a simulation, and -O2 compiles twice as long. As Verilated code it is not
  # sanitized.
  target_compile_options(${name} PRIVATE -w -O1 -fno-sanitize=all -include ${ARG_HOOKS})
  target_compile_definitions(${name} PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=0 VM_TRACE_FST=0
                             VM_TRACE_VCD=0 VM_TRACE_SAIF=0)
  target_link_libraries(${name} PUBLIC Threads::Threads)
endfunction()

# sluice_cores(VARIABLE WHAT [MODULE...]): the lines that `tools/cores.py --WHAT` prints, as absolute
# paths. A core that changes, comes or goes has CMake run again.
function(sluice_cores variable what)
  execute_process(COMMAND ${SLUICE_PYTHON3} -m tools.cores --${what} ${ARGN}
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  list(TRANSFORM lines PREPEND ${PROJECT_SOURCE_DIR}/)
  set(${variable} ${lines} PARENT_SCOPE)
endfunction()
file(GLOB_RECURSE cores CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/*.core
     ${PROJECT_SOURCE_DIR}/regs/*.core)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cores})

# sluice_verilate(NAME TOP <module> RUNTIME <target> PARAMETERS <-GName=value>... [MODULE <module>]
#                 [SOURCES <file>...] [OPTIMIZE <option>])
# Makes a library target NAME of RTL: the C++ class V<NAME> (header V<NAME>.h) that Verilator
# builds of TOP with these parameters, assertions live; further options of Verilator's may stand
# among the parameters. The sources are what the cores have of MODULE, by default TOP; SOURCES are
# further ones. RUNTIME is a sluice_verilator_runtime(). OPTIMIZE is -O1 by default, which simulates
# 4 % slower than -O2 (9 % with g++) and compiles in less time; with g++ without three passes that
# take a third of that time and make the simulation no faster. A design is compiled as one
# translation unit: in 24 s of processor time where Verilator's many, which read the same headers
# again and again, take 47 (hp_stress, -O1).
function(sluice_verilate name)
  cmake_parse_arguments(ARG "" "TOP;MODULE;RUNTIME;OPTIMIZE" "PARAMETERS;SOURCES" ${ARGN})
  if(SLUICE_CLANGXX)
    set(compiler ${SLUICE_CLANGXX})
    set(optimize -O1)
  else()
    set(compiler ${CMAKE_CXX_COMPILER})
    set(optimize "-O1 -fno-tree-dominator-opts -fno-tree-dse -fno-tree-fre")
  endif()
  if(ARG_OPTIMIZE)
    set(optimize ${ARG_OPTIMIZE})
  endif()
  if(NOT ARG_MODULE)
    set(ARG_MODULE ${ARG_TOP})
  endif()
  if(SLUICE_VERILATED_FROM)
    set(folder ${SLUICE_VERILATED_FROM}/verilated/${name})
  else()
    set(folder ${CMAKE_BINARY_DIR}/verilated/${name})
    sluice_cores(sources sources ${ARG_MODULE})
    # What a file uses may change with it.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
    sluice_cores(includes includes)
    set(headers)
    foreach(include ${includes})
      file(GLOB found CONFIGURE_DEPENDS ${include}/*.svh)
      list(APPEND headers ${found})
    endforeach()
    list(TRANSFORM includes PREPEND -I)
    list(APPEND sources ${ARG_SOURCES})
    set(shared_modules ${PROJECT_SOURCE_DIR}/cmake/shared_modules.vlt)
    add_custom_command(
      OUTPUT ${folder}/libV${name}.a
      # Verilator leaves the files of an earlier run; tools.verilated would take them for its own.
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
      COMMAND ${SLUICE_VERILATOR} --cc --quiet --top-module ${ARG_TOP} --prefix V${name}
              --Mdir ${folder} --assert -Wall -O3 --x-assign fast --x-initial fast --no-timing
              -CFLAGS -fPIC ${includes} ${ARG_PARAMETERS} ${shared_modules} ${sources}
      COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}
              ${SLUICE_PYTHON3} -m tools.verilated ${folder}
      COMMAND ${SLUICE_MAKE} -s -C ${folder} -f V${name}.mk libV${name}.a
              VM_PARALLEL_BUILDS=0 CXX=${compiler} "OPT_FAST=${optimize}" OPT_GLOBAL=-O2
      DEPENDS ${sources} ${headers} ${shared_modules} ${PROJECT_SOURCE_DIR}/tools/verilated.py
              ${PROJECT_SOURCE_DIR}/tools/verilated_lanes.py
              ${PROJECT_SOURCE_DIR}/tools/verilated_rest.py
      COMMENT "Verilating ${name}"
      VERBATIM)
  endif()
  add_custom_target(${name}_verilated DEPENDS ${folder}/libV${name}.a)

  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_verilated)
  target_include_directories(${name} SYSTEM INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE ${folder}/libV${name}.a ${ARG_RUNTIME})
  set_property(TARGET ${name} PROPERTY SLUICE_ARCHIVE ${folder}/libV${name}.a)
endfunction()

# sluice_includes_verilated(SOURCE MODEL...): SOURCE of the calling folder includes the headers of
# these sluice_verilate() targets. Verilator rewrites them with each new archive, which the build
# does not know of a header: so SOURCE depends on the archives.
function(sluice_includes_verilated source)
  set(archives)
  foreach(model ${ARGN})
    get_property(archive TARGET ${model} PROPERTY SLUICE_ARCHIVE)
    list(APPEND archives ${archive})
  endforeach()
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${archives}")
endfunction()
