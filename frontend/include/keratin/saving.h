// K functions: graphs in files, and objects compiled ahead of time.
#ifndef KERATIN_SAVING_H
#define KERATIN_SAVING_H

#include "keratin/distributed.h"
#include "keratin/function.h"

#include <string>
#include <vector>

namespace keratin {

// How an object is compiled, as the options of keratin-compile (docs/ahead-of-time.md).
struct ObjectOptions {
  // What all its symbols begin with; "": after the file, "digits" for "libdigits.so".
  std::string name = "";
  // "cpu", "cuda", "cuda:sm_90", or the triple of a CPU other than ours; and the processor:
  // "native", "x86-64-v3", …, or "multi" for several in one object.
  std::string target = "cpu";
  std::string cpu = "native";
  // Where the C header and the metadata are written; "": nowhere.
  std::string header = "";
  std::string metadata = "";
  // Where the target's C library is; "": of this machine, or a cross package's.
  std::string sysroot = "";
  // Of a call; 0: as many as there are processors.
  int64_t threads = 0;
  // As FunctionOptions has them.
  int64_t memoryBudget = 0;
  bool checkNumbers = false;
  bool prepareWeights = true;
  std::string float32Products = "float32";
  std::function<void(const CompileProgress &)> progress = nullptr;
  // "yes": where unknown sizes meet, code for the case that they are equal, and code for other
  // calls; "only": other calls fail; "no": one code for all.
  std::string assumeEqualSizes = "yes";
  // Source files and lines appear in no message and nowhere in the object.
  bool stripLocations = false;
  // Calls report each kernel to keratin-run --profile.
  bool profile = false;
  // Each rank has a part of what optimizers keep, of all functions with a sharded size, as of those
  // that were made with FunctionOptions::shardStates. ValueError where no size is sharded.
  bool shardStates = false;
  // Of the ranks that may join: equal parts of variables then have sizes that the compiler knows,
  // and heads of attention can be parted. Empty: any. ValueError for a mesh that lacks an axis
  // along which a variable is in parts.
  std::vector<MeshAxis> mesh = {};
};

} // namespace keratin

namespace keratin::backend {

// Writes the functions, with the present values of their variables, to a file that
// `K::load_functions` and `keratin-compile` read: inputs, outputs and updates, names, and where the
// ops were made. The functions share their variables in the file as they do here. Gradients are
// saved as the ops that compute them. The file is written under another name and then renamed.
// ValueError for no function, or two of one name; RuntimeError if the file cannot be written.
//
// Values are those between two calls, of all variables that lie on one device.
void save_functions(const std::vector<Function> &functions, const std::string &path,
                    SourceLocation location = SourceLocation::current());
void save_function(const Function &f, const std::string &path,
                   SourceLocation location = SourceLocation::current());

// The functions of a file, in its order, sharing variables that are new with each load and start
// with the values in the file; random functions continue where they stood. inputs() are
// placeholders and outputs() tensors of the graph, to be computed with and differentiated further.
// Every 1.x reads the files of every earlier 1.y. A file need not be trusted: ValueError for
// anything wrong in it, RuntimeError if it cannot be read.
//
// The options are those of K::function, of which a file has `shard` alone, where they do not say
// something else, and hold for each of the functions; if one is not made, none is. A time limit and
// what progress throws end the reading of the file too, which then leaves the graph as it was.
// ValueError for a name, which the file gives.
// Gradients in a file keep what they keep: a memory budget does not change that.
std::vector<Function> load_functions(const std::string &path, const FunctionOptions &options = {},
                                     SourceLocation location = SourceLocation::current());
// One function of a file, by name; "": by that of the options, or the only one. ValueError also if
// there is none of that name.
Function load_function(const std::string &path, const std::string &name = "",
                       const FunctionOptions &options = {},
                       SourceLocation location = SourceLocation::current());

// Compiles the functions, with the present values of their variables, ahead of time: a shared
// object that needs no Keratin, as keratin-compile makes it of save_functions' file, or, where the
// path ends in ".o", an object to be linked with the runtime. C programs call it through its
// header, others by names: keratin::Model. Each file appears whole or stays as it was. ValueError
// for functions and options that cannot be compiled, RuntimeError if there is no linker or runtime
// for the target, or a file cannot be written.
void compile_model(const std::vector<Function> &functions, const std::string &path,
                   const ObjectOptions &options = {},
                   SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SAVING_H
