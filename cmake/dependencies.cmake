# Third-party parts. One imported target each; docs/design/dependencies.md gives the reason for each choice.
find_program(DPKG_QUERY dpkg-query)
if(SKBUILD AND DPKG_QUERY)  # pip shows one list of what is missing, before anything is compiled
  set(missing "")
  foreach(package g++ libboost-dev libcli11-dev libcurl4-openssl-dev libdeflate-dev libeigen3-dev libfmt-dev libhwy-dev libjs-vega libpng-dev
          librandom123-dev libtbb-dev libtomlplusplus-dev libturbojpeg0-dev libutf8proc-dev libxxhash-dev nlohmann-json3-dev pkg-config)
    execute_process(COMMAND ${DPKG_QUERY} -W -f \${db:Status-Status} ${package} OUTPUT_VARIABLE status ERROR_QUIET)
    if(NOT status STREQUAL installed)
      string(APPEND missing " ${package}")
    endif()
  endforeach()
  if(missing)
    message(FATAL_ERROR "leeway is compiled here and needs packages of Debian first: apt-get install${missing}")
  endif()
endif()
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
find_package(Boost REQUIRED)  # headers: math, random
if(NOT LEEWAY_STD_THREADS)
  find_package(TBB REQUIRED)
endif()
if(PROJECT_IS_TOP_LEVEL)
  find_package(CLI11 REQUIRED)
endif()
find_package(Eigen3 REQUIRED NO_MODULE)  # headers: leeway/core/linear_algebra.cpp
find_package(PkgConfig REQUIRED)
find_path(LEEWAY_CURL_INCLUDE curl/curl.h REQUIRED)  # headers alone: leeway/endpoint/http.cpp opens the library
pkg_check_modules(HWY REQUIRED libhwy)  # headers alone: see leeway/core/dispatch.h
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)  # Debian's CMake files ask for libraries it lacks

if(LEEWAY_NN)
  # PyPI's torch knows CUDA, and its CMake files stop without nvcc. leeway compiles nothing for CUDA: the libraries are enough.
  find_library(LEEWAY_TORCH_CUDA torch_cuda PATH_SUFFIXES ../../lib)  # the prefix of PyPI's torch is torch/share/cmake
  find_package(CUDAToolkit QUIET)
  if(LEEWAY_TORCH_CUDA AND NOT CUDAToolkit_FOUND)
    cmake_path(GET LEEWAY_TORCH_CUDA PARENT_PATH libraries)
    cmake_path(GET libraries PARENT_PATH prefix)
    add_library(torch INTERFACE IMPORTED)
    target_include_directories(torch INTERFACE ${prefix}/include ${prefix}/include/torch/csrc/api/include)
    target_compile_definitions(torch INTERFACE FMT_HEADER_ONLY)  # its headers of fmt are not those of the system's library
    target_link_libraries(torch INTERFACE
      -Wl,--no-as-needed ${libraries}/libtorch.so -Wl,--as-needed ${libraries}/libtorch_cpu.so ${libraries}/libc10.so)
  else()
    find_package(Torch REQUIRED)  # must stand in the root scope
  endif()
  if(LEEWAY_TORCH_CUDA)  # known without loading it: a start of the command stays short
    set(LEEWAY_CUDA ON)
  endif()
endif()
if(LEEWAY_NN OR LEEWAY_TESTS)
  find_package(Protobuf REQUIRED)  # before ONNX, whose targets name its own
  find_package(ONNX CONFIG REQUIRED)
  if(NOT TARGET ONNX::onnx_proto)  # before ONNX 1.17
    add_library(ONNX::onnx_proto ALIAS onnx_proto)
  endif()
endif()
if(LEEWAY_TESTS)
  find_package(GTest REQUIRED)
  find_package(ZLIB REQUIRED)
endif()
if(LEEWAY_BENCH)
  find_package(benchmark REQUIRED)
endif()
