// What a compiled model is, for programs: JSON, in a file and in the object itself.
// docs/ahead-of-time.md says what is in it.
#ifndef KERATIN_COMPILER_ARTIFACT_MODELMETADATA_H
#define KERATIN_COMPILER_ARTIFACT_MODELMETADATA_H

#include "runtime/abi/keratin_object_abi.h"

#include <string>
#include <vector>

namespace keratin::compiler {

// The symbol that every shared object has: the text, with a NUL behind it. A program may be linked
// with several relocatable objects, which have <model>_keratin_metadata only.
inline constexpr char kModelMetadata[] = "keratin_model_metadata";

// `processors` names what the variants were compiled for.
std::string makeModelMetadata(const keratin_object_desc_t &object, const std::string &triple,
                              const std::vector<std::string> &processors);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_MODELMETADATA_H
