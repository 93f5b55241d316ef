// Code that functions share.
#ifndef KERATIN_COMPILER_STORE_LOADEDCODE_H
#define KERATIN_COMPILER_STORE_LOADEDCODE_H

#include "codegen/llvm/JitLibrary.h"
#include "compiler/artifact/FunctionDescription.h"
#include "compiler/driver/Compiler.h"
#include "compiler/store/GraphKey.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace keratin::compiler {

// What the library calls the entry function.
inline constexpr char kEntryName[] = "keratin_entry";

// Immutable once it is made.
struct LoadedCode {
  std::shared_ptr<const GraphKey> key; // null: of no store
  std::unique_ptr<codegen::JitLibrary> library;
  std::vector<std::shared_ptr<const llvm::MemoryBuffer>> kernels; // for functions that have some
  // Of the function that it was made for, as is the report.
  std::shared_ptr<const FunctionDescription> description;
  CompileReport report;
  // For functions that have other texts: descriptionOf() and memoryPlanOf(). Empty: the code is
  // only for functions that have the same.
  std::string savedDescription, memoryPlanPattern;
  size_t bytes = 0; // about what all this takes

  bool isOfFullEffort() const { return key->effort == codegen::Effort::Full; }
  // Whether it is code of a function with this key, made with no less effort than that asks for.
  bool serves(const GraphKey &other) const;
  // Of a function that it serves. Null where the description was not written as it is read.
  std::shared_ptr<const FunctionDescription> descriptionOf(const GraphKey &other) const;
  std::string memoryPlanOf(const GraphKey &other) const;

private:
  bool saysTheSame(const GraphKey &other) const;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_LOADEDCODE_H
