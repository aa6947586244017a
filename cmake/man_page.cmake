# leeway.1, the man page, from what the command's --help prints; installed where there is a python3 to write it.
find_program(LEEWAY_MAN_PYTHON python3 PATHS /usr/bin)
if(LEEWAY_MAN_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  set(man_page ${PROJECT_BINARY_DIR}/man/leeway.1)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man_page}
    COMMAND ${LEEWAY_MAN_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/man_page.py $<TARGET_FILE:leeway> ${man_page}
    DEPENDS leeway ${CMAKE_CURRENT_LIST_DIR}/man_page.py COMMENT "leeway.1" VERBATIM)
  add_custom_target(man_page ALL DEPENDS ${man_page})
  install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)  # absent where only `leeway` was built
endif()
