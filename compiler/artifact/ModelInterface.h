// What a compiled model exports: the C header that a person reads, and the functions behind it.
#ifndef KERATIN_COMPILER_ARTIFACT_MODELINTERFACE_H
#define KERATIN_COMPILER_ARTIFACT_MODELINTERFACE_H

#include "compiler/artifact/KnownOutputs.h"
#include "compiler/artifact/ModelData.h"

namespace keratin::compiler {

// Of an element of a keratin_dtype_t in C: 16-bit floats are their bits, bools bytes.
const char *cTypeOf(int32_t dtype);

struct ModelInterface {
  std::string header;                // C99 and C++, without any other header of ours
  std::string queryName;             // exported: the address of the descriptor
  std::string metadataName;          // exported: ModelMetadata.h
  std::vector<Forwarder> forwarders; // exported too
};

// The model's name is a model name (Names.h); the others in the descriptor may be any text.
// `target` says in words what the model was compiled for.
ModelInterface makeModelInterface(const keratin_object_desc_t &object, const KnownOutputs &known,
                                  const std::string &target);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_MODELINTERFACE_H
