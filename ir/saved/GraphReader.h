// Bytes of a saved graph to functions of the dialect.
#ifndef KERATIN_IR_SAVED_GRAPHREADER_H
#define KERATIN_IR_SAVED_GRAPHREADER_H

#include "ir/saved/ReadingSteps.h"
#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include <string_view>

namespace keratin::ir {

// Any bytes may be given. What is wrong is one INVALID_ARGUMENT that names the function, the op and
// the source line as far as they are known. Memory stays below 64 MiB + 16 times the bytes, for a
// graph that is refused as well. The context needs the keratin and func dialects loaded; nothing is
// reported to its diagnostic handlers.
absl::StatusOr<SavedGraph> readGraph(std::string_view bytes, mlir::MLIRContext &context);
// The same; CANCELLED where it is ended.
absl::StatusOr<SavedGraph> readGraph(std::string_view bytes, mlir::MLIRContext &context,
                                     ReadingSteps &steps);

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_GRAPHREADER_H
