// What is said of a file that is not as its format wants it.
#ifndef KERATIN_COMPILER_ARRAYS_REFUSAL_H
#define KERATIN_COMPILER_ARRAYS_REFUSAL_H

#include "absl/status/status.h"

namespace keratin::compiler {

inline absl::Status refuse(const std::string &why) { return absl::InvalidArgumentError(why); }

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_REFUSAL_H
