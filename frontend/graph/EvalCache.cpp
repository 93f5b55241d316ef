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

// What programs are told apart by.
struct ProgramKey {
  SliceSignature signature;
  const keratin_device_t *device;

  bool operator==(const ProgramKey &other) const {
    return device == other.device && signature == other.signature;
  }
};
struct KeyHash {
  size_t operator()(const ProgramKey &key) const {
    return key.signature.hash() ^ reinterpret_cast<uintptr_t>(key.device);
  }
};

// Least recently used last. Under the graph's mutex.
class ProgramCache {
public:
  static ProgramCache &get() {
    static auto *cache = new ProgramCache;
    return *cache;
  }

  std::shared_ptr<const Program> find(const ProgramKey &key) {
    auto found = index.find(key);
    if (found == index.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return found->second->second;
  }

  void add(const ProgramKey &key, std::shared_ptr<const Program> program) {
    if (index.count(key))
      return; // another thread compiled the same
    entries.emplace_front(key, std::move(program));
    index.emplace(key, entries.begin());
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
  using Entries = std::list<std::pair<ProgramKey, std::shared_ptr<const Program>>>;
  Entries entries;
  std::unordered_map<ProgramKey, Entries::iterator, KeyHash> index;
};

std::atomic<int64_t> compileCount{0};

// Everything that a run needs, held so that other threads may change the graph meanwhile.
struct Evaluation {
  const keratin_device_t *device = nullptr;
  std::shared_ptr<const Program> program;
  std::vector<ModuleVariable> variables;
  bool isReader = true; // updates no variable
  std::vector<Array> inputs;
};

} // namespace

// Where functions have decided that its first variable lies, if it has one such.
static const keratin_device_t &deviceOf(const std::vector<ModuleVariable> &variables) {
  for (const auto &[name, storage] : variables)
    if (const keratin_device_t *device = storage->settledOn())
      return *device;
  return currentDevice();
}

static Evaluation prepare(const std::string &function, const std::vector<Tensor> &fetches,
                          FedArrays feeds) {
  Graph &graph = Graph::get();
  Evaluation evaluation;
  std::optional<ProgramKey> key;
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
    evaluation.isReader = slice.updates.empty();
    for (ir::VariableOp variable : slice.variables) {
      const VariableInfo &info = graph.variables[variable.getId()];
      evaluation.variables.push_back({info.name, info.storage});
      evaluation.isReader &= !info.countsDraws;
    }
    evaluation.device = &deviceOf(evaluation.variables);
    key.emplace(SliceSignature(slice), evaluation.device);
    evaluation.program = ProgramCache::get().find(*key);
    if (evaluation.program)
      return evaluation;
    module = buildFunctionModule(slice, function, Literals::AsInputs);
  }
  evaluation.program = Program::compile(std::move(module), placementOn(*evaluation.device));
  ++compileCount;
  Graph::Lock lock(graph);
  ProgramCache::get().add(*key, evaluation.program);
  return evaluation;
}

static std::vector<Array> run(const std::string &function, const std::vector<Tensor> &fetches,
                              FedArrays feeds) {
  Evaluation evaluation = prepare(function, fetches, std::move(feeds));
  std::vector<VariableStorage::Handle> held;
  std::vector<keratin_variable_t *> variables;
  for (const auto &[name, storage] : evaluation.variables) {
    // Who only reads what is here already leaves it to others to decide where it lies.
    held.push_back(evaluation.isReader ? storage->peek(*evaluation.device) : nullptr);
    if (!held.back())
      held.back() = storage->settle(*evaluation.device, function, name);
    variables.push_back(held.back().get());
  }
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
