// Layers of neural networks, made of K functions: `using namespace keratin;`, `layers::Dense`, ….
//
//   layers::Dense hidden(64, 256, {.activation = "relu"}), last(256, 10);
//   K::Tensor logits = last(hidden(x));
//
// A layer is a small value: made with the sizes that it works on, it has its variables at once;
// calling it builds graph. Copies share the variables. What Keras writes with keywords are options
// by name (keratin/options.h), with Keras's names and, unless said otherwise, its defaults.
//
// Names. Variables are called after their layer: "dense/kernel", of the second of its kind
// "dense_1/kernel", behind the K::name_scope in force when it is made; saved weights go by them.
// K::clear_session() begins to count anew, for a second model of the same names.
//
// Training. Where training makes a difference a call takes it: true, false, or a tensor; None is
// K::learning_phase().
//
// A wrong argument is a ValueError that names the layer and the argument.
#ifndef KERATIN_LAYERS_H
#define KERATIN_LAYERS_H

#include "keratin/keras_files.h"
#include "keratin/layers/attention.h"
#include "keratin/layers/convolutions.h"
#include "keratin/layers/dense.h"
#include "keratin/layers/layer.h"
#include "keratin/layers/normalization.h"
#include "keratin/layers/recurrence.h"
#include "keratin/layers/sequential.h"

#endif // KERATIN_LAYERS_H
