#include "frontend/graph/EvalCache.h"

#include "frontend/graph/GeneralForm.h"
#include "frontend/graph/Program.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SliceSignature.h"
#include "frontend/graph/SliceWork.h"

#include <list>
#include <optional>
#include <unordered_map>

using namespace keratin;
using namespace keratin::frontend;
using codegen::Effort;

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
  std::shared_ptr<const Program> program; // null: there is no such form
  Effort effort = Effort::Full;
  // Of a general form:
  SizePattern pattern;
  NumberInputs numberInputs;

  bool serves(Effort wanted) const { return wanted == Effort::Quick || effort == Effort::Full; }
};

// The programs of one structure: one, or the general forms for some patterns of sizes.
struct CachedStructure {
  std::vector<CachedProgram> programs;
  WorkDone done;
};

// Least recently used last. Under the graph's mutex.
class ProgramCache {
public:
  static ProgramCache &get() {
    static auto *cache = new ProgramCache;
    return *cache;
  }

  // Null: there is none. Until the mutex is given away.
  CachedStructure *find(const ProgramKey &key) {
    auto found = index.find(key);
    if (found == index.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return &found->second->second;
  }

  CachedStructure &findOrAdd(const ProgramKey &key) {
    if (CachedStructure *known = find(key))
      return *known;
    entries.emplace_front(key, CachedStructure());
    index.emplace(key, entries.begin());
    if (entries.size() > kCachedPrograms) {
      index.erase(entries.back().first);
      entries.pop_back();
    }
    return entries.front().second;
  }

  void clear() {
    index.clear();
    entries.clear();
  }

private:
  using Entries = std::list<std::pair<ProgramKey, CachedStructure>>;
  Entries entries;
  std::unordered_map<ProgramKey, Entries::iterator, KeyHash> index;
};

std::atomic<int64_t> compileCount{0}, ownCodeCount{0};

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
  Evaluation(const std::string &function, const std::vector<Tensor> &fetches, FedArrays fed)
      : function(function), fetches(fetches), feeds(std::move(fed)) {
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
      prepare(Form::Failed);
    }
    return call();
  }

private:
  // Failed: exact, for the message.
  enum class Form { General, Exact, Failed };

  // The program, compiled if it must be, and what it is called with.
  void prepare(Form form) {
    FunctionModule module;
    {
      Graph::Lock lock(Graph::get());
      GraphSlice slice = sliceGraph(request);
      takeArguments(slice);
      isGeneral = form == Form::General && findGeneral(slice);
      if (form == Form::Failed)
        effort = Effort::Quick;
      if (!isGeneral)
        findExact(slice);
      if (!program)
        module = buildFunctionModule(slice, function, Literals::AsInputs);
    }
    if (module.module && !compile(std::move(module)))
      prepare(Form::Exact);
  }

  // Whether there is a general form, as far as is known, and it is the one to run.
  bool findGeneral(const GraphSlice &slice) {
    if (!feedsFit())
      return false;
    std::optional<SliceSignature> signature = SliceSignature::general(slice, numbers);
    if (!signature)
      return false;
    key.emplace(*std::move(signature), device);
    CachedStructure &known = ProgramCache::get().findOrAdd(*key);
    const bool needsOwnCode = known.done.add(numbers, workOf(slice)) >= kWorkWorthOwnCode;
    effort = effortFor(known.done);
    if (needsOwnCode)
      return false;
    std::vector<int64_t> distinct;
    for (const CachedProgram &candidate : known.programs) {
      if (!candidate.serves(*effort) || !candidate.pattern.match(numbers.sizes, distinct))
        continue;
      program = candidate.program;
      if (program)
        candidate.numberInputs.append(distinct, numbers, inputs);
      return program != nullptr;
    }
    return true;
  }

  void findExact(const GraphSlice &slice) {
    key.emplace(SliceSignature(slice), device);
    CachedStructure &known = ProgramCache::get().findOrAdd(*key);
    if (!effort) {
      known.done.add({}, workOf(slice));
      effort = effortFor(known.done);
    }
    const bool isKnown = !known.programs.empty() && known.programs.front().serves(*effort);
    program = isKnown ? known.programs.front().program : nullptr;
  }

  static Effort effortFor(const WorkDone &done) {
    return done.total() < kWorkWorthFullEffort ? Effort::Quick : Effort::Full;
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

  // False: there is no general form.
  bool compile(FunctionModule module) {
    Placement placement = placementOn(*device);
    // A general form has a symbol for each size that differs from the others.
    placement.options.assumeEqualSizes = !isGeneral;
    placement.options.prepareWeights = false; // there is one call, as a rule
    placement.isAttempt = isGeneral;
    CachedProgram made;
    made.effort = *effort;
    if (!isGeneral) {
      made.program = Program::compile(std::move(module), placement, *effort);
    } else {
      made.pattern = SizePattern(numbers.sizes);
      try {
        if (generalize(module, numbers, made.numberInputs))
          made.program = Program::compile(std::move(module), placement, *effort);
      } catch (const Error &) {
        // So there is none.
      }
    }
    program = made.program;
    if (!program)
      made.effort = Effort::Full; // nor will there be with more
    if (program && isGeneral) {
      std::vector<int64_t> distinct;
      made.pattern.match(numbers.sizes, distinct);
      made.numberInputs.append(distinct, numbers, inputs);
    }
    compileCount += program != nullptr;
    ownCodeCount += program && !isGeneral;
    keep(std::move(made));
    return program != nullptr;
  }

  void keep(CachedProgram made) {
    Graph::Lock lock(Graph::get());
    std::vector<CachedProgram> &programs = ProgramCache::get().findOrAdd(*key).programs;
    llvm::erase_if(programs, [&](const CachedProgram &other) {
      return made.serves(other.effort) && other.pattern == made.pattern;
    });
    if (programs.size() == kCachedPatterns)
      programs.pop_back();
    // First what is made with full effort; patterns that tell more sizes apart serve more slices.
    auto rank = [](const CachedProgram &program) {
      return std::pair(program.effort == Effort::Full, program.pattern.count());
    };
    programs.insert(
        llvm::find_if(programs,
                      [&](const CachedProgram &other) { return rank(other) <= rank(made); }),
        std::move(made));
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
  FedArrays feeds; // whose arrays have become inputs
  SliceRequest request;

  const keratin_device_t *device = nullptr;
  std::optional<ProgramKey> key;
  OpenNumbers numbers;          // of the slice
  std::optional<Effort> effort; // that the work is worth
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
int64_t frontend::evalOwnCodeCount() { return ownCodeCount; }
