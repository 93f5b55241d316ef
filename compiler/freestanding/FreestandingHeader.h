// The C header of a freestanding model.
#ifndef KERATIN_COMPILER_FREESTANDING_FREESTANDINGHEADER_H
#define KERATIN_COMPILER_FREESTANDING_FREESTANDINGHEADER_H

#include "compiler/freestanding/ModelLayout.h"

#include <map>

namespace keratin::compiler {

// Names of the functions in C, behind the model's and _.
std::vector<std::string> freestandingNames(const ir::SavedGraph &graph, const std::string &model);

// How the functions that the code exports are declared, by their names; parameters are p0, p1, ….
std::map<std::string, std::string> exportedHeads(const ir::SavedGraph &graph,
                                                 const std::string &model,
                                                 const std::vector<FreestandingFunction> &functions,
                                                 const ModelLayout &layout);

// C99 and C++, which includes <stdint.h> alone. `target` says in words what the code is for.
std::string makeFreestandingHeader(const ir::SavedGraph &graph, const std::string &model,
                                   const std::vector<FreestandingFunction> &functions,
                                   const ModelLayout &layout, const std::string &target);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_FREESTANDINGHEADER_H
