// The state of the learning phase.
#ifndef KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H
#define KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H

namespace keratin::frontend {

// Back to a fresh placeholder.
void resetLearningPhase();

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_TRAININGPHASE_H
