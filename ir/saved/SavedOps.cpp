#include "ir/saved/SavedOps.h"

#include "llvm/ADT/StringMap.h"

using namespace keratin::ir;

using Kind = SavedAttributeKind;

#include "ir/saved/SavedOps.inc"

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
  case Kind::RankReduction:
    return "the name of a reduction";
  case Kind::Dims:
    return "a list of sizes";
  case Kind::Dense:
    return "elements";
  }
  return "";
}
