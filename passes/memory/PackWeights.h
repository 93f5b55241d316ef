// Weights that a target packs in each call, packed once (--keratin-pack-weights).
#ifndef KERATIN_PASSES_MEMORY_PACKWEIGHTS_H
#define KERATIN_PASSES_MEMORY_PACKWEIGHTS_H

#include "ir/dialect/Keratin.h"

#include "mlir/Pass/Pass.h"

#include <functional>

namespace keratin::passes {

// Columns of the panels into which the target would pack the weights of a kernel; 0: it does not.
using PanelColumns = std::function<int64_t(ir::KernelOp)>;

std::unique_ptr<mlir::Pass> createPackWeights(PanelColumns columnsOf);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_PACKWEIGHTS_H
