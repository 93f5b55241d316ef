// K functions: the values of variables in files of their own.
#ifndef KERATIN_WEIGHTS_H
#define KERATIN_WEIGHTS_H

#include "keratin/function.h"

#include <string>

namespace keratin::backend {

// Writes the values of variables, or of those that a function reads and updates
// (Function::variables), by name, without the ":0": a safetensors file, which PyTorch, NumPy and
// others read. Those of a function that was loaded have the names of its file. The file appears
// whole or stays as it was. ValueError for a tensor that is no dense variable, two of one name, and
// a path that does not end in ".safetensors"; RuntimeError if the file cannot be written.
//
// Variables should not be updated meanwhile: each is consistent by itself, not with the others.
void save_weights(const TensorList &variables, const std::string &path,
                  SourceLocation location = SourceLocation::current());
void save_weights(const Function &f, const std::string &path,
                  SourceLocation location = SourceLocation::current());

// Sets the variables to the file's values of their names, cast to their dtypes: all of them or,
// where one is missing or has another shape, none. Names that no variable has are passed over. A
// file need not be trusted: ValueError for anything wrong in it, RuntimeError if it cannot be read.
void load_weights(const TensorList &variables, const std::string &path,
                  SourceLocation location = SourceLocation::current());
void load_weights(const Function &f, const std::string &path,
                  SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_WEIGHTS_H
