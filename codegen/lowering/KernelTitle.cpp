#include "codegen/lowering/KernelTitle.h"

#include "ir/dialect/SourceLine.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// Three of its ops say what a kernel is, after the user's name for the first.
KernelTitle keratin::codegen::titleOf(ir::KernelOp op) {
  KernelTitle result;
  SmallVector<StringRef> names;
  size_t more = 0;
  StringRef scope;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (result.location.empty()) {
      result.location = ir::sourceLine(inner.getLoc());
      if (auto named = inner.getLoc()->findInstanceOf<NameLoc>())
        scope = named.getName().getValue();
    }
    StringRef name = inner.getName().stripDialect();
    if (llvm::is_contained(names, name) || isa<ir::ConstantOp>(inner))
      continue;
    if (names.size() < 3)
      names.push_back(name);
    else
      ++more;
  }
  if (result.location.empty())
    result.location = ir::sourceLine(op.getLoc());
  result.name = (scope.empty() ? "" : scope + ": ").str() + llvm::join(names, " + ");
  if (names.empty())
    result.name += "constant";
  if (more)
    result.name += " + " + std::to_string(more) + " more";
  return result;
}

llvm::raw_ostream &keratin::codegen::operator<<(llvm::raw_ostream &out, const KernelTitle &title) {
  out << title.name;
  return title.location.empty() ? out : out << "  " << title.location;
}
