// The text of runtime/abi/keratin_types.h, which the headers of compiled models hold.
#ifndef KERATIN_COMPILER_ARTIFACT_TYPESHEADER_H
#define KERATIN_COMPILER_ARTIFACT_TYPESHEADER_H

namespace keratin::compiler {

extern const char typesHeader[];

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_TYPESHEADER_H
