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
  std::shared_ptr<codegen::JitLibrary> library;
  std::vector<std::shared_ptr<const llvm::MemoryBuffer>> kernels; // for functions that have some
  // Of the function that it was made for, as is the report.
  std::shared_ptr<const FunctionDescription> description;
  CompileReport report;
  // For functions that have other texts: descriptionOf() and memoryPlanOf(). Empty: the code is
  // only for functions that have the same.
  std::string savedDescription, memoryPlanPattern;
  // Of each constant of the description which of the key's scalars it is, or -1; empty: there are
  // no scalars.
  std::vector<int64_t> scalarOfConstant;
  size_t bytes = 0; // about what all this takes

  bool isOfFullEffort() const { return key->effort == codegen::Effort::Full; }
  // Whether it is code of a function with this key, made with no less effort than that asks for.
  bool serves(const GraphKey &other) const;
  // Of a function that it serves. Null where the description was not written as it is read, or
  // there is no memory.
  std::shared_ptr<const FunctionDescription> descriptionOf(const GraphKey &other) const;
  std::string memoryPlanOf(const GraphKey &other) const;
  // The same code for one such function alone, whatever its key is in other stores.
  std::shared_ptr<LoadedCode> withScalarsOf(const GraphKey &other) const;

private:
  bool saysTheSame(const GraphKey &other) const;
};

// Puts a key's scalars in the places of the constants that they are (LoadedCode::scalarOfConstant).
// False where they do not fit, or there is no memory.
bool putScalars(std::vector<std::shared_ptr<const char>> &constants,
                llvm::ArrayRef<int64_t> scalarOfConstant, const GraphKey &key);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_LOADEDCODE_H
