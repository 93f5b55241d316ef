# Language, warnings, sanitizers: what every target of the project shares.
option(KERATIN_BUILD_TESTS "Build the tests" ON)
option(KERATIN_COMPILE_TOGETHER "Compile files of a folder in one unit" ON)
set(KERATIN_SANITIZER "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(KERATIN_CCACHE ccache)
if(KERATIN_CCACHE)
  # Precompiled headers make ccache miss unless it may ignore their time stamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${KERATIN_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KERATIN_CCACHE})
endif()

add_library(keratin_options INTERFACE)
target_compile_options(keratin_options INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fpch-instantiate-templates>)
target_include_directories(keratin_options INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
if(KERATIN_SANITIZER)
  # LLVM's packages are not instrumented, so container checks at its boundary would be false.
  add_compile_options(-fsanitize=${KERATIN_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=undefined
    -fno-sanitize=vptr,function -D_GLIBCXX_SANITIZE_VECTOR=0)
  add_link_options(-fsanitize=${KERATIN_SANITIZER})
  target_sources(keratin_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_SOURCE_DIR}/tools/cmake/SanitizerDefaults.cpp>)
endif()

find_program(KERATIN_LLD NAMES ld.lld-19 PATHS /usr/lib/llvm-19/bin)
if(KERATIN_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()
