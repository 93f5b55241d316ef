// Compiled functions of a graph.
#ifndef KERATIN_FUNCTION_H
#define KERATIN_FUNCTION_H

#include "keratin/arguments.h"
#include "keratin/distributed.h"
#include "keratin/sparse.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace keratin {

namespace frontend {
struct FunctionAccess;
} // namespace frontend

// What is fed for one input: an array (or what makes one, None too), or a sparse matrix.
class Feed {
public:
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, Array>>>
  Feed(T &&value) : dense(std::forward<T>(value)) {}
  Feed(SparseMatrix matrix) : sparse(std::make_shared<SparseMatrix>(std::move(matrix))) {}

  const Array &array() const { return dense; }
  // Null for an array.
  const SparseMatrix *matrix() const { return sparse.get(); }

private:
  Array dense;
  std::shared_ptr<const SparseMatrix> sparse;
};

// Values for inputs by their names: {{"x", images}, {"y", labels}}.
class NamedFeeds {
public:
  struct Entry {
    // A template, so that no number is taken for a name.
    template <typename Name, typename T,
              typename = std::enable_if_t<std::is_convertible_v<const Name &, std::string> &&
                                          std::is_convertible_v<T, Feed>>>
    Entry(const Name &input, T &&value) : name(input), feed(std::forward<T>(value)) {}
    template <typename Name,
              typename = std::enable_if_t<std::is_convertible_v<const Name &, std::string>>>
    Entry(const Name &input, std::initializer_list<detail::ArrayRow> rows)
        : name(input), feed(Array(rows)) {}

    std::string name;
    Feed feed;
  };

  NamedFeeds(std::initializer_list<Entry> feeds) : entries(feeds) {}
  NamedFeeds(std::vector<Entry> feeds) : entries(std::move(feeds)) {}

  const std::vector<Entry> &list() const { return entries; }

private:
  std::vector<Entry> entries;
};

// What a call returns: an array for each output, by its place, or by its name where it has one.
class Results : public std::vector<Array> {
public:
  Results() = default;
  Results(std::vector<Array> arrays, std::shared_ptr<const std::vector<std::string>> names)
      : std::vector<Array>(std::move(arrays)), outputNames(std::move(names)) {}

  using std::vector<Array>::operator[];
  // ValueError, which lists the names that there are, for any other.
  Array &operator[](const std::string &name) { return data()[placeOf(name)]; }
  const Array &operator[](const std::string &name) const { return data()[placeOf(name)]; }

  // One for each array; "" for an output without a name.
  const std::vector<std::string> &names() const;

private:
  size_t placeOf(const std::string &name) const;

  std::shared_ptr<const std::vector<std::string>> outputNames;
};

// What K::function returns: code for the outputs and updates of a graph. Copies share the code,
// which never changes; several threads may call it at once. Calls that update variables exclude
// each other, and updates are applied together or, when a call fails, not at all. One that is made
// by default, or moved from, is empty: all but assigning to it, destroying it and isEmpty() is a
// ValueError.
class Function {
public:
  Function() = default;

  bool isEmpty() const { return !impl; }

  // One value for each input, converted to its dtype; None for an input with a default (the
  // learning phase). The arrays returned are the caller's. ValueError for too few or too many
  // values and for a shape that does not fit.
  Results operator()(const std::vector<Array> &values) const;
  // The same, sparse matrices among the values. (A template, so that a list of arrays is one.)
  template <typename T = Feed> Results operator()(const std::vector<T> &feeds) const {
    static_assert(std::is_same_v<T, Feed>, "needs arrays or keratin::Feed");
    return callFeeds(feeds);
  }
  // The same, by the names of the inputs, in any order; what has a default may be left out.
  // ValueError for a name that no input has, or that several have, or that is given twice.
  template <typename T = NamedFeeds, std::enable_if_t<std::is_same_v<T, NamedFeeds>, int> = 0>
  Results operator()(const T &feeds) const {
    return callNamed(feeds);
  }
  // The same without allocating in a steady state: the memory of outputs is used again where it is
  // large enough. values must be `inputs().size()` arrays, and may lie among the outputs.
  //
  // Array::view among the values is read where it lies (or copied, where an output would overwrite
  // it), and among the outputs written where it lies: ValueError unless it has the output's dtype
  // and shape (of sizes that the call computes, the largest they can be), is row-major, and
  // overlaps no other output.
  void call(const Array *values, size_t count, std::vector<Array> &outputs) const;
  // In the place of a call for which the caller has no values on this rank of a job
  // (distributed.h): the call fails on the other ranks, for the reason given here, instead of
  // waiting for this one. Nothing happens where no others take part. Calls do so for values that
  // they refuse.
  void refuse(const std::string &reason) const;

  const std::vector<Tensor> &inputs() const;
  const std::vector<Tensor> &outputs() const;
  const std::string &name() const;
  // Of the placeholders, as they were given, or of other tensors less the ":0".
  const std::vector<std::string> &inputNames() const;
  // As K::function was given them, or as they stand in the file; "" for an output without a name.
  const std::vector<std::string> &outputNames() const;
  // The variables that a call reads or updates, each once, in an order that follows from the graph;
  // without what random functions count their draws with. Of a sparse one, that of its stored
  // elements.
  std::vector<Tensor> variables() const;

