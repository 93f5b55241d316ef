// Arrays to and from other libraries, by DLPack (https://github.com/dmlc/dlpack), without a copy.
#ifndef KERATIN_DLPACK_H
#define KERATIN_DLPACK_H

#include "keratin/array.h"

// The struct of dlpack/dlpack.h, of its version 0.
struct DLManagedTensor;

namespace keratin {

// A view of the tensor, on the host or a CUDA device, also with strides. The tensor is taken over:
// its deleter is called once, from whatever thread, when the array and what it was moved to is
// gone. ValueError, and the tensor stays the caller's, for a dtype or device that arrays do not
// have.
Array fromDLPack(DLManagedTensor *tensor);
// A tensor that owns the array; whoever takes it calls its deleter, once. An array that is only
// read is copied, as the format does not say so.
DLManagedTensor *toDLPack(Array array);

} // namespace keratin

#endif // KERATIN_DLPACK_H
