# cmake -D PROGRAM=file -D EXPECTED=text -P run_example.cmake: the program succeeds and prints exactly that text.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE complained)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}\n${printed}${complained}")
endif()
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}\nprinted\n${printed}")
endif()
