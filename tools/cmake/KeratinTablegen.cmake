# keratin_tablegen(output generator-flag source.td TOOL <mlir-tblgen|keratin-tblgen>): a generated file under the
# build folder, at the same relative place as its users include it from.
set(KERATIN_TABLEGEN_OUTPUTS "")
macro(keratin_tablegen output source tool)
  set(_out ${CMAKE_CURRENT_BINARY_DIR}/${output})
  get_filename_component(_dir ${_out} DIRECTORY)
  file(MAKE_DIRECTORY ${_dir})
  if("${tool}" STREQUAL "keratin-tblgen")
    set(_exe $<TARGET_FILE:keratin-tblgen>)
    set(_dep keratin-tblgen)
  else()
    set(_exe ${MLIR_TABLEGEN_EXE})
    set(_dep "")
  endif()
  add_custom_command(OUTPUT ${_out}
    COMMAND ${_exe} ${ARGN} --write-if-changed -I ${CMAKE_SOURCE_DIR} -I ${MLIR_MAIN_INCLUDE_DIR} -d ${_out}.d -o ${_out}
            ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPFILE ${_out}.d
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${_dep}
    COMMENT "Generating ${output}")
  list(APPEND KERATIN_TABLEGEN_OUTPUTS ${_out})
endmacro()
