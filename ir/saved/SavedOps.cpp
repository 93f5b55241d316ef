#include "ir/saved/SavedOps.h"

#include "llvm/ADT/StringMap.h"

using namespace keratin::ir;

using Kind = SavedAttributeKind;

static constexpr SavedAttribute axis[] = {{"axis", Kind::Integer}};
static constexpr SavedAttribute beam[] = {{"beam_width", Kind::Integer}};
static constexpr SavedAttribute axes[] = {{"axes", Kind::Integers}};
static constexpr SavedAttribute dims[] = {{"dims", Kind::Integers}};
static constexpr SavedAttribute permutation[] = {{"permutation", Kind::Integers}};
static constexpr SavedAttribute slice[] = {{"starts", Kind::Dims}, {"strides", Kind::Integers}};
static constexpr SavedAttribute pad[] = {{"interior", Kind::Integers}, {"low", Kind::Dims}};
static constexpr SavedAttribute scan[] = {
    {"axis", Kind::Integer}, {"exclusive", Kind::Flag}, {"reverse", Kind::Flag}};
static constexpr SavedAttribute recurrence[] = {{"axis", Kind::Integer}, {"reverse", Kind::Flag}};
static constexpr SavedAttribute contraction[] = {{"a_batch", Kind::Integers},
                                                 {"a_contract", Kind::Integers},
                                                 {"b_batch", Kind::Integers},
                                                 {"b_contract", Kind::Integers}};
static constexpr SavedAttribute loop[] = {
    {"length", Kind::Dims}, {"operandSegmentSizes", Kind::Segments}, {"reverse", Kind::Flag}};
static constexpr SavedAttribute openLoop[] = {{"at_most", Kind::Dims, /*optional=*/true},
                                              {"length", Kind::Dims, /*optional=*/true},
                                              {"operandSegmentSizes", Kind::Segments}};
static constexpr SavedAttribute convolution[] = {
    {"dilation", Kind::Integers}, {"dims", Kind::Text},        {"low", Kind::Dims},
    {"reversed", Kind::Flags},    {"strides", Kind::Integers}, {"x_dilation", Kind::Integers}};
static constexpr SavedAttribute window[] = {
    {"low", Kind::Dims}, {"strides", Kind::Integers}, {"window", Kind::Integers}};
static constexpr SavedAttribute dilatedWindow[] = {{"low", Kind::Dims},
                                                   {"strides", Kind::Integers},
                                                   {"window", Kind::Integers},
                                                   {"x_dilation", Kind::Integers}};
static constexpr SavedAttribute seed[] = {{"seed", Kind::Integer}};
static constexpr SavedAttribute direction[] = {{"direction", Kind::Comparison}};
static constexpr SavedAttribute value[] = {{"value", Kind::Dense}};
static constexpr SavedAttribute message[] = {{"message", Kind::Text}};
static constexpr SavedAttribute range[] = {
    {"lower", Kind::Dims}, {"message", Kind::Text}, {"upper", Kind::Dims}};
static constexpr SavedAttribute requirement[] = {
    {"kind", Kind::Requirement}, {"lhs", Kind::Dims}, {"message", Kind::Text}, {"rhs", Kind::Dims}};

static const SavedOp ops[] = {
    // Elementwise.
    {"neg", {}},
    {"abs", {}},
    {"sign", {}},
    {"round", {}},
    {"floor", {}},
    {"ceil", {}},
    {"exp", {}},
    {"expm1", {}},
    {"log", {}},
    {"log1p", {}},
    {"sqrt", {}},
    {"rsqrt", {}},
    {"sin", {}},
    {"cos", {}},
    {"tanh", {}},
    {"logistic", {}},
    {"softplus", {}},
    {"is_finite", {}},
    {"not", {}},
    {"add", {}},
    {"sub", {}},
    {"mul", {}},
    {"div", {}},
    {"floor_div", {}},
    {"mod", {}},
    {"pow", {}},
    {"maximum", {}},
    {"minimum", {}},
    {"and", {}},
    {"or", {}},
    {"xor", {}},
    {"shift_left", {}},
    {"shift_right", {}},
    {"compare", direction},
    {"select", {}},
    {"cast", {}},
    {"stop_gradient", {}},
    {"identity", {}},
    // Creation.
    {"constant", value},
    {"iota", axis},
    {"dim", axis},
    // Shapes.
    {"reshape", {}},
    {"broadcast", dims},
    {"transpose", permutation},
    {"slice", slice},
    {"pad", pad},
    {"concatenate", axis},
    {"reverse", axes},
    {"gather", {}},
    {"scatter_add", {}},
    {"dynamic_slice", {}},
    {"dynamic_unslice", {}},
    // Reductions and scans.
    {"reduce_sum", axes},
    {"reduce_prod", axes},
    {"reduce_max", axes},
    {"reduce_min", axes},
    {"reduce_any", axes},
    {"reduce_all", axes},
    {"arg_max", axis},
    {"arg_min", axis},
    {"cumsum", scan},
    {"cumprod", scan},
    {"linear_recurrence", recurrence},
    // Windows.
    {"convolution", convolution, 1},
    {"window_sum", dilatedWindow, 1},
    {"window_max", window, 1},
    {"window_pick", window, 1},
    {"window_scatter", window, 1},
    // Contractions, random numbers, the graph.
    {"dot_general", contraction},
    {"random_bits", seed},
    {"require", requirement},
    {"print", message},
    // Loops and branches.
    {"scan", loop, 1, /*regions=*/1, /*segments=*/3},
    {"while", openLoop, 1, /*regions=*/1, /*segments=*/2},
    {"if", {}, 1, /*regions=*/2},
    {"truncate", axis, 1},
    {"ctc_beam_search", beam, 1},
    // Checks.
    {"check_range", range, 1},
    {"sparse_dot", {}, 1},
};

llvm::ArrayRef<SavedOp> keratin::ir::savedOps() { return ops; }

const SavedOp *keratin::ir::findSavedOp(llvm::StringRef name) {
  static const llvm::StringMap<const SavedOp *> &byName = *[] {
    auto *made = new llvm::StringMap<const SavedOp *>;
    for (const SavedOp &op : ops)
      made->try_emplace(op.name, &op);
    return made;
  }();
  return byName.lookup(name);
}

const char *keratin::ir::kindName(SavedAttributeKind kind) {
  switch (kind) {
  case Kind::Flag:
    return "a flag";
  case Kind::Integer:
    return "an integer";
  case Kind::Integers:
    return "a list of integers";
  case Kind::Flags:
    return "a list of flags";
  case Kind::Segments:
    return "a count for each list of operands";
  case Kind::Text:
    return "text";
  case Kind::Comparison:
    return "the name of a comparison";
  case Kind::Requirement:
    return "the name of a requirement";
  case Kind::Dims:
    return "a list of sizes";
  case Kind::Dense:
    return "elements";
  }
  return "";
}
