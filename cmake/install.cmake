# cmake --install: the command, both libraries, the headers, and a package that find_package(leeway) finds.
#   leeway::leeway   static, without LibTorch
#   leeway::nn       shared, where LEEWAY_NN is ON; the command opens it when it needs a model
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/leeway)

target_compile_features(leeway_library PUBLIC cxx_std_20)
install(TARGETS leeway RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS leeway_library EXPORT leeway ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The headers that programs are written against; those beside them belong to their folder.
file(GLOB core_headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS leeway/core/*.h leeway/record/*.h leeway/tasks/*.h)
set(public_headers leeway/agreement/agreement.h leeway/agreement/ar_gap.h leeway/agreement/confidence.h
    leeway/agreement/decomposition.h leeway/agreement/distance.h leeway/agreement/entropy.h leeway/agreement/pair_evidence.h
    leeway/agreement/pairing.h leeway/agreement/ratios.h leeway/agreement/selection.h leeway/average_case/average_case.h leeway/average_case/convergence.h
    leeway/average_case/mvn_cdf.h leeway/average_case/noise.h leeway/average_case/summary.h
    leeway/error_bound/centred.h leeway/error_bound/component_range.h leeway/error_bound/confidence.h leeway/error_bound/dis2.h leeway/error_bound/estimator.h
    leeway/error_bound/evaluation.h leeway/error_bound/evidence.h leeway/error_bound/sample.h leeway/error_bound/shift_table.h leeway/conds/conds.h
    leeway/conds/describe.h leeway/data/load.h leeway/data/render.h leeway/data/rendered_set.h leeway/shift/shift.h leeway/data/split.h
    leeway/tasks/assess/gates.h leeway/tasks/assess/inputs.h leeway/tasks/assess/rows.h
    leeway/data/training_data.h leeway/nn/attack.h leeway/nn/model.h leeway/nn/predictor.h leeway/nn/session.h
    leeway/nn/train.h leeway/report/report.h)
if(LEEWAY_NN)
  set_target_properties(leeway_nn PROPERTIES EXPORT_NAME nn)
  install(TARGETS leeway_nn EXPORT leeway LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(leeway_nn PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
foreach(header ${core_headers} ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

install(EXPORT leeway NAMESPACE leeway:: FILE leewayTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/leewayConfig.cmake.in ${PROJECT_BINARY_DIR}/leewayConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/leewayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/leewayConfig.cmake ${PROJECT_BINARY_DIR}/leewayConfigVersion.cmake
        DESTINATION ${package_dir})
include(${CMAKE_CURRENT_LIST_DIR}/man_page.cmake)
