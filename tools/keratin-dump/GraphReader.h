// From a function of the dialect to a GraphView.
#ifndef KERATIN_TOOLS_DUMP_GRAPHREADER_H
#define KERATIN_TOOLS_DUMP_GRAPHREADER_H

#include "passes/memory/PlannedBuffers.h"
#include "tools/keratin-dump/GraphView.h"
#include "tools/keratin-dump/Neighbourhood.h"

namespace keratin::dump {

// Ops in kernels are nodes like others; a kernel's arguments and results are seen through. With
// `shown`, only these ops of the function's body, and as Outside what they are connected to; totals
// are of what is shown, the memory plan is the whole one. Numbers are given for `symbols`, or 32.
GraphView viewOf(mlir::func::FuncOp function, const std::string &stage,
                 const passes::SymbolValues &symbols, const OpSet *shown = nullptr);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_GRAPHREADER_H
