# Third-party parts. One imported target each; docs/design/dependencies.md gives the reason for each choice.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
find_package(Boost REQUIRED)  # headers: math, random
if(NOT LEEWAY_STD_THREADS)
  find_package(TBB REQUIRED)
endif()
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)  # headers: leeway/core/linear_algebra.cpp
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED libhwy)  # headers alone: see leeway/core/dispatch.h
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
find_package(Protobuf REQUIRED)  # before ONNX, whose targets name its own
find_package(ONNX CONFIG REQUIRED)
pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)  # Debian's CMake files ask for libraries it lacks

if(LEEWAY_NN AND SKBUILD)  # pip: the model part where LibTorch is there
  find_package(Torch QUIET)
  if(NOT Torch_FOUND)
    message(STATUS "no LibTorch: the command is built without models")
    set(LEEWAY_NN OFF)
  endif()
endif()
if(LEEWAY_NN)
  find_package(Torch REQUIRED)  # must stand in the root scope
  if(TARGET torch_cuda OR TORCH_CUDA_LIBRARIES)  # known without loading it: a start of the command stays short
    set(LEEWAY_CUDA ON)
  endif()
endif()
if(LEEWAY_TESTS)
  find_package(GTest REQUIRED)
  find_package(ZLIB REQUIRED)
endif()
if(LEEWAY_BENCH)
  find_package(benchmark REQUIRED)
endif()
