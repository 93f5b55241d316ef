// What compiled code and its messages say of the places in source files that a graph came from.
#ifndef KERATIN_COMPILER_DRIVER_SOURCEPATHS_H
#define KERATIN_COMPILER_DRIVER_SOURCEPATHS_H

#include <string>
#include <utility>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace keratin::compiler {

struct SourcePathOptions {
  bool strip = false; // no places at all; names of scopes stay
  // Paths that begin with `first` begin with `second` instead: the last that fits, as of
  // compilers' -ffile-prefix-map.
  std::vector<std::pair<std::string, std::string>> prefixMap;
};

// Changes the locations of all ops of the module, and those in attributes.
void mapSourcePaths(mlir::ModuleOp module, const SourcePathOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_SOURCEPATHS_H
