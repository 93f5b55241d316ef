// Models that Keras 2 saved: Model.save("model.h5"), of Keras or of tf.keras.
#ifndef KERATIN_KERAS_FILES_H
#define KERATIN_KERAS_FILES_H

#include "keratin/function.h"

#include <string>
#include <vector>

namespace keratin {

struct KerasOptions {
  // The weights are variables, so that the model can be differentiated by them and trained; else
  // all are constants.
  bool trainable = false;
  // How the function is compiled; its name is "function" unless this says another one.
  FunctionOptions function;
};

struct KerasModel {
  // What Model.predict computes, of any number of samples. Inputs and outputs are called after the
  // layers that they come from. inputs() and outputs() are tensors of the graph, to be computed
  // with and differentiated further.
  Function function;
  // The weights, where they are variables, with Keras's names and in the order of the file. Those
  // of layers that are not trainable are Tensor::trainable() no more.
  std::vector<Tensor> variables;
  // What stateful layers keep: variables that begin as zeros, of which each call of the function
  // makes those for the next, and a function that makes them zeros again; it is empty where there
  // are none.
  std::vector<Tensor> states;
  Function resetStates;
};

} // namespace keratin

namespace keratin::layers {

// The graph of a model file of Keras 2, as a function. Dropout does nothing, and normalization has
// its moving statistics. Messages about a layer name it and the file. docs/keras-files.md lists the
// layers. ValueError for what is no model, or a wrong one, NotImplementedError for layers and
// arguments that are not known, RuntimeError for a file that cannot be read, and where there is no
// libhdf5 to read it with.
KerasModel load_keras(const std::string &path, const KerasOptions &options = {},
                      SourceLocation location = SourceLocation::current());

} // namespace keratin::layers

#endif // KERATIN_KERAS_FILES_H
