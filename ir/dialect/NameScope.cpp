#include "ir/dialect/NameScope.h"

using namespace mlir;

// The names of a location, outermost first, until one is taken.
static void walkNames(Location location, llvm::function_ref<bool(StringRef)> take) {
  location->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    return named && take(named.getName().getValue()) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
}

StringRef keratin::ir::scopeOf(Location location) {
  StringRef scope;
  walkNames(location, [&](StringRef name) {
    if (name.starts_with(kGradientOf))
      return false;
    scope = name.rtrim('/');
    return true;
  });
  return scope;
}

StringRef keratin::ir::differentiatedOp(Location location) {
  StringRef op;
  walkNames(location, [&](StringRef name) {
    if (name.consume_front(kGradientOf))
      op = name;
    return true;
  });
  return op;
}
