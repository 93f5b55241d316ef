# What Keratin is made with: every package that is looked for, with the version that it must have. README.md beside this
# says why each is there and what its licence is.

# keratin_find_package(<name> FOR <what needs it> DEBIAN <packages...> [VERSION <version>] [FIND <words for find_package...>])
# A macro, since find_package leaves variables where it is called.
macro(keratin_find_package name)
  cmake_parse_arguments(KERATIN_NEEDED "" "FOR;VERSION" "DEBIAN;FIND" ${ARGN})
  find_package(${name} ${KERATIN_NEEDED_VERSION} QUIET ${KERATIN_NEEDED_FIND})
  if(NOT ${name}_FOUND)
    keratin_missing_package(${name})
  endif()
endmacro()

# Ends the configuration: what was found is said too, as another version often is.
function(keratin_missing_package name)
  list(JOIN KERATIN_NEEDED_DEBIAN " " packages)
  set(found "")
  foreach(config version IN ZIP_LISTS ${name}_CONSIDERED_CONFIGS ${name}_CONSIDERED_VERSIONS)
    string(APPEND found "  found: version ${version} at ${config}\n")
  endforeach()
  if(${name}_NOT_FOUND_MESSAGE)
    string(APPEND found "  CMake says: ${${name}_NOT_FOUND_MESSAGE}\n")
  endif()
  string(STRIP "${name} ${KERATIN_NEEDED_VERSION}" wanted)
  message(FATAL_ERROR "Keratin needs ${wanted} (${KERATIN_NEEDED_FOR}), which is not here.\n${found}"
    "  On Debian 12: apt-get install ${packages}\n"
    "  Elsewhere: CMAKE_PREFIX_PATH says where it is; third_party/README.md says more.")
endfunction()

option(KERATIN_STATIC_DEPENDENCIES "Link LLVM, MLIR, Abseil and Protocol Buffers statically, and bring a linker" OFF)
if(KERATIN_STATIC_DEPENDENCIES)
  set(ZLIB_USE_STATIC_LIBS ON)
  set(Protobuf_USE_STATIC_LIBS ON)
endif()

# The build itself.
keratin_find_package(Threads FOR "threads of the runtime" DEBIAN libc6-dev)
keratin_find_package(ZLIB VERSION 1.2 FOR "LLVM and NumPy's archives" DEBIAN zlib1g-dev)
# Interfaces change with every major version, and LLVM's version file refuses "19".
keratin_find_package(LLVM VERSION 19.1 FOR "code generation" DEBIAN llvm-19-dev
  FIND CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm)
# LLVM's libraries name it, and LLVM brings the module that finds it, but is found without it too.
list(APPEND CMAKE_MODULE_PATH "${LLVM_CMAKE_DIR}")
keratin_find_package(zstd FOR LLVM DEBIAN libzstd-dev FIND MODULE)
keratin_find_package(MLIR VERSION 19.1 FOR "graphs and their passes" DEBIAN libmlir-19-dev mlir-19-tools
  FIND CONFIG PATHS /usr/lib/llvm-19/lib/cmake/mlir)
keratin_find_package(absl FOR "status values of the compiler" DEBIAN libabsl-dev FIND CONFIG)
# CMake's own module: Debian's libprotobuf-dev has no package file.
keratin_find_package(Protobuf VERSION 3.21 FOR "saved graphs" DEBIAN libprotobuf-dev protobuf-compiler)
if(NOT Protobuf_PROTOC_EXECUTABLE)
  set(KERATIN_NEEDED_DEBIAN protobuf-compiler)
  set(KERATIN_NEEDED_FOR "protoc, for saved graphs")
  keratin_missing_package(Protobuf)
endif()
keratin_find_package(nlohmann_json VERSION 3.11 FOR "keras.json, safetensors and the benchmarks' results" DEBIAN nlohmann-json3-dev)

# What tools/python.sh has made.
set(_python ${CMAKE_SOURCE_DIR}/build/python-env/bin/python)

if(KERATIN_BUILD_TESTS)
  # Version 3 has other headers.
  keratin_find_package(Catch2 VERSION 2.13 FOR "unit tests, which -DKERATIN_BUILD_TESTS=OFF leaves out" DEBIAN catch2
    FIND CONFIG)
  # Some scripts take NumPy.
  if(EXISTS ${_python} AND NOT Python3_EXECUTABLE)
    set(Python3_EXECUTABLE ${_python})
  endif()
  keratin_find_package(Python3 VERSION 3.9 FOR "test scripts and lit" DEBIAN python3 FIND COMPONENTS Interpreter)
endif()

# The Python module is built where tools/python.sh has made its environment, or where it is asked for; Python_EXECUTABLE says for
# which Python. Of the sanitizers only AddressSanitizer's runtime is loaded with an interpreter that has none (tests/python).
if(EXISTS ${_python} AND (NOT KERATIN_SANITIZER OR KERATIN_SANITIZER STREQUAL "address,undefined"))
  option(KERATIN_PYTHON "Build the Python module" ON)
  set(Python_EXECUTABLE ${_python} CACHE FILEPATH "The Python that the module is for")
else()
  option(KERATIN_PYTHON "Build the Python module" OFF)
endif()
if(KERATIN_PYTHON)
  keratin_find_package(Python VERSION 3.11 FOR "the Python module" DEBIAN python3-dev FIND COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  keratin_find_package(nanobind VERSION 2.9 FOR "the Python module; of PyPI, tools/python.sh installs it" DEBIAN python3-venv FIND CONFIG)
endif()

# Optional, and linked with nothing: the driver is opened by name.
find_package(CUDAToolkit 12 QUIET)
find_program(KERATIN_PTXAS ptxas HINTS ${CUDAToolkit_BIN_DIR} DOC "NVIDIA's assembler; empty: none")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}")
list(GET MLIR_INCLUDE_DIRS 0 MLIR_MAIN_INCLUDE_DIR)
set(MLIR_TABLEGEN_EXE "${MLIR_TABLEGEN_EXE}" CACHE FILEPATH "mlir-tblgen")

# One interface for "uses MLIR and LLVM", linked against the shared libraries, so a tool links in a second.
add_library(keratin_mlir INTERFACE)
target_include_directories(keratin_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
if(KERATIN_STATIC_DEPENDENCIES)
  include(third_party/StaticDependencies.cmake)
else()
  target_link_libraries(keratin_mlir INTERFACE MLIR LLVM)
endif()
