// How a loop is divided so that its gradient keeps less. No MLIR here; tested on numbers.
//
// A loop of T steps whose gradient keeps b bytes of each may run in segments of k steps: kept are
// the states, s bytes, before each segment, and what the steps of one segment keep, which are done
// again when the gradient comes to them. That is s*T/k + b*k instead of b*T bytes, for one more run
// of the loop. Segments may be divided in the same way, for one more run each time.
#ifndef KERATIN_PASSES_LOOPS_LOOPSEGMENTS_H
#define KERATIN_PASSES_LOOPS_LOOPSEGMENTS_H

#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::passes {

// Lengths of segments from the outside in, each less than the one before; none: not divided.
using Segments = std::vector<int64_t>;

struct LoopMemory {
  std::optional<int64_t> steps; // if they are known
  int64_t stateBytes = 0;       // of what steps hand on
  int64_t stepBytes = 0;        // of what the gradient keeps of a step, without loops inside
  int64_t around = -1;          // the loop in whose step it stands; -1: in none
};

// Bytes kept at most, by a loop without loops inside. Precondition: the number of steps is known.
double bytesKept(const LoopMemory &loop, const Segments &segments);

// So that a loop of known length, divided `levels` times, keeps least; shorter where a further
// division would save less than a quarter. Lengths that leave no remainder are preferred: what is
// left over is a loop of its own, and what both stack has to be joined.
Segments divide(const LoopMemory &loop, unsigned levels);

// For each loop, in whose list those inside come before those around them. Loops of known length
// stay whole as long as together they keep no more than `bytes`; then the one that keeps most is
// divided, or one inside of it if that saves more, again and again. A loop of unknown length is
// always divided, so that a segment keeps at most its part of a third of the bytes: up to that
// length nothing is done twice. What is left over behind the segments may keep as much at the same
// time, and the last third is for states, and for all that loops of known length keep.
std::vector<Segments> divideWithin(std::vector<LoopMemory> loops, int64_t bytes);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_LOOPSEGMENTS_H
