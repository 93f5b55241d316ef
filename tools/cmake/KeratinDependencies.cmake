# Debian 12 packages: llvm-19-dev, libmlir-19-dev, mlir-19-tools, libabsl-dev, libprotobuf-dev, catch2.
find_package(MLIR 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/mlir)
find_package(absl REQUIRED CONFIG)
find_package(Threads REQUIRED)
# CMake's own module: Debian's libprotobuf-dev has no package file.
find_package(Protobuf 3.21 REQUIRED)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
list(GET MLIR_INCLUDE_DIRS 0 MLIR_MAIN_INCLUDE_DIR)
set(MLIR_TABLEGEN_EXE "${MLIR_TABLEGEN_EXE}" CACHE FILEPATH "mlir-tblgen")

# One interface for "uses MLIR and LLVM", linked against the shared libraries, so a tool links in a second.
add_library(keratin_mlir INTERFACE)
target_include_directories(keratin_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(keratin_mlir INTERFACE MLIR LLVM)
