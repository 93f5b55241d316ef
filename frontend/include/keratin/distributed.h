// Several processes that run one program together: the ranks of a job (docs/distributed.md).
//
//   namespace K = keratin::backend;
//   K::distributed::init(); // as mpirun, srun or torchrun says
//   auto x = K::placeholder({K::Dim("batch"), 784});
//   auto step = K::function({x, y}, loss, updates, {.shard = {{"batch"}}});
//   step({part_of_x, part_of_y}); // this rank's parts of the batch
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

// An axis of a mesh of ranks, and how many there are along it.
struct MeshAxis {
  std::string name;
  int size;
};

// Along what a size is divided: an axis of the mesh that K::distributed::init has arranged the
// ranks in, by its name; all ranks where it has not.
class Mesh {
public:
  Mesh() = default;
  explicit Mesh(std::string axis) : named(std::move(axis)) {}
  // "data" where nobody has named one.
  std::string axis() const { return named.empty() ? "data" : named; }
  bool isNamed() const { return !named.empty(); }

private:
  std::string named;
};

// What each rank has a part of; the parts of all ranks together, in their order, are what the graph
// means. FunctionOptions::shard.
struct Shard {
  // A size: what has it in its shape is split along it.
  Shard(std::string name, Mesh among = Mesh()) : size(std::move(name)), mesh(std::move(among)) {}
  Shard(const char *name, Mesh among = Mesh()) : size(name), mesh(std::move(among)) {}
  // A variable, along one of its dimensions, counted from the last one where it is negative.
  Shard(Tensor divided, std::int64_t along, Mesh among = Mesh())
      : variable(std::move(divided)), dimension(along), mesh(std::move(among)) {}

  std::string size; // of a K::Dim
  Tensor variable;  // empty for a size
  std::int64_t dimension = 0;
  Mesh mesh;
};

namespace backend {

inline Mesh mesh(std::string axis) { return Mesh(std::move(axis)); }

namespace distributed {

// Joins the ranks that the launcher has started; alone where there is none. Once a process, before
// the first function with shards is made. LostRankError where the others do not come, RuntimeError
// for what the launcher says that makes no sense.
void init();
// The same, and arranges the ranks in a mesh: those of the last axis follow one another. Of
// {{"data", 2}, {"model", 2}} ranks 0 and 1 are alike but for their place along "model". A size
// that is sharded along one axis is in the same parts on all ranks that have the same place there,
// and they compute the same. ValueError where the mesh is not of as many ranks as there are.
void init(const std::vector<MeshAxis> &mesh, SourceLocation location = SourceLocation::current());
// The same over an engine that the program brings (<keratin/comm.h>), which is closed in the end.
void init(keratin_comm_t *engine, const std::vector<MeshAxis> &mesh = {},
          SourceLocation location = SourceLocation::current());
bool isInitialized();
// After LostRankError, on all ranks that are left: these go on in their processes, as the ranks of
// a job of their own in the order that they had, in a mesh that is shorter along its first axis.
// Functions with shards are called again, with parts for size() ranks. The calls that failed may
// have updated variables on some ranks: loadCheckpoint() or broadcast() comes next. LostRankError
// where one of them does not come, or this one leaves, as its place along the first of several axes
// has lost a rank; NotImplementedError where the engine or parts of variables do not allow it.
void shrink();
// Leaves the ranks; functions with shards must be gone. The end of the process does it, too.
void finalize();

// 0 and 1 before init().
int rank();
int size();
// This one's place along an axis of the mesh, and how many there are along it. ValueError where
// there is none of this name.
int rank(const std::string &axis, SourceLocation location = SourceLocation::current());
int size(const std::string &axis, SourceLocation location = SourceLocation::current());
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

// What ranks do together within a function, which all of them call: each with its own values, of
// the same shapes and dtypes on all, and results of the sizes that they have with size() ranks when
// the graph is built. `along` names an axis of the mesh: then it is what the ranks along it do, of
// which there are size(along), and whose numbers are their places, rank(along). Gradients are those
// of the sum of what all ranks make. A rank alone does it by itself: nothing is added, gathered and
// sent. In a sharded function they take what is the same on all ranks, and give such; along another
// axis than the sharded one, parts too. ValueError for shapes, dtypes, ranks and axes that do not
// fit, and, with the line, in sharded functions for what has parts, and for those that give each
// rank something else.

// Of all ranks' x the "sum", "max", "min" or, of floats, "mean", element by element.
Tensor allReduce(const Tensor &x, const std::string &reduction = "sum",
                 const std::string &along = "",
                 SourceLocation location = SourceLocation::current());
// All ranks' x one behind the other along the axis.
Tensor allGather(const Tensor &x, int64_t axis, const std::string &along = "",
                 SourceLocation location = SourceLocation::current());
// Of what allReduce makes the part of this rank along the axis, of as many equal ones as there are
// ranks.
Tensor reduceScatter(const Tensor &x, int64_t axis, const std::string &reduction = "sum",
                     const std::string &along = "",
                     SourceLocation location = SourceLocation::current());
// x of the rank `root`.
Tensor broadcastFrom(const Tensor &x, int root, const std::string &along = "",
                     SourceLocation location = SourceLocation::current());
// x is as many equal parts along one axis as there are ranks, one for each of them: the parts for
// this rank, one behind the other along another axis, or the same.
Tensor allToAll(const Tensor &x, int64_t splitAxis, int64_t concatAxis,
                const std::string &along = "", SourceLocation location = SourceLocation::current());
// Of each pair the second rank gets x of the first; who gets none has zeros. No rank is twice the
// first, or twice the second.
Tensor permute(const Tensor &x, const std::vector<std::pair<int, int>> &pairs,
               const std::string &along = "", SourceLocation location = SourceLocation::current());
// rank() and size() as int64 scalars that each call finds out, without a message.
Tensor rankIndex(const std::string &along = "",
                 SourceLocation location = SourceLocation::current());
Tensor rankCount(const std::string &along = "",
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
