#include "compiler/driver/PhaseDump.h"

#include "compiler/artifact/Names.h"
#include "runtime/files/FileWriter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace keratin::compiler;

// Whoever writes to a folder that cannot be made is told so.
static std::string madeFolder(const std::string &option) {
  const char *environment = std::getenv("KERATIN_DUMP_DIR");
  std::string folder = !option.empty() || !environment ? option : environment;
  if (!folder.empty())
    (void)llvm::sys::fs::create_directories(folder);
  return folder;
}

static std::string cannotWrite(llvm::StringRef path, int code) {
  return ("cannot write '" + path + "': " + std::strerror(code)).str();
}

absl::Status keratin::compiler::checkDumpFolder(const std::string &option) {
  llvm::SmallString<128> probe(madeFolder(option));
  if (probe.empty())
    return absl::OkStatus();
  llvm::sys::path::append(probe, "probe");
  keratin::runtime::FileWriter file; // never committed, so nothing stays
  return file.open(probe.c_str()) ? absl::OkStatus()
                                  : absl::InvalidArgumentError(cannotWrite(
                                        llvm::sys::path::parent_path(probe), file.error()));
}

PhaseDump::PhaseDump(std::string folder, std::string function, std::string code)
    : directory(madeFolder(folder)), function(std::move(function)), code(std::move(code)) {}

PhaseDump PhaseDump::of(llvm::StringRef machine) const {
  PhaseDump dump = *this;
  if (!machine.empty())
    dump.code += (dump.code.empty() ? "" : ".") + machine.str();
  return dump;
}

void PhaseDump::text(Stage stage, llvm::StringRef suffix, llvm::StringRef text) const {
  if (!enabled())
    return;
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, fileName(function) + "." + std::to_string(int(stage)) + "-" +
                                    stageName(stage) + (code.empty() ? "" : "." + fileName(code)) +
                                    suffix);
  static std::atomic<bool> isReported = false;
  if (int code = keratin::runtime::writeFile(path.c_str(), text.data(), text.size());
      code && !isReported.exchange(true))
    llvm::errs() << "keratin: warning: " << cannotWrite(path, code)
                 << "; no more is said of dumps that are left out\n";
}

void PhaseDump::module(Stage stage, mlir::ModuleOp module) const {
  if (!enabled())
    return;
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module.print(stream);
  text(stage, ".mlir", printed);
}