  // What compiling cost and decided.
  double compileMilliseconds() const;
  // The bill as text: processor time of each stage of the compiler, and those of its passes and of
  // the kernels that took most; or whose code it is, where that was there already.
  std::string compileReport() const;
  int64_t kernelCount() const;
  std::string memoryPlan() const;
  // Bytes of temporaries that a call holds, and the least that any plan could do with. A size that
  // is not known counts as what it is at most (K::Dim), else with 32.
  int64_t arenaBytes() const;
  int64_t maxLiveBytes() const;

  // As toString.
  friend std::ostream &operator<<(std::ostream &out, const Function &function);

  struct Impl;
  explicit Function(std::shared_ptr<const Impl> made) : impl(std::move(made)) {}

private:
  friend struct frontend::FunctionAccess;
  const Impl &checked(const char *call) const;
  Results callFeeds(const std::vector<Feed> &feeds) const;
  Results callNamed(const NamedFeeds &feeds) const;
  Results resultsOf(std::vector<Array> outputs) const;

  std::shared_ptr<const Impl> impl;
};

// The name, and a line for each input, output and update: its name, dtype and shape.
std::string toString(const Function &function);

// An entry of K::function's outputs: a tensor, or a pair (name, tensor).
class Output {
public:
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<const T &, Tensor>>>
  Output(const T &tensor) : value(tensor) {}
  Output(std::string name, const Tensor &tensor) : value(tensor), givenName(std::move(name)) {}

  const Tensor &tensor() const { return value; }
  // "" for none.
  const std::string &name() const { return givenName; }

private:
  Tensor value;
  std::string givenName;
};

// K::function's outputs: one tensor, or a list whose entries may have names.
class OutputList {
public:
  OutputList() = default;
  OutputList(std::initializer_list<Output> list) : outputs(list) {}
  OutputList(std::vector<Output> list) : outputs(std::move(list)) {}
  OutputList(const std::vector<Tensor> &list) : outputs(list.begin(), list.end()) {}
  OutputList(const std::vector<Gradient> &list) : outputs(list.begin(), list.end()) {}
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<const T &, Tensor>>>
  OutputList(const T &tensor) : outputs{Output(tensor)} {}

  const std::vector<Output> &list() const { return outputs; }

private:
  std::vector<Output> outputs;
};

// An entry of K::function's updates: an update op, a pair (variable, new value), None (ignored), or
// any tensor (evaluated).
class Update {
public:
  Update(std::nullopt_t) {}
  Update(const Tensor &update) : op(update) {}
  Update(const Tensor &variable, Operand value,
         SourceLocation location = SourceLocation::current());
  Update(const std::pair<Tensor, Tensor> &pair, SourceLocation location = SourceLocation::current())
      : Update(pair.first, pair.second, location) {}

  const std::optional<Tensor> &tensor() const { return op; }

private:
  std::optional<Tensor> op;
};

// K::function's updates: one, or a list.
class UpdateList {
public:
  UpdateList() = default;
  UpdateList(std::initializer_list<Update> list) : updates(list) {}
  UpdateList(std::vector<Update> list) : updates(std::move(list)) {}
  UpdateList(const std::vector<Tensor> &ops) : updates(ops.begin(), ops.end()) {}
  UpdateList(const Update &update) : updates{update} {}
  UpdateList(const Tensor &op) : updates{Update(op)} {}

  const std::vector<Update> &list() const { return updates; }

private:
  std::vector<Update> updates;
};

// What making a function does next (FunctionOptions::progress).
struct CompileProgress {
  std::string function; // "" while a file is read and has not come to one
  // In this order: "read" (of a file with a MiB or some hundred ops and more, once for all its
  // functions), "wait" (while another thread makes the same code), "budget" (with a memoryBudget),
  // "graph", "grad", "simplified", "fused", "plan", "host", "kernels", "llvm", "link". Where a
  // function that differs in constants only has the code, "link" follows "fused".
  std::string stage;
  std::int64_t done = 0, of = 0; // of the stage's steps; equal at its end, and only there
  // "the graph", "pass keratin-form-kernels", "a kernel"; "" at a stage's end.
  std::string next;
};

