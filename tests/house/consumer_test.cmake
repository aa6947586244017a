# cmake -D BUILD=build/release -D SOURCE=. -D WORK=folder [-D ALONE=ON] -P consumer_test.cmake
# Installs the build into a folder, then builds and runs tests/house/consumer against what was installed.
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/house/consumer -B ${WORK}/consumer -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/installed -DALONE=${ALONE})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)
message("${output}")
# An installed example, by pkg-config.
run(bash -c "export PKG_CONFIG_PATH=$(dirname $(find ${WORK}/installed -name leeway.pc)) && cd installed/share/doc/leeway/examples &&
  c++ $(pkg-config --cflags leeway) 01_posterior_agreement.cpp $(pkg-config --libs leeway) -o ${WORK}/example && ${WORK}/example")
# As a part of another project, leeway needs neither tests nor models.
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/house/consumer -B ${WORK}/subproject -DSUBPROJECT=${SOURCE}
    -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON -DCMAKE_DISABLE_FIND_PACKAGE_ONNX=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
# The installed command stands on its own.
run(${WORK}/installed/bin/leeway --help)
# So does the process that runs programs of model files.
file(GLOB_RECURSE model_process ${WORK}/installed/*/leeway-model)
if(model_process)
  run(${WORK}/installed/bin/leeway inspect ${SOURCE}/tests/reference/torchscript/pair.pt --no-timing)
endif()
