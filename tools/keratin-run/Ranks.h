// What a rank of a job has of the arrays of a call.
#ifndef KERATIN_TOOLS_KERATINRUN_RANKS_H
#define KERATIN_TOOLS_KERATINRUN_RANKS_H

#include "tools/keratin-run/Program.h"

namespace keratin::tools {

// Of inputs, the rows that are this rank's where each has a part: of n those from r*n/N up to
// (r+1)*n/N, r being its place along the axis of the parts. All of them for a program that is
// alone.
std::vector<Array> ownInputs(const Program &program, const std::vector<Array> &inputs);

// The parts of outputs become what those of all ranks are together.
absl::Status gatherOutputs(const Program &program, std::vector<Array> &outputs);

// trace.json of rank 1 is trace.1.json.
std::string fileOfRank(const std::string &path, const Program &program);

// The number becomes the largest that a rank has.
absl::Status takeLargest(const Program &program, double &number);

// Returns when all ranks have come to it.
absl::Status meet(const Program &program);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_RANKS_H
