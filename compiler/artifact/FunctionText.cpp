#include "compiler/artifact/FunctionText.h"

#include "runtime/core/DType.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/SymbolSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace keratin;
using namespace keratin::compiler;

FunctionText::FunctionText(const keratin_function_desc_t &f, int32_t number, std::string name,
                           const Identifiers &functions)
    : f(f), number(number), name(std::move(name)) {
  Identifiers identifiers("", &functions);
  std::vector<std::string> tensors;
  for (int32_t i = 0; i < f.num_inputs; ++i)
    tensors.push_back(f.inputs[i].name);
  for (int32_t i = 0; i < f.num_outputs; ++i)
    tensors.push_back(f.outputs[i].name);
  // With what the call with plain pointers declares for each.
  tensors = identifiers.add(tensors, {"_dims", "_dims_code"});
  inputs.assign(tensors.begin(), tensors.begin() + f.num_inputs);
  outputs.assign(tensors.begin() + f.num_inputs, tensors.end());
  for (int64_t i = 0; i < f.num_symbols; ++i)
    symbols.push_back(identifiers.add(f.symbols[i].name));
}

std::string FunctionText::slot(int64_t slot) const {
  if (slot < f.num_symbols)
    return symbols[slot];
  static const char *const names[] = {"",        "",    "+",   "-",         "*", "/",
                                      "ceildiv", "max", "min", "broadcast", "%"};
  const keratin_size_program_t &program = f.programs[slot - f.num_symbols];
  std::vector<std::string> stack;
  for (int64_t i = 0; i < program.length;) {
    int64_t opcode = program.code[i++];
    if (opcode == KERATIN_SIZE_CONST) {
      stack.push_back(std::to_string(program.code[i++]));
    } else if (opcode == KERATIN_SIZE_SLOT) {
      stack.push_back(this->slot(program.code[i++]));
    } else {
      std::string rhs = stack.back(), name = names[opcode];
      stack.pop_back();
      std::string &lhs = stack.back();
      lhs = llvm::isAlpha(name[0]) ? name + "(" + lhs + ", " + rhs + ")"
                                   : "(" + lhs + " " + name + " " + rhs + ")";
    }
  }
  return stack.back();
}

std::string FunctionText::shape(const keratin_tensor_desc_t &tensor) const {
  std::string text = "(";
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    text += (axis ? ", " : "") + dim(tensor.dims[axis]);
  return text + (tensor.rank == 1 ? ",)" : ")");
}

// A symbol that has no name of the user's is called after its input (ir/dialect/SizeNames.h).
static std::string givenName(const keratin_function_desc_t &f, int64_t slot) {
  if (slot >= f.num_symbols)
    return "";
  const keratin_symbol_desc_t &symbol = f.symbols[slot];
  if (symbol.source != KERATIN_SYMBOL_INPUT_DIM || !symbol.name)
    return "";
  const std::string madeUp =
      std::string(f.inputs[symbol.input].name) + "_dim" + std::to_string(symbol.index);
  return symbol.name == madeUp ? "" : symbol.name;
}

std::string FunctionText::stated(const keratin_function_desc_t &f,
                                 const keratin_tensor_desc_t &tensor) {
  std::string text = "(";
  for (int32_t axis = 0; axis < tensor.rank; ++axis) {
    const int64_t dim = tensor.dims[axis];
    std::string size = dim >= 0 ? std::to_string(dim) : givenName(f, -1 - dim);
    text += (axis ? ", " : "") + (size.empty() ? "None" : size);
  }
  return text + (tensor.rank == 1 ? ",)" : ")");
}

std::string FunctionText::tensor(const std::string &name, const keratin_tensor_desc_t &desc) const {
  return name + ": " + runtime::dtypeName(desc.dtype) + " " + shape(desc) + given(name, desc.name);
}

std::string FunctionText::given(const std::string &name, const std::string &inGraph) {
  return name == inGraph ? "" : ", in the graph '" + inGraph + "'";
}

std::string FunctionText::requirement(const keratin_check_t &check) const {
  std::string lhs = slot(check.lhs), rhs = slot(check.rhs);
  std::string condition = check.kind == KERATIN_CHECK_EQUAL       ? lhs + " == " + rhs
                          : check.kind == KERATIN_CHECK_BROADCAST ? lhs + " == 1 or " + rhs
                          : check.kind == KERATIN_CHECK_AT_MOST   ? lhs + " <= " + rhs
                          : check.kind == KERATIN_CHECK_MULTIPLE  ? lhs + " % " + rhs + " == 0"
                                                                  : lhs + " >= " + rhs;
  return condition + " (" + check.message + ")";
}

ir::SizeLimits FunctionText::limits(const keratin_function_desc_t &f, int64_t slot) {
  ir::SizeLimits limits;
  for (const keratin_check_t &check : llvm::ArrayRef(f.checks, f.num_checks)) {
    if (check.lhs != slot || check.rhs < f.num_symbols)
      continue;
    const keratin_size_program_t &program = f.programs[check.rhs - f.num_symbols];
    if (program.length != 2 || program.code[0] != KERATIN_SIZE_CONST)
      continue;
    const int64_t number = program.code[1];
    if (check.kind == KERATIN_CHECK_AT_LEAST)
      limits.min = std::max(limits.min, number);
    else if (check.kind == KERATIN_CHECK_AT_MOST)
      limits.max = std::min(limits.max, number);
    else if (check.kind == KERATIN_CHECK_MULTIPLE && number > 0)
      limits.multipleOf = std::lcm(limits.multipleOf, number);
  }
  return limits.canHold() ? limits : ir::SizeLimits();
}

bool FunctionText::isPlain(int64_t dim) const {
  return dim >= 0 ||
         (-1 - dim < f.num_symbols && f.symbols[-1 - dim].source == KERATIN_SYMBOL_INPUT_DIM);
}

bool FunctionText::isPlain(const keratin_tensor_desc_t &tensor) const {
  return llvm::all_of(llvm::ArrayRef(tensor.dims, tensor.rank),
                      [&](int64_t dim) { return isPlain(dim); });
}

bool FunctionText::readsValues() const {
  return llvm::any_of(llvm::ArrayRef(f.symbols, f.num_symbols),
                      [](const auto &symbol) { return runtime::isValue(symbol.source); });
}

bool FunctionText::readsInputs() const {
  return llvm::any_of(llvm::ArrayRef(f.symbols, f.num_symbols),
                      [](const auto &symbol) { return runtime::isValueOfInput(symbol.source); });
}

std::vector<FunctionText> compiler::functionTexts(const keratin_object_desc_t &object) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < object.num_functions; ++i)
    names.push_back(object.variants[0].functions[i].descriptor->name);
  FunctionIdentifiers identifiers(object.name, names);
  std::vector<FunctionText> texts;
  for (int32_t i = 0; i < object.num_functions; ++i) {
    const keratin_function_desc_t &f = *object.variants[0].functions[i].descriptor;
    const std::string &name = identifiers.names()[size_t(i)];
    texts.emplace_back(f.general ? *f.general : f, i, name, identifiers);
    texts.back().axes = object.variants[0].functions[i].part_axes;
    if (!f.general)
      continue;
    const FunctionText assuming(f, i, name, identifiers);
    for (int64_t check = 0; check < f.num_checks && runtime::isAssumed(f.checks[check]); ++check)
      texts.back().assumptions.push_back(assuming.slot(f.checks[check].lhs) +
                                         " == " + assuming.slot(f.checks[check].rhs));
  }
  return texts;
}
