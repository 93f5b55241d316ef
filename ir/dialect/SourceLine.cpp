#include "ir/dialect/SourceLine.h"

using namespace mlir;

std::string keratin::ir::sourceLine(Location location) {
  std::string result;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      result = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result;
}

std::string keratin::ir::withSourceLine(std::string message, Location location) {
  std::string line = sourceLine(location);
  return line.empty() ? message : message + "; at " + line;
}
