// K functions: graphs in files.
#ifndef KERATIN_SAVING_H
#define KERATIN_SAVING_H

#include "keratin/function.h"

#include <string>
#include <vector>

namespace keratin::backend {

// Writes the functions, with the present values of their variables, to a file that
// `K::load_functions` and `keratin-compile` read: inputs, outputs and updates, names, and where the
// ops were made. The functions share their variables in the file as they do here. Gradients are
// saved as the ops that compute them. The file is written under another name and then renamed.
// ValueError for no function, or two of one name; RuntimeError if the file cannot be written.
//
// Variables should not be updated meanwhile: each is consistent by itself, not with the others.
void save_functions(const std::vector<Function> &functions, const std::string &path,
                    SourceLocation location = SourceLocation::current());
void save_function(const Function &f, const std::string &path,
                   SourceLocation location = SourceLocation::current());

// The functions of a file, in its order, sharing variables that are new with each load and start
// with the values in the file; random functions continue where they stood. inputs() are
// placeholders and outputs() tensors of the graph, to be computed with and differentiated further.
// Every 1.x reads the files of every earlier 1.y. A file need not be trusted: ValueError for
// anything wrong in it, RuntimeError if it cannot be read.
std::vector<Function> load_functions(const std::string &path,
                                     SourceLocation location = SourceLocation::current());
// One function of a file, by name; "" for a file with one function. ValueError also if there is
// none of that name.
Function load_function(const std::string &path, const std::string &name = "",
                       SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SAVING_H
