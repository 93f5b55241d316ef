# KERATIN_STATIC_DEPENDENCIES: programs and libkeratin.so hold what they use of the packages, and need libc, libm and
# libstdc++ of the machine alone (tools/package/tarball.sh). The package files of Debian name the shared libraries only; the archives
# lie beside them.
keratin_find_package(LLD VERSION 19.1 FOR "the linker that KERATIN_STATIC_DEPENDENCIES brings" DEBIAN liblld-19-dev
  FIND CONFIG PATHS /usr/lib/llvm-19/lib/cmake/lld)

# Archives by their paths, since the targets of MLIR's ask for the shared LLVM. lld takes no heed of their order.
# What a program does not use is left out; tools/package/exports.map hides them in libkeratin.so.
get_property(_mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
set(_archives "")
foreach(_library IN LISTS _mlir_libraries LLVM_AVAILABLE_LIBS)
  if(TARGET ${_library})
    get_target_property(_type ${_library} TYPE)
    get_target_property(_file ${_library} LOCATION)
    # Debian's files name some that it does not have.
    if(_type STREQUAL "STATIC_LIBRARY" AND EXISTS "${_file}")
      list(APPEND _archives ${_file})
    endif()
  endif()
endforeach()
target_link_libraries(keratin_mlir INTERFACE ${_archives} ZLIB::ZLIB zstd::libzstd_static ${CMAKE_DL_LIBS} Threads::Threads)
add_link_options(-Wl,--gc-sections -static-libgcc)

# Abseil's imported targets are those of the shared libraries: the same ones, made of the archives.
set(KERATIN_SHARED_DEPENDENCIES "")
get_directory_property(_imported IMPORTED_TARGETS)
foreach(_target IN LISTS _imported)
  get_target_property(_type ${_target} TYPE)
  if(_target MATCHES "^absl::" AND _type STREQUAL "SHARED_LIBRARY")
    string(REPLACE "absl::" "absl_" _name ${_target})
    get_target_property(_file ${_target} LOCATION)
    list(APPEND KERATIN_SHARED_DEPENDENCIES ${_file})
    get_filename_component(_folder ${_file} DIRECTORY)
    set(_file ${_folder}/lib${_name}.a)
    if(NOT EXISTS ${_file})
      message(FATAL_ERROR "KERATIN_STATIC_DEPENDENCIES needs ${_file}, which is not here.")
    endif()
    get_target_property(_configurations ${_target} IMPORTED_CONFIGURATIONS)
    foreach(_configuration IN LISTS _configurations)
      set_target_properties(${_target} PROPERTIES IMPORTED_LOCATION_${_configuration} ${_file})
    endforeach()
  endif()
endforeach()

# Debian's archives of Protocol Buffers and Abseil do not go into shared libraries: libkeratin.so is linked with the
# shared ones, which tools/package puts beside it.
get_target_property(_file protobuf::libprotobuf LOCATION)
string(REGEX REPLACE "\\.a$" ".so" _file ${_file})
list(APPEND KERATIN_SHARED_DEPENDENCIES ${_file})
