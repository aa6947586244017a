# cmake -D BUILD=build/release -D SOURCE=. -D WORK=folder [-D ALONE=ON] -P consumer_test.cmake
# Installs the build into a folder, then builds and runs tests/house/consumer against what was installed.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/house/consumer -B ${WORK}/consumer -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/installed -DALONE=${ALONE})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)
message("${output}")
# The installed command stands on its own.
run(${WORK}/installed/bin/leeway --help)
# So does the process that runs programs of model files.
file(GLOB_RECURSE model_process ${WORK}/installed/*/leeway-model)
if(model_process)
  run(${WORK}/installed/bin/leeway inspect ${SOURCE}/tests/reference/torchscript/pair.pt --no-timing)
endif()
