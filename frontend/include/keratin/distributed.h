// Several processes that run one program together: the ranks of a job (docs/distributed.md).
//
//   namespace K = keratin::backend;
//   K::distributed::init();                     // what mpirun, srun or torchrun says of this
//   process auto x = K::placeholder({K::Dim("batch"), 784}); … auto step = K::function({x, y},
//   loss, updates, {.shard = {{"batch"}}}); step({part_of_x, part_of_y});               // this
//   rank's part of the batch
#ifndef KERATIN_DISTRIBUTED_H
#define KERATIN_DISTRIBUTED_H

#include "keratin/tensor.h"

#include <string>
#include <utility>
#include <vector>

struct keratin_comm_t;

namespace keratin {

class Function;
class TensorList;

// How ranks are arranged: along one axis, which has a name.
class Mesh {
public:
  explicit Mesh(std::string axis = "data") : axisName(std::move(axis)) {}
  const std::string &axis() const { return axisName; }

private:
  std::string axisName;
};

// A size of which each rank has a part: what has that size in its shape is split along it, and the
// parts of all ranks together, in their order, are what the graph means. FunctionOptions::shard.
struct Shard {
  Shard(std::string name, Mesh among = Mesh()) : size(std::move(name)), mesh(std::move(among)) {}
  Shard(const char *name, Mesh among = Mesh()) : size(name), mesh(std::move(among)) {}

  std::string size; // of a K::Dim
  Mesh mesh;
};

namespace backend {

inline Mesh mesh(std::string axis) { return Mesh(std::move(axis)); }

namespace distributed {

// Joins the ranks that the launcher has started; alone where there is none. Once a process, before
// the first function with shards is made. LostRankError where the others do not come, RuntimeError
// for what the launcher says that makes no sense.
void init();
// The same over an engine that the program brings (<keratin/comm.h>), which is closed in the end.
void init(keratin_comm_t *engine);
bool isInitialized();
// Leaves the ranks; functions with shards must be gone. The end of the process does it, too.
void finalize();

// 0 and 1 before init().
int rank();
int size();
// "Open MPI", "shared memory"; "one rank".
std::string engine();

// Calls of functions with shards, and these, succeed or fail on all ranks: with RankError where
// another rank has failed or wants something else, and with LostRankError where one is lost.

// Returns when all ranks have come to it.
void barrier();
// Gives the variables of all ranks the values that they have on one. ValueError for what is no
// variable; RankError where the ranks do not name the same ones.
void broadcast(const std::vector<Tensor> &variables, int from = 0,
               SourceLocation location = SourceLocation::current());
// The parts of all ranks one behind the other along the first dimension, in which they may differ.
// ValueError for an array without one; RankError where the ranks' parts do not fit.
Array allGather(const Array &part, SourceLocation location = SourceLocation::current());
// The dimension of the tensor that has the size of this name (K::Dim); -1: none has.
int64_t axisOf(const Tensor &tensor, const std::string &size,
               SourceLocation location = SourceLocation::current());

// Writes the state of a step, as training::stateOf has it, or the values of variables, which are
// the same on all ranks: a set of safetensors files, as Hugging Face's tools have them, with the
// index that `path` names, "run/net.safetensors.index.json". Each rank writes a part,
// "run/net-00001-of-00004.safetensors", in a folder that all ranks have. The set takes the place of
// an older one whole, when all is on the disk: whoever is killed leaves one of the two. ValueError
// as save_weights; RuntimeError where a part cannot be written; RankError on the other ranks, and
// where ranks have other variables.
void saveCheckpoint(const Function &step, const std::string &path,
                    SourceLocation location = SourceLocation::current());
void saveCheckpoint(const TensorList &variables, const std::string &path,
                    SourceLocation location = SourceLocation::current());
// Sets them to the values of a set, whatever number of ranks has written it; load_weights does it
// in one process. All ranks have new values or none has. Errors as load_weights; RankError on the
// other ranks, and where they find other values.
void loadCheckpoint(const Function &step, const std::string &path,
                    SourceLocation location = SourceLocation::current());
void loadCheckpoint(const TensorList &variables, const std::string &path,
                    SourceLocation location = SourceLocation::current());

} // namespace distributed
} // namespace backend
} // namespace keratin

#endif // KERATIN_DISTRIBUTED_H
