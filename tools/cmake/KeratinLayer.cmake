# keratin_add_layer(name SOURCES ... LINKS ... [MLIR | DIALECT])
#
# A layer is one static library. MLIR says that its sources may include MLIR, DIALECT that they may
# include the keratin dialect too; such layers share precompiled headers, because MLIR's headers cost
# ten seconds a file otherwise, and the dialect's four more.
function(keratin_add_layer name)
  cmake_parse_arguments(LAYER "MLIR;DIALECT" "" "SOURCES;LINKS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${LAYER_SOURCES})
  target_link_libraries(${name} PRIVATE keratin_options PUBLIC ${LAYER_LINKS})
  if(LAYER_DIALECT)
    keratin_use_mlir(${name} dialect)
  elseif(LAYER_MLIR)
    keratin_use_mlir(${name})
  endif()
  if(LAYER_DEPENDS)
    add_dependencies(${name} ${LAYER_DEPENDS})
  endif()
endfunction()

# keratin_precompile(headers file LINKS ... DEPENDS ...): a target that carries precompiled headers.
function(keratin_precompile name header)
  cmake_parse_arguments(HEADERS "" "" "LINKS;DEPENDS" ${ARGN})
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "// Carries precompiled headers.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE keratin_options keratin_mlir ${HEADERS_LINKS})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tools/cmake/${header})
  if(HEADERS_DEPENDS)
    add_dependencies(${name} ${HEADERS_DEPENDS})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Equal in every build folder, so that ccache knows what was compiled with it.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# keratin_compile_plainly(target): no optimisation. Of what a test takes to compile, three quarters were the optimiser's.
function(keratin_compile_plainly target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# keratin_use_mlir(target [mlir | dialect | test | frontend_test]): with which precompiled headers.
function(keratin_use_mlir target)
  set(headers ${ARGN})
  if(NOT headers)
    set(headers mlir)
  endif()
  target_link_libraries(${target} PRIVATE keratin_mlir)
  if(NOT TARGET keratin_mlir_pch)
    keratin_precompile(keratin_mlir_pch MlirHeaders.h)
    keratin_precompile(keratin_dialect_pch DialectHeaders.h DEPENDS keratin_ir_generated)
    if(KERATIN_BUILD_TESTS)
      keratin_precompile(keratin_test_pch TestHeaders.h LINKS Catch2::Catch2 DEPENDS keratin_ir_generated)
      keratin_precompile(keratin_frontend_test_pch FrontendTestHeaders.h
        LINKS Catch2::Catch2 DEPENDS keratin_ir_generated keratin_frontend_generated)
      target_include_directories(keratin_frontend_test_pch PRIVATE
        ${CMAKE_SOURCE_DIR}/frontend/include ${CMAKE_SOURCE_DIR}/runtime/include ${CMAKE_BINARY_DIR}/frontend/include)
      keratin_compile_plainly(keratin_test_pch)
      keratin_compile_plainly(keratin_frontend_test_pch)
    endif()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # The header was compiled with -fPIC; CMake would say -fPIE for a program.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM keratin_${headers}_pch)
endfunction()
