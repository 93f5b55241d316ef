#include "tests/execution/SizeForms.h"

#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "tests/support/SplitSizes.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;
using keratin::frontend::OpenNumbers;

std::string SizedCall::str() const {
  std::string text;
  for (auto [symbol, size] : symbols)
    text += (text.empty() ? "d" : ", d") + std::to_string(symbol) + " = " + std::to_string(size);
  return text;
}

static func::FuncOp functionOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

// In the order in which generalize() asks for them.
static OpenNumbers openNumbersOf(func::FuncOp function) {
  OpenNumbers numbers;
  auto addShape = [&](Value value) {
    for (int64_t size : getTensorType(value).getShape())
      if (OpenNumbers::isOpen(size))
        numbers.sizes.push_back(size);
  };
  llvm::for_each(function.getArguments(), addShape);
  for (Operation &op : function.getBody().front().without_terminator()) {
    llvm::for_each(op.getResults(), addShape);
    if (std::optional<int64_t> number = OpenNumbers::ofConstant(&op)) {
      numbers.others.push_back(*number);
      continue;
    }
    for (StringAttr name : op.getName().getAttributeNames())
      if (auto dims = dyn_cast_or_null<DimsAttr>(op.getInherentAttr(name).value_or(Attribute())))
        for (const DimExpr &dim : dims.getDims())
          if (OpenNumbers::isOpen(dim))
            numbers.others.push_back(dim.constantValue());
  }
  return numbers;
}

// As in the frontend, which compiles programs of loops and branches for their sizes.
static bool hasRegions(func::FuncOp function) {
  return llvm::any_of(function.getBody().front(),
                      [](Operation &op) { return op.getNumRegions() > 0; });
}

bool SizesOfFunction::open(OwningOpRef<ModuleOp> &module) {
  func::FuncOp function = functionOf(*module);
  if (hasRegions(function))
    return false;
  numbers = openNumbersOf(function);
  const SmallVector<Type> types(function.getArgumentTypes());
  frontend::FunctionModule opened;
  opened.module = std::move(module);
  bool isOpen = !numbers.empty() && frontend::generalize(opened, numbers, inputs);
  module = std::move(opened.module);
  if (!isOpen)
    return false;
  function = functionOf(*module);
  for (auto [argument, type] : llvm::zip(function.getArguments(), types))
    for (auto [dim, size] : llvm::zip(getShape(argument), cast<RankedTensorType>(type).getShape()))
      if (dim.isSymbol())
        numberOfSymbol[dim.symbolId()] = size;
  return true;
}

SizedCall SizesOfFunction::openCall(std::function<int64_t(int64_t)> sizeOf) const {
  SizedCall call;
  call.isOwn = false;
  for (auto [symbol, number] : numberOfSymbol)
    call.symbols[symbol] = sizeOf(number);
  // As SizePattern, to which 0 is no size.
  llvm::SetVector<int64_t> distinct;
  distinct.insert(numbers.sizes.begin(), numbers.sizes.end());
  std::vector<int64_t> sizes;
  for (int64_t number : distinct)
    sizes.push_back(sizeOf(number));
  std::vector<Array> scalars;
  inputs.append(sizes, numbers, scalars);
  for (const Array &scalar : scalars)
    call.scalars.push_back(*scalar.data<int64_t>());
  call.sizeOf = std::move(sizeOf);
  return call;
}

void SizesOfFunction::bound(func::FuncOp function, bool hasSymbols) {
  LimitedSizes limits;
  std::vector<std::pair<int64_t, std::string>> names;
  auto limit = [&](int64_t symbol, int64_t unit) {
    limits.set(symbol, {{.max = 4 * unit, .multipleOf = unit}});
    names.push_back({symbol, "size_" + std::to_string(symbol)});
  };
  if (hasSymbols) {
    limit(0, 8);
    limit(1, 4);
    limit(2, 16);
    all = {{.symbols = {{0, 8}, {1, 4}, {2, 16}}},
           {.symbols = {{0, 32}, {1, 16}, {2, 48}}},
           {.symbols = {{0, 0}, {1, 4}, {2, 32}}},
           {.symbols = {{0, 9}, {1, 4}, {2, 16}}, .isAllowed = false},
           {.symbols = {{0, 8}, {1, 4}, {2, 80}}, .isAllowed = false}};
  } else {
    for (auto [symbol, number] : numberOfSymbol)
      limit(symbol, number);
    all.push_back(openCall([](int64_t size) { return size; }));
    all.back().isOwn = true;
    all.push_back(openCall([](int64_t size) { return 3 * size; }));
    for (int64_t wrong : {1, 7}) {
      all.push_back(openCall([=](int64_t size) { return wrong == 1 ? size + 1 : wrong * size; }));
      all.back().isAllowed = false;
    }
  }
  limits.attachTo(function);
  SizeNames::set(function, names);
}

// A size for each input: those that were one are equal, or 1, or some of them are 1.
void SizesOfFunction::split(func::FuncOp function) {
  int64_t count = 3;
  for (auto [symbol, number] : numberOfSymbol)
    count = std::max(count, symbol + 1);
  const std::map<int64_t, int64_t> sizes = splitSizes(function, count);
  if (form == SizeForm::Named) {
    std::vector<std::pair<int64_t, std::string>> names;
    for (auto [symbol, was] : sizes)
      for (int64_t each : {symbol, was})
        names.push_back({each, "size_" + std::to_string(each)});
    SizeNames::set(function, names);
  }
  std::vector<SizedCall> calls;
  for (const SizedCall &call : all)
    for (int kind = 0; kind < 3; ++kind) {
      calls.push_back(call);
      for (auto [symbol, was] : sizes)
        calls.back().symbols[symbol] =
            kind == 0 || (kind == 2 && symbol % 2) ? call.symbols.at(was) : 1;
    }
  all = std::move(calls);
}

bool SizesOfFunction::give(OwningOpRef<ModuleOp> &module, bool hasSymbols) {
  all.clear();
  if (form != SizeForm::AsGiven && !hasSymbols && !open(module))
    return false;
  func::FuncOp function = functionOf(*module);
  if (form == SizeForm::Bounded) {
    bound(function, hasSymbols);
    return true;
  }
  if (form == SizeForm::AsGiven || hasSymbols) {
    for (const Symbols &symbols : symbolCalls)
      all.push_back({.symbols = symbols});
  } else {
    all.push_back(openCall([](int64_t size) { return size; }));
    all.back().isOwn = true;
    all.push_back(openCall([](int64_t size) { return 2 * size + 1; }));
    all.push_back(openCall([](int64_t) { return 1; }));
    all.push_back(openCall([](int64_t) { return 0; }));
  }
  if (form == SizeForm::Named || form == SizeForm::Assumed)
    split(function);
  return true;
}
