// The state of the learning phase.
#ifndef KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H
#define KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H

#include "mlir/IR/Value.h"

namespace keratin::frontend {

// Back to a fresh placeholder.
void resetLearningPhase();
// Whether the value depends on the placeholder of the learning phase.
bool dependsOnLearningPhase(mlir::Value value);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H
