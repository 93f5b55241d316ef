// K functions: the values of variables in files of their own.
#ifndef KERATIN_WEIGHTS_H
#define KERATIN_WEIGHTS_H

#include "keratin/function.h"

#include <string>

namespace keratin::backend {

// Writes the values of variables, or of those that a function reads and updates
// (Function::variables), by name, without the ":0", to the file that the end of the path asks for:
// ".safetensors", which PyTorch, JAX and others read, or ".npz", NumPy's, where bfloat16 becomes
// float32 and of a name that is no harmless name of a file other bytes are %XX. Those of a function
// that was loaded have the names of its file. Equal values give equal files. The file appears whole
// or stays as it was. ValueError for a tensor that is no dense variable, two of one name, and
// another end of the path; RuntimeError if the file cannot be written.
//
// Values are those between two calls, of all variables that lie on one device.
void save_weights(const TensorList &variables, const std::string &path,
                  SourceLocation location = SourceLocation::current());
void save_weights(const Function &f, const std::string &path,
                  SourceLocation location = SourceLocation::current());

// Sets the variables to the file's values of their names: all of them or, where one is missing or
// does not fit, none; and between two calls. A path that ends in ".safetensors.index.json" is the
// index of a set of safetensors files, which lie beside it. One that ends in ".h5" or ".hdf5" is a
// file of Keras 2's (Model.save, Model.save_weights), which libhdf5 reads: RuntimeError where that
// is not there. A weight is called as Keras calls it, "dense_1/kernel", or, where two layers have
// weights of one name, with the layer's before it, "model_1/dense_1/kernel". Shapes must be
// equal; a float is rounded to the variable's dtype, an integer must be one that the variable can
// hold, and neither becomes the other. Names that no variable has are passed over. A file need
// not be trusted: ValueError for anything wrong in it, NotImplementedError for what NumPy has and
// Keratin has not, RuntimeError if it cannot be read.
void load_weights(const TensorList &variables, const std::string &path,
                  SourceLocation location = SourceLocation::current());
void load_weights(const Function &f, const std::string &path,
                  SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_WEIGHTS_H
