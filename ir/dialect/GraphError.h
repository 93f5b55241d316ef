// Errors of the graph, told apart from errors of the compiler.
//
// A pass fails either since the graph that it was given has no meaning, which is the user's to
// mend, or since a pass is wrong, which is ours. The first kind is reported through here; any other
// error on the way through the compiler is internal, and leaves a reproducer behind
// (compiler/driver/Reproducer.h).
#ifndef KERATIN_IR_DIALECT_GRAPHERROR_H
#define KERATIN_IR_DIALECT_GRAPHERROR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace keratin::ir {

enum class GraphError { Invalid, TooLarge };

// Diagnostics carry nothing but text and a location, so the location says it.
inline mlir::InFlightDiagnostic emitGraphError(mlir::Location location,
                                               GraphError kind = GraphError::Invalid) {
  auto *context = location.getContext();
  auto mark = mlir::StringAttr::get(context, kind == GraphError::Invalid ? "graph is invalid"
                                                                         : "graph is too large");
  return mlir::emitError(mlir::FusedLoc::get({location}, mark, context));
}
inline mlir::InFlightDiagnostic emitGraphError(mlir::Operation *op,
                                               GraphError kind = GraphError::Invalid) {
  return emitGraphError(op->getLoc(), kind);
}

// Of a diagnostic's location; nullopt: an internal error.
inline std::optional<GraphError> graphErrorOf(mlir::Location location) {
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
  auto mark =
      fused ? mlir::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata()) : mlir::StringAttr();
  if (mark && mark.getValue() == "graph is invalid")
    return GraphError::Invalid;
  if (mark && mark.getValue() == "graph is too large")
    return GraphError::TooLarge;
  return std::nullopt;
}

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_GRAPHERROR_H
