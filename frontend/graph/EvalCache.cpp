#include "frontend/graph/EvalCache.h"

#include "frontend/graph/GeneralForm.h"
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

struct CachedProgram {
  std::shared_ptr<const Program> program; // null: the structure has no general form
  NumberInputs numbers;                   // of a general form
};

// Least recently used last. Under the graph's mutex.
class ProgramCache {
public:
  static ProgramCache &get() {
    static auto *cache = new ProgramCache;
    return *cache;
  }

  // Null: there is none. Until the mutex is given away.
  const CachedProgram *find(const ProgramKey &key) {
    auto found = index.find(key);
    if (found == index.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return &found->second->second;
  }

  void add(const ProgramKey &key, CachedProgram program) {
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
  using Entries = std::list<std::pair<ProgramKey, CachedProgram>>;
  Entries entries;
  std::unordered_map<ProgramKey, Entries::iterator, KeyHash> index;
};

std::atomic<int64_t> compileCount{0};

// Where functions have decided that its first variable lies, if it has one such.
const keratin_device_t &deviceOf(const std::vector<ModuleVariable> &variables) {
  for (const auto &[name, storage] : variables)
    if (const keratin_device_t *device = storage->settledOn())
      return *device;
  return currentDevice();
}

// Holds everything that a run needs, so that other threads may change the graph meanwhile.
class Evaluation {
public:
  Evaluation(const std::string &function, const std::vector<Tensor> &fetches, FedArrays feeds)
      : function(function), fetches(fetches) {
    request.function = function;
    Graph::Lock lock(Graph::get());
    for (auto &[tensor, value] : feeds) {
      request.inputs.push_back(valueOf(tensor, function.c_str()));
      inputs.push_back(value.dtype() == tensor.dtype() ? std::move(value)
                                                       : value.astype(tensor.dtype()));
    }
    for (const Tensor &fetch : fetches)
      request.outputs.push_back(valueOf(fetch, function.c_str()));
  }

  std::vector<Array> run() {
    prepare(Form::General);
    if (isGeneral) {
      try {
        return call();
      } catch (const Error &) {
        // Says what was wrong of the sizes that the user has, and of the user's lines.
      }
      prepare(Form::Exact);
    }
    return call();
  }

private:
  enum class Form { General, Exact };

  // The program, compiled if it must be, and what it is called with.
  void prepare(Form form) {
    Graph &graph = Graph::get();
    std::optional<ProgramKey> key;
    OpenNumbers numbers;
    FunctionModule module;
    {
      Graph::Lock lock(graph);
      GraphSlice slice = sliceGraph(request);
      takeArguments(slice);
      std::optional<SliceSignature> general;
      if (form == Form::General && feedsFit())
        general = SliceSignature::general(slice, numbers);
      isGeneral = general.has_value();
      key.emplace(isGeneral ? *std::move(general) : SliceSignature(slice), device);
      if (const CachedProgram *known = ProgramCache::get().find(*key)) {
        program = known->program;
        known->numbers.append(numbers, inputs);
      } else {
        module = buildFunctionModule(slice, function, Literals::AsInputs);
      }
    }
    if (module.module)
      compile(*key, numbers, std::move(module));
    if (!program)
      prepare(Form::Exact);
  }

  // A general form takes any sizes: whether these are the placeholders' is for others to say.
  bool feedsFit() const {
    for (size_t i = 0; i < request.inputs.size(); ++i)
      if (ir::getTensorType(request.inputs[i]).getShape() != llvm::ArrayRef(inputs[i].shape()))
        return false;
    return true;
  }

  void takeArguments(const GraphSlice &slice) {
    Graph &graph = Graph::get();
    inputs.resize(request.inputs.size());
    variables.clear();
    for (ir::LiteralOp literal : slice.literals)
      inputs.push_back(graph.literals[literal.getId()]);
    isReader = slice.updates.empty();
    for (ir::VariableOp variable : slice.variables) {
      const VariableInfo &info = graph.variables[variable.getId()];
      variables.push_back({info.name, info.storage});
      isReader &= !info.countsDraws;
    }
    device = &deviceOf(variables);
  }

  void compile(const ProgramKey &key, const OpenNumbers &numbers, FunctionModule module) {
    CachedProgram made;
    if (!isGeneral) {
      made.program = Program::compile(std::move(module), placementOn(*device));
      ++compileCount;
    } else if (generalize(module, numbers, made.numbers)) {
      try {
        made.program = Program::compile(std::move(module), placementOn(*device));
        ++compileCount;
      } catch (const Error &) {
        // So there is none.
      }
    }
    program = made.program;
    if (isGeneral)
      made.numbers.append(numbers, inputs);
    Graph::Lock lock(Graph::get());
    ProgramCache::get().add(key, std::move(made));
  }

  std::vector<Array> call() {
    std::vector<VariableStorage::Handle> held;
    std::vector<keratin_variable_t *> handles;
    for (const auto &[name, storage] : variables) {
      // Who only reads what is here already leaves it to others to decide where it lies.
      held.push_back(isReader ? storage->peek(*device) : nullptr);
      if (!held.back())
        held.back() = storage->settle(*device, function, name);
      handles.push_back(held.back().get());
    }
    std::vector<const Array *> arguments;
    for (const Array &input : inputs)
      arguments.push_back(&input);
    std::vector<Array> outputs(fetches.size());
    program->run(function, handles, arguments.data(), arguments.size(), outputs);
    return outputs;
  }

  const std::string &function;
  const std::vector<Tensor> &fetches;
  SliceRequest request;

  const keratin_device_t *device = nullptr;
  std::shared_ptr<const Program> program;
  bool isGeneral = false; // the program
  std::vector<ModuleVariable> variables;
  bool isReader = true; // updates no variable
  std::vector<Array> inputs;
};

} // namespace

std::vector<Array> frontend::evaluate(const std::string &function,
                                      const std::vector<Tensor> &fetches, FedArrays feeds) {
  return withMemory([&] { return Evaluation(function, fetches, std::move(feeds)).run(); });
}

void frontend::clearEvalCache() {
  Graph::Lock lock(Graph::get());
  ProgramCache::get().clear();
}

int64_t frontend::evalCompileCount() { return compileCount; }
