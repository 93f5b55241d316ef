// How much evaluations have to do, and have done.
#ifndef KERATIN_FRONTEND_GRAPH_SLICEWORK_H
#define KERATIN_FRONTEND_GRAPH_SLICEWORK_H

#include "frontend/graph/GraphSlice.h"
#include "frontend/graph/OpenNumbers.h"

#include <array>
#include <cstdint>

namespace keratin::frontend {

// Of one evaluation of a slice, in units of a simple operation on an element in a chain, or in a
// contraction; an element that another op reads or makes counts as 32. It follows from sizes alone,
// so which code runs does not depend on the machine's mood. Where it is not known before the call
// it is the largest number.
uint64_t workOf(const GraphSlice &slice);

// The work of evaluations of one structure: of all, and for the sizes and numbers that it had of
// late.
class WorkDone {
public:
  // What one evaluation does. Gives what all with these numbers have done, this one included.
  uint64_t add(const OpenNumbers &numbers, uint64_t work);
  uint64_t total() const { return all; }

private:
  struct Entry {
    size_t digest = 0; // of the numbers; some are taken for others, which is no harm
    uint64_t work = 0;
  };
  std::array<Entry, 16> entries;
  size_t oldest = 0;
  uint64_t all = 0;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SLICEWORK_H
