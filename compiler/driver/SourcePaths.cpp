#include "compiler/driver/SourcePaths.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace keratin::compiler;

static LocationAttr mapped(FileLineColLoc place, const SourcePathOptions &options) {
  if (options.strip)
    return UnknownLoc::get(place.getContext());
  StringRef file = place.getFilename().getValue();
  for (const auto &[from, to] : llvm::reverse(options.prefixMap))
    if (file.starts_with(from))
      return FileLineColLoc::get(place.getContext(), to + file.drop_front(from.size()).str(),
                                 place.getLine(), place.getColumn());
  return place;
}

void keratin::compiler::mapSourcePaths(ModuleOp module, const SourcePathOptions &options) {
  if (!options.strip && options.prefixMap.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FileLineColLoc place) -> std::optional<Attribute> { return mapped(place, options); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/true);
}
