# libtoktier.so: the objects of all rooms in one shared library, target toktier::toktier. It is what the programs
# link and what is installed, with the public headers (lib/include) and a CMake package.

get_property(rooms GLOBAL PROPERTY TOKTIER_ROOMS)
get_property(foreign GLOBAL PROPERTY TOKTIER_FOREIGN_LIBRARIES)
list(REMOVE_DUPLICATES foreign)

set(objects "")
foreach(room ${rooms})
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()

add_library(toktier SHARED ${objects})
add_library(toktier::toktier ALIAS toktier)
set_target_properties(toktier PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_features(toktier PUBLIC cxx_std_20)
if(NOT TOKTIER_SANITIZE)
  target_link_options(toktier PRIVATE -Wl,--no-undefined)
endif()
target_include_directories(toktier PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Private, and hidden from the exported package: who uses the library needs no development files of these.
foreach(library ${foreign} toktier_sanitizers)
  target_link_libraries(toktier PRIVATE $<BUILD_INTERFACE:${library}>)
endforeach()

if(TOKTIER_BUILD_INSTALL)
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toktier)
  install(TARGETS toktier EXPORT toktierTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/include/toktier
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT toktierTargets NAMESPACE toktier:: DESTINATION ${package_dir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/scripts/cmake/toktierConfig.cmake.in
    ${PROJECT_BINARY_DIR}/toktierConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/toktierConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/toktierConfig.cmake
    ${PROJECT_BINARY_DIR}/toktierConfigVersion.cmake DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/toktier)
endif()
