#include "frontend/graph/EvalCache.h"

#include "frontend/graph/Program.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SliceSignature.h"

#include <list>
#include <optional>
#include <unordered_map>

using namespace keratin;
using namespace keratin::frontend;

namespace {

struct SignatureHash {
  size_t operator()(const SliceSignature &signature) const { return signature.hash(); }
};

// Least recently used last. Under the graph's mutex.
class ProgramCache {
public:
  static ProgramCache &get() {
    static auto *cache = new ProgramCache;
    return *cache;
  }

  std::shared_ptr<const Program> find(const SliceSignature &signature) {
    auto found = index.find(signature);
    if (found == index.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return found->second->second;
  }

  void add(const SliceSignature &signature, std::shared_ptr<const Program> program) {
    if (index.count(signature))
      return; // another thread compiled the same
    entries.emplace_front(signature, std::move(program));
    index.emplace(signature, entries.begin());
    if (entries.size() > kCachedPrograms) {
      index.erase(entries.back().first);
      entries.pop_back();
    }
  }

  void clear() {
    index.clear();
    entries.clear();
  }

private:
  using Entries = std::list<std::pair<SliceSignature, std::shared_ptr<const Program>>>;
  Entries entries;
  std::unordered_map<SliceSignature, Entries::iterator, SignatureHash> index;
};

std::atomic<int64_t> compileCount{0};

// Everything that a run needs, held so that other threads may change the graph meanwhile.
struct Evaluation {
  std::shared_ptr<const Program> program;
  std::vector<std::shared_ptr<VariableStorage>> variables;
  std::vector<Array> inputs;
};

} // namespace

static Evaluation prepare(const std::string &function, const std::vector<Tensor> &fetches,
                          FedArrays feeds) {
  Graph &graph = Graph::get();
  Evaluation evaluation;
  std::optional<SliceSignature> signature;
  FunctionModule module;
  {
    Graph::Lock lock(graph);
    SliceRequest request{function, {}, {}, {}};
    for (auto &[tensor, value] : feeds) {
      request.inputs.push_back(valueOf(tensor, function.c_str()));
      evaluation.inputs.push_back(value.dtype() == tensor.dtype() ? std::move(value)
                                                                  : value.astype(tensor.dtype()));
    }
    for (const Tensor &fetch : fetches)
      request.outputs.push_back(valueOf(fetch, function.c_str()));
    GraphSlice slice = sliceGraph(request);
    for (ir::LiteralOp literal : slice.literals)
      evaluation.inputs.push_back(graph.literals[literal.getId()]);
    for (ir::VariableOp variable : slice.variables)
      evaluation.variables.push_back(graph.variables[variable.getId()].storage);
    signature.emplace(slice);
    evaluation.program = ProgramCache::get().find(*signature);
    if (evaluation.program)
      return evaluation;
    module = buildFunctionModule(slice, function, Literals::AsInputs);
  }
  evaluation.program = Program::compile(std::move(module));
  ++compileCount;
  Graph::Lock lock(graph);
  ProgramCache::get().add(*signature, evaluation.program);
  return evaluation;
}

static std::vector<Array> run(const std::string &function, const std::vector<Tensor> &fetches,
                              FedArrays feeds) {
  Evaluation evaluation = prepare(function, fetches, std::move(feeds));
  std::vector<keratin_variable_t *> variables;
  for (const auto &variable : evaluation.variables)
    variables.push_back(variable->handle());
  std::vector<const Array *> inputs;
  for (const Array &input : evaluation.inputs)
    inputs.push_back(&input);
  std::vector<Array> outputs(fetches.size());
  evaluation.program->run(function, variables, inputs.data(), inputs.size(), outputs);
  return outputs;
}

std::vector<Array> frontend::evaluate(const std::string &function,
                                      const std::vector<Tensor> &fetches, FedArrays feeds) {
  return withMemory([&] { return run(function, fetches, std::move(feeds)); });
}

void frontend::clearEvalCache() {
  Graph::Lock lock(Graph::get());
  ProgramCache::get().clear();
}

int64_t frontend::evalCompileCount() { return compileCount; }
