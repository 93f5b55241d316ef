// K functions: training and test phase, and choice by a condition.
#ifndef KERATIN_TRAINING_PHASE_H
#define KERATIN_TRAINING_PHASE_H

#include "keratin/arguments.h"

namespace keratin::backend {

// The number given to set_learning_phase since the last clear_session, else a scalar int32
// placeholder, always the same, that is 0 unless fed.
Operand learning_phase();
// ValueError unless 0 or 1.
void set_learning_phase(int value);
// x if training (None: the learning phase) is nonzero, else alt. A number picks when the node is
// made; a function that is not picked is not called.
Tensor in_train_phase(const Branch &x, const Branch &alt, const Operand &training = None,
                      SourceLocation location = SourceLocation::current());
Tensor in_test_phase(const Branch &x, const Branch &alt, const Operand &training = None,
                     SourceLocation location = SourceLocation::current());
// Keras's switch (a keyword of C++): then_expression where the condition is nonzero. The axes of a
// condition that is no scalar are the first of the expressions'. By a scalar one expression is
// evaluated, and the result has its sizes: None where the two differ. Their ranks are equal, or one
// is a scalar, which gets a dimension of size 1 for each of the other's.
Tensor switch_(const Operand &condition, const Branch &then_expression,
               const Branch &else_expression, SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_TRAINING_PHASE_H
