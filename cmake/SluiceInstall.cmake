# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: libsluice as a shared library, what programs are compiled
# against it with (pkg-config's file, CMake's package), the commands and the man pages.
#
# Three components: runtime (libraries), development (headers and package files), tools (commands,
# man pages and udev's rule). SOVERSION is raised when a program that was linked before would fail;
# structures that grow at their end do not (lib/include/sluice.h, Growth).
include(CMakePackageConfigHelpers)

set(SLUICE_SOVERSION 0)

# The programs of this build have libsluice.a inside, and the shared library is the same objects.
add_library(sluice_library SHARED ${PROJECT_SOURCE_DIR}/lib/src/exports.map)
target_link_libraries(sluice_library PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,sluice>)
target_include_directories(sluice_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(sluice_library PROPERTIES OUTPUT_NAME sluice EXPORT_NAME sluice
                      LINKER_LANGUAGE CXX)
sluice_exports(sluice_library ${PROJECT_SOURCE_DIR}/lib/src/exports.map)

set(libraries sluice_library)
set(headers ${PROJECT_SOURCE_DIR}/lib/include/sluice.h ${PROJECT_SOURCE_DIR}/lib/include/sluice.hpp)
set(packages sluice)
if(TARGET sluice-cuda)
  set_target_properties(sluice-cuda PROPERTIES EXPORT_NAME cuda)
  list(APPEND libraries sluice-cuda)
  list(APPEND headers ${PROJECT_SOURCE_DIR}/lib/cuda/include/sluice_cuda.h
                      ${PROJECT_SOURCE_DIR}/lib/cuda/include/sluice_cuda.hpp)
  list(APPEND packages sluice-cuda)
endif()

set_target_properties(${libraries} PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${SLUICE_SOVERSION})
install(TARGETS ${libraries} EXPORT sluice
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
                NAMELINK_COMPONENT development)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/driver/include/uapi/linux/sluice.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linux COMPONENT development)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(EXPORT sluice NAMESPACE sluice:: DESTINATION ${package} FILE sluice-targets.cmake
        COMPONENT development)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sluice-config.cmake @ONLY
     CONTENT "include(\${CMAKE_CURRENT_LIST_DIR}/sluice-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluice-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluice-config.cmake
              ${PROJECT_BINARY_DIR}/sluice-config-version.cmake
        DESTINATION ${package} COMPONENT development)

set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SLUICE_PREFIX /${pkgconfig} /)
foreach(name ${packages})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
          DESTINATION ${pkgconfig} COMPONENT development)
endforeach()

foreach(program sluice-bench sluice-serve sluice-card)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES
                          INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man2
        COMPONENT tools FILES_MATCHING PATTERN "*.2")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man4
        COMPONENT tools FILES_MATCHING PATTERN "*.4")
install(FILES ${PROJECT_SOURCE_DIR}/driver/udev/60-sluice.rules
        DESTINATION lib/udev/rules.d COMPONENT tools)
