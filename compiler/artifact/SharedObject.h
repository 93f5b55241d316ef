// Linking a compiled model with the runtime.
#ifndef KERATIN_COMPILER_ARTIFACT_SHAREDOBJECT_H
#define KERATIN_COMPILER_ARTIFACT_SHAREDOBJECT_H

#include "absl/status/status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace keratin::compiler {

struct LinkOptions {
  std::string triple;
  std::string runtime; // libkeratin_runtime.a for the triple; "": findRuntime(triple)
  std::string linker;  // ld.lld; "": the one that the compiler was built with, or on the PATH
  std::string sysroot; // of the target's C library; "": of this machine, or a cross package's
  std::string name;    // by which programs will look for a shared object
};

// The runtime's static library for a triple: under the environment variable KERATIN_RUNTIME_DIR,
// beside the installed compiler, in the build tree. "" if there is none.
std::string findRuntime(const std::string &triple);

// The objects are given away, since together with their copies they may take much memory. Nothing
// is written to any folder on the way; after an error the output is of no use.
using ObjectFiles = std::vector<std::unique_ptr<llvm::MemoryBuffer>>;

// A shared object that exports these symbols, needs nothing but libc and libm, and runs no code
// when loaded.
absl::Status linkSharedObject(ObjectFiles objects, llvm::ArrayRef<std::string> exports,
                              llvm::raw_ostream &output, const LinkOptions &options);

// One relocatable object of several, which a program links with the runtime itself. Only the
// exports are seen outside: objects of several models have others of one name.
absl::Status linkRelocatable(ObjectFiles objects, llvm::ArrayRef<std::string> exports,
                             llvm::raw_ostream &output, const LinkOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_SHAREDOBJECT_H
