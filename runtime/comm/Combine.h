// What becomes of the elements of several ranks.
#ifndef KERATIN_RUNTIME_COMM_COMBINE_H
#define KERATIN_RUNTIME_COMM_COMBINE_H

#include "runtime/include/keratin/comm.h"

namespace keratin::comm {

// out[i] = reduction of parts[0][i] ... parts[count - 1][i], where part r begins at
// parts + r * elements. Sums are added up in the order of parts: floats of up to 32 bits as
// doubles, doubles with their rounding errors (Neumaier, "Rundungsfehleranalyse einiger Verfahren
// zur Summation endlicher Summen", 1974).
void combine(int32_t dtype, int32_t reduction, const void *parts, int32_t count, int64_t elements,
             void *out);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_COMBINE_H
