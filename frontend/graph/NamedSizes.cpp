// Sizes by name, and what is said of them.
#include "frontend/graph/Call.h"
#include "frontend/graph/NeededName.h"
#include "frontend/graph/Printable.h"
#include "ir/dialect/SizeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin;
using namespace keratin::frontend;

// "max 512 and multipleOf 8"
static std::string statement(const ir::SizeLimits &limits) {
  std::vector<std::string> parts;
  if (limits.min > 0)
    parts.push_back("min " + std::to_string(limits.min));
  if (limits.max != ir::SizeLimits::kNoMax)
    parts.push_back("max " + std::to_string(limits.max));
  if (limits.multipleOf > 1)
    parts.push_back("multipleOf " + std::to_string(limits.multipleOf));
  return llvm::join(parts, " and ");
}

// What K::Dim says, which must make sense by itself.
static ir::SizeLimits limitsOf(const Call &call, const Dim &dim, const std::string &argument) {
  const DimOptions &options = dim.options();
  ir::SizeLimits limits;
  limits.min = options.min.value_or(limits.min);
  limits.max = options.max.value_or(limits.max);
  limits.multipleOf = options.multipleOf.value_or(limits.multipleOf);
  std::string size = argument + ": size '" + dim.name() + "' has ";
  if (limits.min < 0)
    call.valueError(size + "min " + std::to_string(limits.min) + "; needed 0 or more");
  if (limits.multipleOf < 1)
    call.valueError(size + "multipleOf " + std::to_string(limits.multipleOf) +
                    "; needed 1 or more");
  if (!limits.canHold())
    call.valueError(size + statement(limits) + ", which no size has");
  return limits;
}

void Call::limit(int64_t symbol, const ir::SizeLimits &limits, const std::string &argument) {
  SymbolInfo &known = graph.symbols[symbol];
  std::optional<ir::SizeLimits> both = known.limits.with(limits);
  if (!both)
    valueError(argument + ": size '" + known.name + "' has " + statement(limits) + " here and " +
               statement(known.limits) + " elsewhere; needed what agrees");
  known.limits = *both;
}

DimExpr Call::namedSize(const Dim &dim, const std::string &argument) {
  const std::string &name = dim.name();
  if (!ir::SizeNames::isName(name))
    valueError(argument + " is named '" + printable(name, 80) + "'; needed " + neededName());
  const ir::SizeLimits limits = limitsOf(*this, dim, argument);
  const int64_t symbol = graph.namedSymbol(name);
  limit(symbol, limits, argument);
  return DimExpr::symbol(symbol);
}
