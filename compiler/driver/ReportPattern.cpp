#include "compiler/driver/ReportPattern.h"

#include "ir/dialect/NameScope.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "passes/memory/MemoryReport.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

// A line of a place that is a hole: it is no part of the text.
static constexpr unsigned kNoLine = 0;

// The report is made of a copy in which holes stand for all texts.
std::optional<std::string> keratin::compiler::memoryReportPattern(func::FuncOp function,
                                                                  const SaidTexts &said) {
  OwningOpRef<func::FuncOp> copy(function.clone());
  MLIRContext *context = function.getContext();
  bool isComplete = true;
  auto holeOf = [&](StringRef text) {
    auto found = said.places.find(text);
    isComplete &= found != said.places.end();
    return isComplete ? SaidTexts::hole(found->second) : std::string();
  };
  // What is in the new ones is not replaced again.
  using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FileLineColLoc place) -> Replaced {
    std::string line = (place.getFilename().getValue() + ":" + Twine(place.getLine())).str();
    return {{FileLineColLoc::get(context, holeOf(line), kNoLine, 0), WalkResult::skip()}};
  });
  replacer.addReplacement([&](NameLoc name) -> Replaced {
    StringRef scope = name.getName();
    StringAttr hole = scope.starts_with(ir::kGradientOf)
                          ? name.getName()
                          : StringAttr::get(context, holeOf(scope.rtrim('/')));
    auto child = cast<LocationAttr>(replacer.replace(Attribute(name.getChildLoc())));
    return {{NameLoc::get(hole, Location(child)), WalkResult::skip()}};
  });
  replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/false, /*replaceLocs=*/true);
  std::vector<std::pair<int64_t, std::string>> sizes;
  for (const auto &[symbol, number] : said.sizes)
    sizes.emplace_back(symbol, SaidTexts::hole(number));
  ir::SizeNames::set(*copy, sizes);
  ir::Signature signature(*copy);
  for (auto [argument, number] : llvm::enumerate(said.arguments))
    signature.setArgumentName(unsigned(argument), SaidTexts::hole(number));
  if (!isComplete)
    return std::nullopt;
  // "\x01" "12\x02:0" is the place of text 12, of which reports show the file.
  std::string report = passes::memoryReportCells(*copy), pattern;
  const std::string noLine = "\x02:" + std::to_string(kNoLine);
  for (StringRef rest = report; !rest.empty();) {
    auto [before, after] = rest.split(noLine);
    pattern += before;
    if (before.size() < rest.size())
      pattern += "/\x02";
    rest = after;
  }
  return pattern;
}

std::string keratin::compiler::memoryReportOf(const std::string &pattern, const SaidTexts &said) {
  return passes::alignTables(said.fill(pattern));
}
