// The API table for type checkers: keratin/_functions.pyi.
#include "tools/keratin-tblgen/ApiRecords.h"
#include "tools/keratin-tblgen/Generators.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <iterator>
#include <string>
#include <vector>

using namespace llvm;
using namespace keratin::tblgen;

namespace {

// Parameters have one meaning wherever they stand, and so one type, of keratin/_types.pyi. All
// others, most of them tensors, are Operands.
struct TypedParameters {
  const char *type;
  std::vector<const char *> names;
};

const TypedParameters typedParameters[] = {
    {"Tensor", {"loss", "tensor"}},
    {"int",
     {"k", "n", "axis1", "axis2", "offset", "rep", "num_classes", "beam_width", "top_paths",
      "height_factor", "width_factor", "depth_factor", "out_axes"}},
    {"float", {"epsilon", "level", "threshold"}},
    {"bool",
     {"keepdims", "from_logits", "greedy", "merge_repeated", "go_backwards", "unroll", "time_major",
      "zero_output_for_mask", "sparse"}},
    {"str", {"equation", "padding", "interpolation", "pool_mode", "mode", "message", "prefix"}},
    {"Optional[str]", {"name", "data_format"}},
    {"Optional[int]", {"seed", "ndim", "maximum_iterations"}},
    {"Optional[DTypeLike]", {"dtype"}},
    {"Axes", {"axis", "axes", "reduction_axes"}},
    {"Shape",
     {"shape", "output_shape", "noise_shape", "kernel_size", "pool_size", "strides",
      "dilation_rate", "pattern"}},
    {"PathLike", {"path"}},
    {"Callable[..., Any]", {"fn", "step_function", "cond", "body"}},
    {"Optional[Callable[..., Any]]", {"constraint"}},
    {"Any",
     {"variables", "functions", "tuples", "broadcastable", "pad_width", "num_or_size_splits",
      "loop_vars", "initial_states", "constants", "elems", "training", "alt", "then_expression",
      "else_expression", "value", "start", "size", "predict", "in_axes"}},
    {"Sequence[Any]", {"tensors", "operands", "ops"}},
};

bool returnsNothing(const Record *function) {
  for (StringRef line : apiDocumentation(function))
    if (line.trim() == "Returns:")
      return false;
  return true;
}

} // namespace

void keratin::tblgen::emitPythonStubs(RecordKeeper &records, raw_ostream &os) {
  StringMap<const char *> types;
  for (const TypedParameters &typed : typedParameters)
    for (const char *name : typed.names)
      types[name] = typed.type;
  os << "# Written by keratin-tblgen -gen-python-stubs from frontend/backend/Api.td.\n"
        "from typing import Any, Callable, List, Optional, Sequence, Tuple, Union\n\n"
        "import numpy\n\n"
        "from keratin._native import Function, Tensor\n"
        "from keratin._types import Axes, DTypeLike, Operand, PathLike, Shape\n\n";
  for (const Record *function : apiFunctions(records)) {
    if (function->getValueAsBit("hasPythonBody"))
      continue;
    os << "def " << function->getValueAsString("functionName") << "(";
    ListSeparator comma;
    for (StringRef parameter : apiParametersWithDefaults(function)) {
      auto [name, value] = parameter.split('=');
      const auto found = types.find(name);
      StringRef type = found == types.end() ? "Operand" : found->second;
      os << comma << name << ": ";
      // None is a value of what may be left out.
      if (value == "None" && !type.starts_with("Optional") && type != "Any")
        os << "Optional[" << type << "]";
      else if (value.starts_with("(") && type == "str") // paddings of both kinds
        os << "Any";
      else
        os << type;
      if (!value.empty())
        os << " = ...";
    }
    StringRef result = function->getValueAsString("pythonResult");
    os << ") -> " << (returnsNothing(function) ? "None" : result) << ": ...\n";
  }
}
