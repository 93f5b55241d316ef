// Arrays of files as arrays of users.
#ifndef KERATIN_FRONTEND_VALUES_FILEARRAY_H
#define KERATIN_FRONTEND_VALUES_FILEARRAY_H

#include "compiler/arrays/Array.h"
#include "keratin/array.h"

#include <memory>

namespace keratin::frontend {

// The elements are the file's array's, which lives as long as they are needed.
inline Array ownedBy(compiler::Array array) {
  auto owner = std::make_shared<compiler::Array>(std::move(array));
  return Array::constView(owner->data.data(), DType(owner->dtype), owner->dims, {}, owner);
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_FILEARRAY_H
