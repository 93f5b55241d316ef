#include "compiler/freestanding/KnownSizes.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;
using ir::DimExpr;

namespace {

class SizeFixer {
public:
  SizeFixer(func::FuncOp function, const NamedSizes &sizes)
      : function(function), sizes(sizes), names(function), limits(function) {}

  // Of the names those that the function has become `used`, and all that it has `known`.
  absl::Status run(std::set<std::string> &used, std::set<std::string> &known) {
    const ir::Signature signature(function);
    for (unsigned i = 0; i < signature.firstVariable(); ++i)
      for (const DimExpr &dim : ir::getShape(function.getArgument(i)))
        for (int64_t symbol : dim.symbols())
          if (absl::Status status = find(symbol, used, known); !status.ok())
            return status;
    if (!values.empty())
      if (absl::Status status = replace(); !status.ok())
        return status;
    return checkKnown();
  }

private:
  std::string ofFunction() { return "function '" + function.getName().str() + "': "; }

  absl::Status find(int64_t symbol, std::set<std::string> &used, std::set<std::string> &known) {
    if (values.count(symbol))
      return absl::OkStatus();
    const std::string name = names[symbol], number = "d" + std::to_string(symbol);
    known.insert(name);
    for (const auto &[given, value] : sizes) {
      if (given != name && given != number)
        continue;
      used.insert(given);
      if (values.count(symbol))
        return absl::InvalidArgumentError("--size: '" + name + "' is given twice");
      const ir::LimitedSize &size = limits.of(symbol);
      if (!size.limits.allow(value))
        return absl::InvalidArgumentError(ofFunction() + "size '" + name + "' is to be " +
                                          std::to_string(value) + "; needed " + size.limits.str());
      values[symbol] = value / size.unit;
    }
    return absl::OkStatus();
  }

  std::optional<DimExpr> valueOf(const DimExpr &dim) const {
    return dim.substitute([&](int64_t symbol) -> std::optional<DimExpr> {
      auto found = values.find(symbol);
      return found == values.end() ? DimExpr::symbol(symbol) : DimExpr(found->second);
    });
  }

  // Where an expression has no value, as a quotient by zero, the sizes are none of the function's.
  absl::Status replace() {
    bool fits = true;
    auto known = [&](ArrayRef<DimExpr> dims) {
      ir::Shape shape;
      for (const DimExpr &dim : dims) {
        std::optional<DimExpr> value = valueOf(dim);
        fits &= value.has_value();
        shape.push_back(value.value_or(dim));
      }
      return shape;
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ir::DimsAttr dims) -> std::optional<Attribute> {
      return ir::DimsAttr::get(dims.getContext(), known(dims.getDims()));
    });
    replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
      if (!type.getEncoding())
        return std::nullopt;
      return ir::getTensorType(known(ir::getShape(type)), type.getElementType());
    });
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    if (!fits)
      return absl::InvalidArgumentError(ofFunction() +
                                        "a size cannot be computed from those that are given");
    ir::LimitedSizes left;
    for (const auto &[symbol, size] : limits.all())
      if (!values.count(symbol))
        left.set(symbol, size);
    left.attachTo(function);
    return absl::OkStatus();
  }

  absl::Status checkKnown() {
    const ir::Signature signature(function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      const std::string argument = signature.argumentKind(i).str() + " '" +
                                   ir::textOf(signature.argumentName(i)).str() + "'";
      if (!signature.symbols(i).empty())
        return absl::InvalidArgumentError(ir::withSourceLine(
            ofFunction() + "the value of " + argument +
                " is a size; a freestanding model has sizes that are known when it is compiled",
            function.getArgument(i).getLoc()));
      for (const DimExpr &dim : ir::getShape(function.getArgument(i)))
        for (int64_t symbol : dim.symbols())
          return absl::InvalidArgumentError(ir::withSourceLine(
              ofFunction() + "size '" + names[symbol] + "' of " + argument +
                  " is not known; a freestanding model needs --size=" + names[symbol] + "=N",
              function.getArgument(i).getLoc()));
    }
    return absl::OkStatus();
  }

  func::FuncOp function;
  const NamedSizes &sizes;
  const ir::SizeNames names;
  const ir::LimitedSizes limits;
  std::map<int64_t, int64_t> values; // by symbol
};

} // namespace

absl::Status compiler::fixSizes(ir::SavedGraph &graph, const NamedSizes &sizes) {
  std::set<std::string> used, known;
  absl::Status first;
  for (func::FuncOp function : graph.module->getOps<func::FuncOp>()) {
    absl::Status status = SizeFixer(function, sizes).run(used, known);
    if (first.ok())
      first = status;
  }
  for (const auto &[name, value] : sizes)
    if (!used.count(name))
      return absl::InvalidArgumentError("--size: no size is named '" + name + "'; " +
                                        (known.empty()
                                             ? "the model has none that is not known"
                                             : "the model has " + llvm::join(known, ", ")));
  return first;
}
