// The descriptor of a compiled model (runtime/abi/keratin_object_abi.h) as data of an object file,
// and the exported functions that hand it to the runtime.
#ifndef KERATIN_COMPILER_ARTIFACT_MODELDATA_H
#define KERATIN_COMPILER_ARTIFACT_MODELDATA_H

#include "codegen/llvm/LlvmTarget.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "runtime/abi/keratin_object_abi.h"

#include <string>
#include <vector>

namespace keratin::compiler {

// One exported function: it calls `target` of the runtime with its own arguments, into which
// constants are put. A state of another model becomes one that is refused.
struct Forwarder {
  // An argument of the runtime's function: of the forwarder itself, or a constant.
  struct Argument {
    enum class Kind { Pointer, State, Integer32, Integer64, Constant32, Object } kind;
    int32_t value = 0; // of a constant
  };
  std::string name, target;
  enum class Result { Status, Nothing, Device } result = Result::Status;
  std::vector<Argument> arguments;
};

// Characters that end in a NUL, under one name or several.
struct ExportedText {
  std::string text;
  std::vector<std::string> names;
};

// Of the name of an entry function, behind that of the code that assumes sizes to be equal, the
// code that does not (keratin_function_desc_t::general).
inline constexpr const char *kGeneralSuffix = ".general";

// A module of LLVM IR with all that `object` points at as constants. The entry function of function
// f in variant v is the external symbol entryNames[v][f]; descriptors name none. `queryName` is an
// exported function that returns the address of the descriptor; `texts` are exported characters,
// each under all its names.
codegen::LlvmCode makeModelData(const keratin_object_desc_t &object,
                                const std::vector<std::vector<std::string>> &entryNames,
                                const std::string &queryName,
                                const std::vector<Forwarder> &forwarders,
                                const std::vector<ExportedText> &texts,
                                const codegen::LlvmTarget &target);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_MODELDATA_H
