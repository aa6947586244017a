# cmake --install: the command, both libraries, the headers, and a package that find_package(leeway) finds.
#   leeway::leeway   static, without LibTorch
#   leeway::nn       shared, where LEEWAY_NN is ON; the command opens it when it needs a model
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/leeway)

target_compile_features(leeway_library PUBLIC cxx_std_20)
install(TARGETS leeway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/leeway/demo DESTINATION ${CMAKE_INSTALL_DATADIR}/leeway)
install(TARGETS leeway_library EXPORT leeway ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The headers that programs are written against: all but those in a detail folder and, of nn, those below its own.
file(GLOB_RECURSE public_headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS leeway/*.h)
list(FILTER public_headers EXCLUDE REGEX "/detail/|^leeway/nn/.*/")
if(LEEWAY_NN)
  set_target_properties(leeway_nn PROPERTIES EXPORT_NAME nn)
  install(TARGETS leeway_nn EXPORT leeway LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models)
  install(TARGETS leeway_model_process RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/leeway COMPONENT models)
  set_target_properties(leeway_nn PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

install(EXPORT leeway NAMESPACE leeway:: FILE leewayTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/leewayConfig.cmake.in ${PROJECT_BINARY_DIR}/leewayConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/leewayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/leewayConfig.cmake ${PROJECT_BINARY_DIR}/leewayConfigVersion.cmake
        DESTINATION ${package_dir})
if(NOT LEEWAY_STD_THREADS)
  set(LEEWAY_PC_TBB " tbb")
endif()
file(RELATIVE_PATH LEEWAY_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/leeway.pc.in ${PROJECT_BINARY_DIR}/leeway.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/leeway.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE PATTERN run_example.cmake EXCLUDE)
include(${CMAKE_CURRENT_LIST_DIR}/man_page.cmake)

# The JSON schemas of records, as `leeway schema` writes them.
if(NOT CMAKE_CROSSCOMPILING)
  set(schemas ${PROJECT_BINARY_DIR}/schema)
  add_custom_command(OUTPUT ${schemas}/pa.json COMMAND leeway schema --out ${schemas} DEPENDS leeway COMMENT "schemas" VERBATIM)
  add_custom_target(schemas ALL DEPENDS ${schemas}/pa.json)
  install(DIRECTORY ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/leeway OPTIONAL)  # absent where only `leeway` was built
endif()
