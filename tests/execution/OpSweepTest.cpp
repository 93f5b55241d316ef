// Every op of the dialect as compiled code, against the reference interpreter.
#include "tests/execution/SweepCases.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/TestEnvironment.h"

#include <catch2/catch.hpp>

#include <set>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

namespace {
struct OpEntry {
  const char *name;
  unsigned operands;
  const char *domain;
};
} // namespace

static constexpr OpEntry opTable[] = {
#define KERATIN_OP(Class, name, operands, domain, differentiable)                                  \
  {"keratin." name, operands, domain},
#include "OpTable.inc"
#undef KERATIN_OP
};

// Gone before a function is compiled.
static const std::set<std::string> notCompiled = {
    // Of complex numbers, which are pairs first: complex_test.py, expand-complex.mlir.
    "keratin.as_parts",     "keratin.from_parts",  "keratin.complex",  "keratin.real",
    "keratin.imag",         "keratin.placeholder", "keratin.variable", "keratin.literal",
    "keratin.update",       "keratin.gradients",   "keratin.jvp",      "keratin.vjp",
    "keratin.sparse_matrix"};

static bool isElementwise(Sweep &sweep, const OpEntry &op) {
  return OperationName(op.name, sweep.mlirContext()).hasInterface<ElementwiseOpInterface>();
}

//===-- Elementwise ---------------------------------------------------------------------------===//

static Value createElementwise(GraphMath &math, const OpEntry &op, ValueRange operands,
                               Type elementType, ArrayRef<NamedAttribute> attributes = {}) {
  OperationState state(math.location(), op.name);
  state.addOperands(operands);
  state.addTypes(getTensorType(getShape(operands[0]), elementType));
  state.addAttributes(attributes);
  return math.builder().create(state)->getResult(0);
}

// The op on operands of one dtype (a select's condition apart), in every form it has: the
// comparisons, the casts.
static std::vector<SweepCase> elementwiseCases(const OpEntry &op, keratin_dtype_t dtype,
                                               const Shape &shape, Elements elements) {
  StringRef name = op.name;
  std::string label = std::string(op.name) + " " + dtypeName(dtype) + " " + ir::toString(shape);
  std::vector<SweepInput> inputs(op.operands, {shape, dtype, elements});
  if (name == "keratin.select")
    inputs[0].dtype = KERATIN_DTYPE_BOOL;
  std::vector<SweepCase> cases;
  if (name == "keratin.compare") {
    for (int64_t direction = 0; direction < 6; ++direction)
      cases.push_back({label + " " + std::to_string(direction), inputs,
                       [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
                         return {math.compare(Comparison(direction), xs[0], xs[1])};
                       }});
  } else if (name == "keratin.cast") {
    for (keratin_dtype_t to : allDtypes())
      cases.push_back({label + " to " + dtypeName(to), inputs,
                       [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
                         Type type = elementTypeOf(to, math.builder().getContext());
                         return {createElementwise(math, op, xs, type)};
                       }});
  } else {
    bool isTest = name == "keratin.is_finite";
    cases.push_back({label, inputs, [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
                       Type type = isTest ? math.builder().getI1Type() : getElementType(xs.back());
                       return {createElementwise(math, op, xs, type)};
                     }});
  }
  return cases;
}

// Cases with equal inputs as one case with several results: one kernel reads the operands once.
static SweepCase together(const std::string &label, const std::vector<SweepInput> &inputs,
                          std::vector<SweepCase> cases) {
  return {label, inputs, [=](GraphMath &math, ValueRange xs) {
            std::vector<Value> results;
            for (const SweepCase &one : cases) {
              // A select's condition stands last; the others take as many as they need.
              SmallVector<Value> operands;
              for (const SweepInput &input : one.inputs)
                operands.push_back(input.dtype == inputs.back().dtype &&
                                           input.dtype != inputs.front().dtype
                                       ? xs.back()
                                       : xs[operands.size() % 2]);
              for (Value result : one.build(math, operands))
                results.push_back(result);
            }
            return results;
          }};
}

TEST_CASE("every elementwise op computes what the interpreter does", "[sweep]") {
  Sweep sweep;
  Shape unknown{DimExpr::symbol(0), DimExpr::symbol(2)};
  for (keratin_dtype_t dtype : allDtypes())
    for (Elements elements : {Elements::Any, Elements::Special}) {
      std::vector<SweepCase> cases, grouped;
      for (const OpEntry &op : opTable)
        if (isElementwise(sweep, op))
          for (SweepCase &one : elementwiseCases(op, dtype, unknown, elements))
            if (one.inputs[0].elements == elements && sweep.isValid(one))
              cases.push_back(std::move(one));
      for (size_t i = 0; i < cases.size(); i += 12) {
        std::vector<SweepCase> some(cases.begin() + i,
                                    cases.begin() + std::min(i + 12, cases.size()));
        grouped.push_back(together(some.front().label + " and the next",
                                   {{unknown, dtype, elements},
                                    {unknown, dtype, elements},
                                    {unknown, KERATIN_DTYPE_BOOL, elements}},
                                   some));
      }
      sweep.check(grouped, 2);
    }
  CHECK(sweep.refused == std::vector<std::string>());
}

