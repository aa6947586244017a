# cmake -D SOURCE=. -P check_format.cmake: every C++ file is as clang-format would write it.
find_program(CLANG_FORMAT NAMES clang-format HINTS ${SOURCE}/build/python/bin REQUIRED NO_DEFAULT_PATH)
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/leeway/*.h ${SOURCE}/leeway/*.cpp ${SOURCE}/apps/*.h
     ${SOURCE}/apps/*.cpp ${SOURCE}/tests/*.h ${SOURCE}/tests/*.cpp ${SOURCE}/bench/*.h ${SOURCE}/bench/*.cpp
     ${SOURCE}/examples/*.cpp ${SOURCE}/python/*.h ${SOURCE}/python/*.cpp)
if(NOT files)
  message(FATAL_ERROR "no C++ files under ${SOURCE}")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${files} WORKING_DIRECTORY ${SOURCE}
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  string(REGEX MATCHALL "[^\n ]+:[0-9]+:[0-9]+: error:" errors "${output}")
  list(TRANSFORM errors REPLACE ":.*" "")
  list(REMOVE_DUPLICATES errors)
  list(JOIN errors " " errors)
  message(FATAL_ERROR "not as clang-format writes it: ${errors}")
endif()
