#include "compiler/driver/PhaseDump.h"

#include "compiler/artifact/Names.h"
#include "runtime/files/FileWriter.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace keratin::compiler;

PhaseDump::PhaseDump(std::string folder, std::string function)
    : directory(std::move(folder)), function(std::move(function)) {
  if (directory.empty())
    if (const char *environment = std::getenv("KERATIN_DUMP_DIR"))
      directory = environment;
}

void PhaseDump::text(const std::string &name, llvm::StringRef text) const {
  if (!enabled())
    return;
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, fileName(function) + "." + name);
  (void)keratin::runtime::writeFile(path.c_str(), text.data(), text.size());
}

void PhaseDump::module(const std::string &name, mlir::ModuleOp module) const {
  if (!enabled())
    return;
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module.print(stream);
  text(name + ".mlir", printed);
}
