// The weights that Keras 2 saves in a file of HDF5: a group for each layer, which lists its
// weights, at the root (Model.save_weights) or in "model_weights" (Model.save).
#ifndef KERATIN_COMPILER_ARRAYS_KERASWEIGHTS_H
#define KERATIN_COMPILER_ARRAYS_KERASWEIGHTS_H

#include "compiler/arrays/Hdf5.h"

namespace keratin::compiler {

// Whether it ends as names of Keras's files do, ".h5" or ".hdf5".
bool isKerasPath(const std::string &path);

struct KerasWeight {
  std::string name;    // "dense_1/kernel", Keras's without its ":0"
  std::string dataset; // the way to it from the root
};

struct KerasLayerWeights {
  std::string layer;
  std::vector<KerasWeight> weights; // in the layer's order
};

struct KerasWeights {
  // Who wrote them, "2.3.1" and "tensorflow"; empty where the file does not say.
  std::string version, backend;
  std::vector<KerasLayerWeights> layers; // in the file's order

  // Theano's convolutions turn their windows around, and those of all others do not.
  bool areOfTheano() const { return backend == "theano"; }
};

// INVALID_ARGUMENT for a file of something else, as Hdf5File for anything wrong.
absl::StatusOr<KerasWeights> kerasWeights(const Hdf5File &file);

// The arrays of those names that `isWanted`: a weight's name, or, where layers have weights of one
// name, the layer's before it, "model_1/dense_1/kernel". INVALID_ARGUMENT for what may be a window
// of Theano's, as names do not say which layers are convolutions.
absl::StatusOr<std::vector<NamedArray>>
readKerasWeights(const std::string &path, const std::function<bool(const std::string &)> &isWanted);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_KERASWEIGHTS_H
