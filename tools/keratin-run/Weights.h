// --weights and --save-weights.
#ifndef KERATIN_TOOLS_KERATINRUN_WEIGHTS_H
#define KERATIN_TOOLS_KERATINRUN_WEIGHTS_H

#include "tools/keratin-run/Program.h"

namespace keratin::tools {

// Sets all variables of the model to the file's values of their names (compiler/arrays/Weights.h).
// What random functions count their draws with keeps its value where the file has none. A shared
// object does not tell such counters from other int64 scalars: a warning names each that the file
// lacks.
absl::Status loadWeights(Program &program, const std::string &path);

// Their values now, without those counters. "": what other ranks need of this one, and no file.
absl::Status saveWeights(const Program &program, const std::string &path);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_WEIGHTS_H
