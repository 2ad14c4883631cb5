# Settings shared by every target, and functions that declare a module and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_package(Threads REQUIRED)

add_library(baghzero_options INTERFACE)
target_include_directories(baghzero_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(baghzero_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 takes "text" + std::string for an overlapping copy (GCC bug 105651).
  target_compile_options(baghzero_options INTERFACE -Wno-restrict)
endif()
if(BAGHZERO_WARNINGS_AS_ERRORS)
  target_compile_options(baghzero_options INTERFACE -Werror)
endif()
target_compile_definitions(baghzero_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
target_link_libraries(baghzero_options INTERFACE Threads::Threads)
if(BAGHZERO_NATIVE)
  target_compile_options(baghzero_options INTERFACE -march=native)
endif()
if(BAGHZERO_SANITIZE)
  target_compile_options(baghzero_options INTERFACE -fsanitize=${BAGHZERO_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC sees uninitialised values in its own vector intrinsics (GCC bug 105562).
    target_compile_options(baghzero_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(baghzero_options INTERFACE -fsanitize=${BAGHZERO_SANITIZE})
endif()

# baghzero_module(NAME LIBS...): a static library of every source below the current folder.
function(baghzero_module NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  add_library(baghzero_${NAME} STATIC ${sources})
  target_link_libraries(baghzero_${NAME} PUBLIC baghzero_options ${ARGN})
endfunction()

# baghzero_test(FOLDER LIBS...): one test program of every source in tests/FOLDER. Test suites with
# Slow in their name get the label `slow`.
function(baghzero_test FOLDER)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${FOLDER}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${FOLDER}_tests ${sources})
  target_link_libraries(${FOLDER}_tests PRIVATE ${ARGN} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${FOLDER}_tests PRIVATE
    BAGHZERO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    BAGHZERO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${FOLDER}_tests TEST_FILTER "-*Slow*" DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${FOLDER} TIMEOUT 300)
  gtest_discover_tests(${FOLDER}_tests TEST_FILTER "*Slow*" DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120 PROPERTIES LABELS slow TIMEOUT 1800)
endfunction()
