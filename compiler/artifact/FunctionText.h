// What the header of a model says of one function: its C names, and its sizes in words.
#ifndef KERATIN_COMPILER_ARTIFACT_FUNCTIONTEXT_H
#define KERATIN_COMPILER_ARTIFACT_FUNCTIONTEXT_H

#include "compiler/artifact/Names.h"
#include "ir/dialect/SizeLimits.h"
#include "runtime/abi/keratin_object_abi.h"

#include <string>
#include <vector>

namespace keratin::compiler {

// The descriptor must outlive it.
struct FunctionText {
  // `name` is its C name behind the model's, one of `functions`.
  FunctionText(const keratin_function_desc_t &f, int32_t number, std::string name,
               const Identifiers &functions);

  // A size as an expression over the symbols.
  std::string slot(int64_t slot) const;
  std::string dim(int64_t dim) const { return dim >= 0 ? std::to_string(dim) : slot(-1 - dim); }
  std::string shape(const keratin_tensor_desc_t &tensor) const;
  std::string tensor(const std::string &name, const keratin_tensor_desc_t &desc) const;
  // The same for messages, in which sizes have the names of the user's: "(batch, None, 4)".
  static std::string stated(const keratin_function_desc_t &f, const keratin_tensor_desc_t &tensor);
  // What the graph calls it, where that is different.
  static std::string given(const std::string &name, const std::string &inGraph);
  std::string requirement(const keratin_check_t &check) const;
  // What checks by numbers say of the size in a slot.
  static ir::SizeLimits limits(const keratin_function_desc_t &f, int64_t slot);

  // Whether C code can state the dims by itself.
  bool isPlain(const keratin_tensor_desc_t &tensor) const;
  // Whether sizes are read out of elements, and out of those of inputs.
  bool readsValues() const;
  bool readsInputs() const;
  // The axis of a mesh that parts are along; null for what is no part, or one among all ranks.
  const char *inputAxis(int32_t i) const { return axes ? axes->inputs[i] : nullptr; }
  const char *outputAxis(int32_t i) const { return axes ? axes->outputs[i] : nullptr; }
  // Of outputs that are parts along several axes.
  llvm::ArrayRef<keratin_further_part_t> furtherParts() const {
    return {axes ? axes->further : nullptr, axes ? size_t(axes->num_further) : 0};
  }

  const keratin_function_desc_t &f;
  const keratin_part_axes_t *axes = nullptr;
  int32_t number;
  std::string name; // behind the model's
  std::vector<std::string> inputs, symbols, outputs;
  // What holds of the sizes of calls for which there is code of its own (general code does the
  // others): "y_dim0 == x_dim0".
  std::vector<std::string> assumptions;

private:
  bool isPlain(int64_t dim) const;
};

// Of all functions of a model, whose name begins all names: what holds in every call.
std::vector<FunctionText> functionTexts(const keratin_object_desc_t &object);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_FUNCTIONTEXT_H
