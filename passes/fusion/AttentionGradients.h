// Gradients of attention as kernels of their own, without matrices of queries and keys.
#ifndef KERATIN_PASSES_FUSION_ATTENTIONGRADIENTS_H
#define KERATIN_PASSES_FUSION_ATTENTIONGRADIENTS_H

#include "ir/interfaces/Attention.h"
#include "ir/interfaces/ComputedSizes.h"

#include <vector>

namespace keratin::passes {

// The ops of one kernel, in the order of their block, where nothing stands between them.
using AttentionGradientOps = llvm::SmallVector<mlir::Operation *>;

// Where gradients are all that reads scores and weights of attention beside itself, gives them
// copies of what makes these, from the numbers of rows that attention keeps. Returns the gradients,
// of these kinds and of so many ops each at most; changes nothing else but the order of ops.
std::vector<AttentionGradientOps> separateAttentionGradients(mlir::Block &block,
                                                             ir::AttentionKinds kinds,
                                                             const ir::ComputedSizes &sizes,
                                                             size_t mostOps);

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_ATTENTIONGRADIENTS_H
