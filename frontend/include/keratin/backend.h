// The whole API: `namespace K = keratin::backend;`.
//
// A K function builds a node of the graph and computes nothing; K::function compiles, K::eval
// computes at once. Names, argument order and defaults are Keras's. Errors are thrown by the call
// that is at fault (keratin/error.h). Graph building may be done by several threads, one K function
// at a time goes on; compiled functions run in parallel.
#ifndef KERATIN_BACKEND_H
#define KERATIN_BACKEND_H

#include "keratin/config.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/graph.h"
#include "keratin/io.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/random.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"
#include "keratin/training_phase.h"
#include "keratin/variables.h"

namespace keratin::backend {

using keratin::All;
using keratin::Array;
using keratin::DType;
using keratin::Ellipsis;
using keratin::Function;
using keratin::None;
using keratin::Session;
using keratin::Slice;
using keratin::Tensor;

#include "keratin/generated/not_implemented.inc"

} // namespace keratin::backend

#endif // KERATIN_BACKEND_H