// How a function is compiled.
struct FunctionOptions {
  // As K::function's parameter of that name, where that is "".
  std::string name = "";
  // What it runs on, by name; "": that which the target is named after, else K::device(). A
  // ValueError lists the names that there are. Variables that no function uses yet move there;
  // ValueError for one that a function of another device uses.
  std::string device = "";
  // What it is compiled for, by name; "": what the device needs. "cuda:sm_90": with machine code
  // for these devices, where NVIDIA's assembler is found.
  std::string target = "";
  // Bytes of temporaries that a call may take; 0: as many as it likes. Loops whose gradients would
  // keep more keep some of their states and do steps again: the results are the same, the time
  // grows by a run of the loop or more. Function::memoryPlan says whether the budget was kept;
  // sizes that are not known count as 32.
  int64_t memoryBudget = 0;
  // Seconds that compiling may take; 0: any number. It is looked at between passes and kernels, so
  // an end may come later; then the function is not made and a RuntimeError thrown. The reading of
  // a file may take as long once more, looked at as often as progress is told of it.
  double timeLimit = 0;
  // Told of each step before it is done, and of each stage's end, in the thread that makes the
  // function, which holds no lock. What it throws ends the compilation, and comes out of
  // K::function as it is: the function is not made, all else is as it was. LLVM's work on one
  // module is not interrupted. Of a function whose code is there already, in the process or on the
  // disk, there is nothing to tell but how its file is read. That ends in the same way.
  std::function<void(const CompileProgress &)> progress = nullptr;
  // A call in which an op makes NaN or an infinity of finite numbers throws FloatingPointError,
  // which names the op, its source line, the element and what it was made of; updates are not
  // applied. Calls take up to 1.3 times as long; docs/debugging.md says what counts.
  bool checkNumbers = false;
  // "tf32": contractions and convolutions of float32 may round their factors to 11 significant
  // bits, where a device has faster units for that; their sums stay float32. CUDA devices do, CPUs
  // compute as always. "float32": nothing is rounded but sums.
  std::string float32Products = "float32";
  // On a device with memory of its own: outputs stay there (Array::device), for other functions to
  // read without a copy; Array::toHost brings them back.
  bool keepOnDevice = false;
  // Inputs whose unknown sizes meet, as those of x + y, have code for the case that these are
  // equal; for other calls (one of them is 1) code is made when the first such call comes, which
  // waits for it. False: one code for both, which takes two to three times as long.
  bool assumeEqualSizes = true;
  // What calls make of variables that the function does not update, and of nothing else
  // (transposed, cast, normalised weights), stays in memory of the function's and is made again
  // when one of them was written. False: each call makes it in memory for temporaries. On CPUs;
  // where checkNumbers looks at numbers each call makes them.
  bool prepareWeights = true;
  // Updates that follow, element by element, from the gradient of a table whose rows were gathered
  // are done in the gathered rows and no others: what torch.optim.SparseAdam calls a lazy version
  // of Adam, and TensorFlow's Addons LazyAdam. Moments of other rows do not decay, and these rows
  // do not move. It is part of what the function computes, and saved with it. A gradient that is
  // more than gathered rows (of a regulariser, too) is as always. docs/layers.md.
  bool lazyUpdates = false;
  // "mixed_bf16": contractions and convolutions of float32, those of gradients among them, are of
  // bfloat16 numbers, whose sums are float32 and whose results bfloat16, where "float32" leaves
  // them as they are. Variables, updates and all else stay float32. It is part of what the function
  // computes, and saved with it. docs/mixed-precision.md.
  std::string precision = "float32";
  // Sizes of which each rank of a job has a part (docs/distributed.md): a call is made by all ranks
  // together, each feeds its part of what has such a size and gets its part of outputs that have
  // one; sums over it, and so losses, gradients and updates, are those of all parts together, the
  // same on all ranks. {.shard = {{"batch"}}}. ValueError for a size that no input has as a
  // dimension, and, with the line, for an op that needs more of it than a rank has. Without
  // K::distributed::init() there is one rank.
  // Variables of which each rank has a part along a dimension, {w, 1, K::mesh("model")}: inputs are
  // the whole then, and so are losses and all that has no such dimension; gradients of the variable
  // are in the same parts, as are states of its optimizer. Its value is that of the whole, so all
  // ranks read it together. Other functions must divide it, too. ValueError for what is no variable
  // of the function, and, with the line, for what cannot be done with parts.
  // Both are saved, with the axes that are named.
  std::vector<Shard> shard = {};
  // Of each state of an optimizer (momentum, Adam's m and v: a variable from which itself and
  // another one are updated element by element, and that nothing else reads) each rank keeps and
  // updates a part of the elements; gradients come by reduce_scatter, and new values of the others
  // go by all_gather. Results are the same, bit by bit; values of such a variable are those of the
  // whole, so all ranks read it together. Other functions must divide it, too. It is part of what
  // `shard` says, and saved with it. ValueError where no size is sharded.
  bool shardStates = false;
  // Such an op gets the parts of all ranks, which costs the memory of the whole on each of them,
  // and messages of it. It is part of what `shard` says, and saved with it: a file's holds where
  // `shard` is not given. ValueError where no size is sharded.
  bool gatherParts = false;
  // Batch normalisation in training takes the mean and the variance of the rank's own part, as
  // PyTorch's BatchNorm does and SyncBatchNorm does not: normalize_batch_in_training and
  // layers::BatchNorm, whose moving averages get the ranks' mean, and so are the same on all. It is
  // part of what `shard` says, and saved with it. ValueError where no size is sharded.
  bool localStatistics = false;
};

} // namespace keratin

#endif // KERATIN_FUNCTION_H
