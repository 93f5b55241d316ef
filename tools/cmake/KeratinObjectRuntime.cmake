# The runtime as compiled models hold it: optimised, without sanitizers, for each architecture that models are
# compiled for. Built by hand, since one build tree has one compiler.
#
# keratin_add_object_runtime(<architecture> SOURCES ... [RARE those of them that are made small] [SYSROOT <folder>])
function(keratin_add_object_runtime architecture)
  cmake_parse_arguments(RUNTIME "" "SYSROOT" "SOURCES;RARE" ${ARGN})
  set(flags --target=${architecture}-linux-gnu -O2 -DNDEBUG -fPIC -fvisibility=hidden -ffunction-sections
    -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables -Wall -Wextra -Werror
    -I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/runtime/include -I${CMAKE_SOURCE_DIR}/runtime/abi)
  if(architecture STREQUAL "aarch64")
    list(APPEND flags -mno-outline-atomics) # those call functions of libgcc
  endif()
  set(objects "")
  foreach(source IN LISTS RUNTIME_SOURCES)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${architecture}/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    if(source MATCHES "\\.c$")
      set(compiler ${CMAKE_C_COMPILER_LAUNCHER} ${CMAKE_C_COMPILER} -std=c99)
    else()
      set(compiler ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} -std=c++20 -fno-exceptions -fno-rtti
        -fno-threadsafe-statics)
    endif()
    set(optimised "")
    if(source IN_LIST RUNTIME_RARE)
      set(optimised -Os)
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${compiler} ${flags} ${optimised} -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "Runtime for ${architecture}: ${source}")
    list(APPEND objects ${object})
  endforeach()
  set(library ${CMAKE_BINARY_DIR}/lib/keratin/${architecture}/libkeratin_runtime.a)
  get_filename_component(folder ${library} DIRECTORY)
  add_custom_command(OUTPUT ${library}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${library}
    COMMAND ${CMAKE_AR} qcD ${library} ${objects}
    COMMAND ${CMAKE_RANLIB} ${library}
    DEPENDS ${objects} VERBATIM COMMENT "Runtime for ${architecture}")
  add_custom_target(keratin_object_runtime_${architecture} ALL DEPENDS ${library})
endfunction()
