// Views as tables of numbers.
#ifndef KERATIN_TOOLS_DUMP_STATS_H
#define KERATIN_TOOLS_DUMP_STATS_H

#include "tools/keratin-dump/GraphView.h"

namespace keratin::dump {

// Ops by name, FLOPs, bytes moved; of a planned function its memory, and a line a kernel:
//
//   kernel  FLOPs  read  written  live   timeline
//        0   8192  1536      512   512   ########................  head: dot_general + 2 net.cc:12
//
// Kernels of a loop follow it. A time is there where a profile says so. The bars are of bytes that
// are live while the kernel runs, up to the size of the arena.
std::string toStats(const std::vector<GraphView> &views);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_STATS_H
