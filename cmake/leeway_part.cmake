# Flags that every target of ours is built with.
add_library(leeway_flags INTERFACE)
target_compile_options(leeway_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # false positives on std::string in GCC 12
target_compile_definitions(leeway_flags INTERFACE LEEWAY_VERSION="${PROJECT_VERSION}")
target_include_directories(leeway_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(LEEWAY_SANITIZE)
  target_compile_options(leeway_flags INTERFACE -fsanitize=${LEEWAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(leeway_flags INTERFACE -fsanitize=${LEEWAY_SANITIZE})
endif()
if(LEEWAY_STD_THREADS)
  target_compile_definitions(leeway_flags INTERFACE LEEWAY_STD_THREADS)
endif()

# leeway_fuzzed(TARGET): a target that fuzzers look into.
function(leeway_fuzzed target)
  if(LEEWAY_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# leeway_unoptimized(TARGET): a target around the library: it compiles in half of the time.
function(leeway_unoptimized target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# leeway_part(NAME SOURCES a.cpp ... USES core ... LINKS external targets ...)
# A folder of the torch-free library as an object library leeway_NAME; leeway::leeway joins them all.
function(leeway_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(leeway_${name} OBJECT ${PART_SOURCES})
  target_link_libraries(leeway_${name} PUBLIC leeway_flags ${PART_LINKS})
  leeway_fuzzed(leeway_${name})
  foreach(other ${PART_USES})
    target_link_libraries(leeway_${name} PUBLIC leeway_${other})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY LEEWAY_PARTS leeway_${name})
endfunction()

# leeway_test(NAME SOURCES a_test.cpp ... PARTS core agreement ... [LINKS ...] [LABELS ...])
# One executable NAME_test over the named parts, registered with ctest test by test, or in LEEWAY_TEST_SHARDS parts: to start a
# process for each of thousands of tests takes longer than most of them. Parts must include every part they use.
function(leeway_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;PARTS;LINKS;LABELS" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  leeway_unoptimized(${name}_test)
  if(LEEWAY_SANITIZE)
    target_compile_definitions(${name}_test PRIVATE LEEWAY_SANITIZED)  # slower, and with an address space of its own
  endif()
  foreach(part ${TEST_PARTS})
    target_link_libraries(${name}_test PRIVATE leeway_${part})
  endforeach()
  target_link_libraries(${name}_test PRIVATE GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest ${TEST_LINKS})
  target_compile_definitions(${name}_test PRIVATE
    LEEWAY_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data"
    LEEWAY_REFERENCE="${PROJECT_SOURCE_DIR}/tests/reference"
    LEEWAY_COMMAND="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/leeway")
  if(NOT TEST_LABELS)
    set(TEST_LABELS torch-free)  # an empty list would take the next word as its value
  endif()
  if(NOT LEEWAY_TEST_SHARDS)
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 600 LABELS "${TEST_LABELS}" ENVIRONMENT "RC_PARAMS=seed=1")  # a run repeats
    return()
  endif()
  foreach(shard RANGE 1 ${LEEWAY_TEST_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}_test.${shard} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name}_test.${shard} PROPERTIES TIMEOUT 1800 LABELS "${TEST_LABELS}"
      ENVIRONMENT "RC_PARAMS=seed=1;GTEST_TOTAL_SHARDS=${LEEWAY_TEST_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
include(GoogleTest)
