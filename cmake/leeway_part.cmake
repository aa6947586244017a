# Flags that every target of the project is built with.
add_library(leeway_flags INTERFACE)
if(LEEWAY_WARNINGS)
  target_compile_options(leeway_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
    $<IF:$<BOOL:${LEEWAY_UNITY}>,$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>,-Wshadow>  # names of other files of a batch are no mistake
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)  # false positives on std::string in GCC 12
endif()
target_compile_options(leeway_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)  # no garbage collection below 1 GB: a twentieth less time
target_compile_definitions(leeway_flags INTERFACE LEEWAY_VERSION="${PROJECT_VERSION}")
target_include_directories(leeway_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(LEEWAY_SANITIZE)
  target_compile_options(leeway_flags INTERFACE -fsanitize=${LEEWAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(leeway_flags INTERFACE -fsanitize=${LEEWAY_SANITIZE})
endif()
if(LEEWAY_STD_THREADS)
  target_compile_definitions(leeway_flags INTERFACE LEEWAY_STD_THREADS)
endif()

# leeway_unity(TARGET [BATCH]): compile BATCH (8) files as one. Files with compile options of their own, and those that
# include Highway's foreach_target.h, stay alone.
function(leeway_unity target)
  if(NOT LEEWAY_UNITY)
    return()
  endif()
  set(batch 8)
  if(ARGC GREATER 1)
    set(batch ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# leeway_alone(FILE...): files of this folder that are not part of a unity batch.
macro(leeway_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endmacro()

# leeway_kernels(PART FILE...): files of a part that hold code for several instruction sets.
macro(leeway_kernels name)
  # vzeroupper after AVX code, which GCC leaves out at -O1: all SSE code after it would run 20 times slower.
  target_compile_options(leeway_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fexpensive-optimizations>)
  leeway_alone(${ARGN})
  if(LEEWAY_SANITIZE MATCHES undefined)  # UBSan's checks of a dozen templates for three instruction sets take clang a minute
    set_source_files_properties(detail/kernel.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
endmacro()

# leeway_fuzzed(TARGET): instrument a target for the fuzzers.
function(leeway_fuzzed target)
  if(LEEWAY_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# leeway_unoptimized(TARGET): compile a target around the library without optimization, in half of the time.
function(leeway_unoptimized target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# leeway_around(TARGET): a target around the analyses, where -O1 costs no time that a user notices and a third less to compile.
function(leeway_around target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# leeway_precompiled(TARGET [OPTION]): the headers that most files include, read once for all targets compiled with OPTION. Clang
# refuses such headers for targets with other sanitizers.
function(leeway_precompiled target)
  if(NOT LEEWAY_UNITY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  set(headers leeway_headers${ARGN})
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(${headers} PRIVATE leeway_flags fmt::fmt nlohmann_json::nlohmann_json)
    target_compile_options(${headers} PRIVATE $<$<CONFIG:Release>:${ARGN}>)
    target_precompile_headers(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/leeway/precompiled.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# leeway_part(NAME [AROUND] [GENERATED a.cpp ...] USES core ... LINKS external targets ...)
# All .cpp files in and below a folder as an object library leeway_NAME; leeway::leeway joins all parts.
function(leeway_part name)
  cmake_parse_arguments(PART "AROUND" "" "GENERATED;USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  add_library(leeway_${name} OBJECT ${sources} ${PART_GENERATED})
  leeway_unity(leeway_${name})
  if(PART_AROUND)
    leeway_around(leeway_${name})
    leeway_precompiled(leeway_${name} -O1)
  else()
    leeway_precompiled(leeway_${name})
  endif()
  target_link_libraries(leeway_${name} PUBLIC leeway_flags ${PART_LINKS})
  leeway_fuzzed(leeway_${name})
  foreach(other ${PART_USES})
    target_link_libraries(leeway_${name} PUBLIC leeway_${other})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY LEEWAY_PARTS leeway_${name})
endfunction()

# leeway_test(NAME [SOURCES a_test.cpp ...] [EXCEPT b.cpp ...] [LINKS ...] [LABELS ...])
# One executable NAME_test over the library, by default of all .cpp files in and below the folder but EXCEPT. ctest runs it twice:
# as NAME_test (label tier1) without the suites named *Tier2*, and as NAME_tier2 (label tier2) with these alone.
function(leeway_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;EXCEPT;LINKS;LABELS" ${ARGN})
  if(NOT TEST_SOURCES)
    file(GLOB_RECURSE TEST_SOURCES RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
    list(REMOVE_ITEM TEST_SOURCES "" ${TEST_EXCEPT})
  endif()
  add_executable(${name}_test ${TEST_SOURCES})
  leeway_unoptimized(${name}_test)
  if(LEEWAY_UNITY AND NOT "nn" IN_LIST TEST_LABELS)  # tests of nn are few and large units of their own
    if(NOT TARGET leeway_test_headers)
      file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "int main() {}\n")
      add_executable(leeway_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)  # compiled with the flags of test programs
      target_link_libraries(leeway_test_headers PRIVATE leeway_flags GTest::gmock)
      leeway_unoptimized(leeway_test_headers)
      target_precompile_headers(leeway_test_headers PRIVATE ${PROJECT_SOURCE_DIR}/tests/precompiled.h)
    endif()
    target_precompile_headers(${name}_test REUSE_FROM leeway_test_headers)
    leeway_unity(${name}_test 10)
  endif()
  if(LEEWAY_SANITIZE)
    target_compile_definitions(${name}_test PRIVATE LEEWAY_SANITIZED)  # slower, and with an address space of its own
  endif()
  target_link_libraries(${name}_test PRIVATE leeway_flags ${TEST_LINKS} leeway_library GTest::gmock GTest::gtest_main
    ZLIB::ZLIB)
  target_compile_definitions(${name}_test PRIVATE
    LEEWAY_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data"
    LEEWAY_REFERENCE="${PROJECT_SOURCE_DIR}/tests/reference"
    LEEWAY_COMMAND="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/leeway")
  if(NOT TEST_LABELS)
    set(TEST_LABELS torch-free)  # an empty list would take the next word as its value
  endif()
  add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1 --gtest_filter=-*Tier2*)
  add_test(NAME ${name}_tier2 COMMAND ${name}_test --gtest_brief=1 --gtest_filter=*Tier2*)
  set_tests_properties(${name}_test ${name}_tier2 PROPERTIES TIMEOUT 1800)
  set_tests_properties(${name}_test PROPERTIES LABELS "tier1;${TEST_LABELS}")
  set_tests_properties(${name}_tier2 PROPERTIES LABELS "tier2;${TEST_LABELS}")
endfunction()