TEST_CASE("every elementwise op is right alone and for every rank", "[sweep]") {
  Sweep sweep;
  std::vector<Shape> shapes = {
      {}, {1}, {0}, {37}, {3, 1, 5}, {2, 0}, {2, 3, 1, 4}, {DimExpr::symbol(0)}, {2, 1, 3, 2, 2}};
  std::vector<SweepCase> cases;
  size_t next = 0;
  for (const OpEntry &op : opTable) {
    if (!isElementwise(sweep, op))
      continue;
    // Two dtypes for each op, another shape each.
    unsigned found = 0;
    for (size_t i = 0; i < allDtypes().size() && found < 2; ++i) {
      keratin_dtype_t dtype = allDtypes()[(next + i) % allDtypes().size()];
      std::vector<SweepCase> some =
          elementwiseCases(op, dtype, shapes[next % shapes.size()], Elements::Special);
      if (!sweep.isValid(some[0]))
        continue;
      cases.insert(cases.end(), some.begin(), some.end());
      ++found;
      ++next;
    }
    CHECK(found > 0);
  }
  sweep.check(cases, 16);
  CHECK(sweep.refused == std::vector<std::string>());
}

//===-- All others ----------------------------------------------------------------------------===//

TEST_CASE("every other op computes what the interpreter does", "[sweep]") {
  Sweep sweep;
  for (const OpEntry &op : opTable) {
    if (isElementwise(sweep, op) || notCompiled.count(op.name))
      continue;
    DYNAMIC_SECTION(op.name) {
      std::vector<SweepCase> cases = sweepCases(op.name);
      // A new op that is not elementwise needs instances in SweepCases.cpp.
      CHECK(!cases.empty());
      sweep.check(cases);
      CHECK(sweep.refused == std::vector<std::string>());
    }
  }
}

//===-- Sizes of other forms ------------------------------------------------------------------===//

// Of each op an instance for each of some shapes, each of another dtype.
static std::vector<SweepCase> elementwiseSizes(Sweep &sweep) {
  const std::vector<Shape> shapes = {
      {DimExpr::symbol(0)}, {DimExpr::symbol(0), DimExpr::symbol(2)}, {3, DimExpr::symbol(1), 5}};
  std::vector<SweepCase> cases;
  size_t next = 0;
  for (const OpEntry &op : opTable)
    for (size_t i = 0; isElementwise(sweep, op) && i < shapes.size(); ++next)
      for (SweepCase &one :
           elementwiseCases(op, allDtypes()[next % allDtypes().size()], shapes[i], Elements::Any))
        if (sweep.isValid(one)) {
          cases.push_back(std::move(one));
          ++i;
          break;
        }
  return cases;
}

// Of which some instances have sizes that the call computes, or the smaller one of two, or loops
// and branches, which are compiled for their sizes unless these are unknown from the start.
static const std::set<std::string> keepsSizes = {
    "keratin.scan",     "keratin.while",           "keratin.if", "keratin.print",
    "keratin.truncate", "keratin.ctc_beam_search", "keratin.qr", "keratin.svd"};

// Whose rows follow one another: for those of several panels an emulated device takes half a minute
// a call, and every one of four forms has several. The test of all ops has them once.
static std::vector<SweepCase> ofAnyForm(StringRef op) {
  static const std::set<std::string> inRows = {"keratin.cholesky", "keratin.eigh", "keratin.lu",
                                               "keratin.qr", "keratin.svd"};
  std::vector<SweepCase> cases = sweepCases(op);
  if (testedTarget() == "cuda" && inRows.count(op.str()))
    llvm::erase_if(cases, [](const SweepCase &one) {
      std::optional<DimExpr> count = elementCount(one.inputs[0].shape);
      return count && count->isConstant() && count->constantValue() > 200;
    });
  return cases;
}

TEST_CASE("sizes of any form make no difference", "[.sizes]") {
  const std::pair<SizeForm, const char *> forms[] = {{SizeForm::Unknown, "unknown"},
                                                     {SizeForm::Bounded, "bounded"},
                                                     {SizeForm::Named, "named"},
                                                     {SizeForm::Assumed, "assumed"}};
  Sweep sweep;
  for (auto [form, label] : forms)
    DYNAMIC_SECTION(label) {
      sweep.sizes = form;
      sweep.check(elementwiseSizes(sweep), 16);
      CHECK(sweep.leftOut == std::vector<std::string>());
      for (const OpEntry &op : opTable) {
        if (isElementwise(sweep, op) || notCompiled.count(op.name))
          continue;
        sweep.leftOut.clear();
        sweep.check(ofAnyForm(op.name), 4);
        if (!keepsSizes.count(op.name))
          CHECK(sweep.leftOut == std::vector<std::string>());
      }
      CHECK(sweep.refused == std::vector<std::string>());
      if (form != SizeForm::Assumed)
        CHECK(sweep.assuming == 0);
      else if (fromEnvironment("KERATIN_TEST_EVERY", 1) < 2) // some ops never do
        CHECK(sweep.assuming > 0);
    }
}
