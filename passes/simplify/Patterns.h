// The rewrite rules of passes/simplify, by subject, for the passes here and for others that want
// some of them. Every rule keeps or lowers the work; none follows chains of unknown length.
#ifndef KERATIN_PASSES_SIMPLIFY_PATTERNS_H
#define KERATIN_PASSES_SIMPLIFY_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace keratin::passes {

// A rule may keep every value and still change what differentiation makes of the graph, a gradient
// of 0 into NaN: such rules wait until gradients are expanded.
enum class RewritePhase { BeforeGradients, AfterGradients };

// Splat constants as scalar and broadcast, and on the right of commutative ops: the form in which
// the other rules expect them.
void populateConstantFormPatterns(mlir::RewritePatternSet &patterns);
// Signs, factors, logic, comparisons, casts, sizes.
void populateAlgebraPatterns(mlir::RewritePatternSet &patterns);
// Broadcasts merged and moved below elementwise ops, so that these work on the small shape.
void populateBroadcastPatterns(mlir::RewritePatternSet &patterns, RewritePhase phase);
// Transposes, reshapes, slices, pads and reverses merged, cancelled, moved to where they cancel.
void populateMovementPatterns(mlir::RewritePatternSet &patterns);
// Transposes moved over reshapes, to where they cancel.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);
// Reductions of reductions, broadcasts and transposes.
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
// Transposes absorbed by dot_general.
void populateContractionPatterns(mlir::RewritePatternSet &patterns);
// Convolutions that are contractions, or have windows over nothing.
void populateConvolutionPatterns(mlir::RewritePatternSet &patterns);

// Logarithms, exponentials, logistic functions, roots and powers (StabilityRules.td and what is not
// one line).
void populateStabilityPatterns(mlir::RewritePatternSet &patterns, RewritePhase phase);
// Softmax, log-softmax and logsumexp; the shift that is put in is constant for gradients.
void populateSoftmaxPatterns(mlir::RewritePatternSet &patterns, RewritePhase phase);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_PATTERNS_H
