# The one way rooms, tools and tests are declared, so that flags and labels are the same everywhere.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(TOKTIER_CCACHE ccache)
if(TOKTIER_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TOKTIER_CCACHE})
endif()

add_library(toktier_warnings INTERFACE)
target_compile_features(toktier_warnings INTERFACE cxx_std_20)
target_compile_options(toktier_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The rooms go into a shared library; without this no call inside it could be inlined.
  target_compile_options(toktier_warnings INTERFACE -fno-semantic-interposition)
  target_compile_options(toktier_warnings INTERFACE -Wduplicated-cond -Wlogical-op)
  if(TOKTIER_SANITIZE)
    # The checks that sanitizers put into the code confuse g++ 12's flow analysis: false alarms.
    target_compile_options(toktier_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
  # g++ 12 sees overlapping copies in std::string operator+ at -O3 (its bug 105651) and members of
  # moved variants as uninitialised: false alarms. The other presets keep both warnings.
  target_compile_options(toktier_warnings INTERFACE
    $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Signedness alone is not part of g++'s -Wconversion for C++, and g++ is the compiler of record.
  target_compile_options(toktier_warnings INTERFACE -Wno-sign-conversion)
endif()
if(TOKTIER_WERROR)
  target_compile_options(toktier_warnings INTERFACE -Werror)
endif()

add_library(toktier_sanitizers INTERFACE)
if(TOKTIER_SANITIZE)
  target_compile_options(toktier_sanitizers INTERFACE
    -fsanitize=${TOKTIER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(toktier_sanitizers INTERFACE -fsanitize=${TOKTIER_SANITIZE})
endif()

# toktier_add_room(NAME [DEPS rooms or imported targets...] [PRIVATE_DEPS ...])
# A room is a static library of every *.cpp in its folder that is not a test, alias toktier::NAME, and one
# doctest program of its *_test.cpp files, registered with ctest under the labels in TEST_LABELS. Folders of the
# room may hold a *.cmake file that sets properties of their sources. The objects of all rooms together are the
# library users get, see ToktierUmbrella.cmake.
function(toktier_add_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;PRIVATE_DEPS;TEST_DEPS;TEST_LABELS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  file(GLOB settings CONFIGURE_DEPENDS */*.cmake)
  foreach(setting ${settings})
    include(${setting})
  endforeach()
  if(sources)
    add_library(toktier_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(toktier_${name} PRIVATE toktier_warnings toktier_sanitizers)
    set_property(GLOBAL APPEND PROPERTY TOKTIER_ROOMS toktier_${name})
  else()
    add_library(toktier_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(toktier::${name} ALIAS toktier_${name})
  target_include_directories(toktier_${name} ${scope}
    ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/lib/include)
  target_compile_features(toktier_${name} ${scope} cxx_std_20)
  target_link_libraries(toktier_${name} ${scope} ${ROOM_DEPS})
  if(sources AND ROOM_PRIVATE_DEPS)
    target_link_libraries(toktier_${name} PRIVATE ${ROOM_PRIVATE_DEPS})
  endif()
  set(foreign ${ROOM_DEPS} ${ROOM_PRIVATE_DEPS})
  list(FILTER foreign EXCLUDE REGEX "^toktier::")
  set_property(GLOBAL APPEND PROPERTY TOKTIER_FOREIGN_LIBRARIES ${foreign})
  if(TOKTIER_BUILD_TESTS AND tests)
    if(NOT ROOM_TEST_LABELS)
      set(ROOM_TEST_LABELS unit)
    endif()
    toktier_add_test(${name}_test LABELS ${ROOM_TEST_LABELS} SOURCES ${tests}
                     DEPS toktier::${name} ${ROOM_TEST_DEPS})
  endif()
endfunction()

# toktier_add_test(NAME SOURCES ... DEPS ... LABELS ...): one doctest program.
function(toktier_add_test name)
  cmake_parse_arguments(T "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES} ${PROJECT_SOURCE_DIR}/lib/base/testing/doctest_main.cc)
  target_link_libraries(${name} PRIVATE ${T_DEPS} doctest::doctest fmt::fmt toktier_warnings
                        toktier_sanitizers)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}"
    ENVIRONMENT "TOKTIER_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # doctest's inlined bodies confuse g++ 12's flow analysis at -O3: false alarms.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()

# toktier_add_app(NAME SOURCES ... [DEPS ...]): a program toktier-NAME that links the one shared library and is
# installed beside it. It may use the rooms' headers.
function(toktier_add_app name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(toktier-${name} ${A_SOURCES})
  target_link_libraries(toktier-${name} PRIVATE toktier::toktier ${A_DEPS} fmt::fmt toktier_warnings
                        toktier_sanitizers)
  target_include_directories(toktier-${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  set_target_properties(toktier-${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  if(TOKTIER_BUILD_INSTALL)
    install(TARGETS toktier-${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()
