// K functions: models of ONNX.
#ifndef KERATIN_ONNX_H
#define KERATIN_ONNX_H

#include "keratin/function.h"

#include <map>
#include <string>
#include <vector>

namespace keratin {

struct OnnxOptions {
  // The initializers of floats, but for scalars, are variables, so that the model can be
  // differentiated by them and trained; else all are constants.
  bool trainable = false;
  // Inputs that have these values in every call, and so are none of the function: axes and shapes
  // that an exporter made inputs, for one. ValueError for a name that no input has, and for values
  // that do not fit it.
  std::map<std::string, Array> constants = {};
  // How many tensors inputs have that are sequences. The function has an input for each: "x_0",
  // "x_1", … for the model's "x".
  std::map<std::string, int64_t> lengths = {};
  // How the function is compiled; its name is "function" unless this says another one.
  FunctionOptions function;
};

struct OnnxSaveOptions {
  // The version of the standard ops, from 14 to 23.
  int64_t opset = 18;
  // The new values of variables are outputs, called "w_updated" for a variable w, which may be fed
  // in turn; else a function with updates is refused.
  bool updates = true;
  // Nodes say which line of source code made them (doc_string).
  bool places = true;
  // Tensors of a KiB and more go to a file beside the model, "model.onnx.data" for "model.onnx". A
  // model of 2 GiB has no other form.
  bool externalData = false;
};

struct OnnxModel {
  // Inputs and outputs have the model's names. inputs() and outputs() are tensors of the graph, to
  // be computed with and differentiated further.
  Function function;
  // The initializers, where they are variables, in the order of the file.
  std::vector<Tensor> variables;
};

} // namespace keratin

namespace keratin::backend {

// The graph of a model file of ONNX, as a function. A size with a name is one of this name
// (K::Dim), one without any a size of its own. Messages about an op name its node and the model.
// docs/onnx.md lists the ops. ValueError for what is no model, or a wrong one, NotImplementedError
// for ops and types that are not known, RuntimeError for a file that cannot be read.
OnnxModel load_onnx(const std::string &path, const OnnxOptions &options = {},
                    SourceLocation location = SourceLocation::current());

// Writes the function, with the present values of its variables, as a model file of ONNX. Inputs,
// outputs and sizes keep their names. docs/onnx.md says what each op becomes. NotImplementedError
// for what ONNX has no counterpart of, with the op and the line that made it; RuntimeError if a
// file cannot be written.
void save_onnx(const Function &f, const std::string &path, const OnnxSaveOptions &options = {},
               SourceLocation location = SourceLocation::current());
// The same of what K::function makes of these. Nothing is compiled.
void save_onnx(const TensorList &inputs, const OutputList &outputs, const std::string &path,
               const OnnxSaveOptions &options = {},
               SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_ONNX_H
