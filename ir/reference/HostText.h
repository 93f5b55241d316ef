// Host tensors as text.
#ifndef KERATIN_IR_REFERENCE_HOSTTEXT_H
#define KERATIN_IR_REFERENCE_HOSTTEXT_H

#include "ir/reference/HostTensor.h"

#include <string>

namespace keratin::ir {

// As NumPy prints it: "[[1.  2.5]\n [3.  4. ]]". Long tensors are neither wrapped nor shortened.
std::string numpyText(const HostTensor &tensor);

// For tests: "tensor<2x2xf32> [[1, 2.5], [3, 4]]", with six significant digits, so that roundings
// do not show; no sign of zero for the same reason.
std::string stableText(const HostTensor &tensor);

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_HOSTTEXT_H
