# Puts the licence in front of the headers that were installed: one line, which so has one home.
file(GLOB_RECURSE headers "${FOLDER}/keratin*.h" "${FOLDER}/keratin/*.h" "${FOLDER}/keratin/*.inc")
set(line "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
foreach(header IN LISTS headers)
  file(READ "${header}" text)
  if(NOT text MATCHES "^// SPDX-License-Identifier")
    file(WRITE "${header}" "${line}${text}")
  endif()
endforeach()
