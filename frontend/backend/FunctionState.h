// What is behind a Function.
#ifndef KERATIN_FRONTEND_BACKEND_FUNCTIONSTATE_H
#define KERATIN_FRONTEND_BACKEND_FUNCTIONSTATE_H

#include "frontend/graph/Call.h"
#include "frontend/graph/GraphSlice.h"
#include "frontend/graph/Program.h"
#include "frontend/graph/SparseFeed.h"
#include "keratin/function.h"

#include <map>
#include <optional>

namespace keratin::frontend {

// What a call checks of an input before the runtime sees it.
struct InputSpec {
  std::string name;
  DType dtype;
  StaticShape shape;
  std::optional<Array> defaultValue;
  // For messages: the shape with the names of its sizes, and " (file:line)" of the placeholder.
  std::string needed, place;
};

struct FunctionAccess {
  static const Function::Impl *impl(const Function &function) { return function.impl.get(); }
};

// But for its name.
InputSpec specOf(Graph &graph, const Tensor &tensor);

// The part of the graph that the function is. Under the graph's mutex.
GraphSlice sliceFunction(const Function::Impl &impl);

// What no function can be made with is an error of the call.
void checkOptions(const Call &call, const FunctionOptions &options);
// What the function's graph is compiled as. ValueError for shards that its inputs have not, and for
// parts where there are none.
void setOptions(const Call &call, Function::Impl &impl, const FunctionOptions &options);
// The function as a module, with variables and states divided where its options say so. Under the
// graph's mutex.
FunctionModule moduleOf(Call &call, const Function::Impl &impl);
// Where the function of the module runs. A variable of it that lies elsewhere for good is an error
// of the call.
Placement placeFunction(const Call &call, const FunctionModule &module,
                        const FunctionOptions &options);
// Compiles the module; then its variables lie on the device. Not under the graph's mutex: others
// may build and compile meanwhile.
void compileFunction(Function::Impl &impl, FunctionModule module, const Placement &placement);

} // namespace keratin::frontend

struct keratin::Function::Impl {
  std::string name;
  std::vector<Tensor> givenInputs, givenOutputs; // as the user listed them
  // The same with the placeholders behind sparse ones, and with dense outputs.
  std::vector<Tensor> inputs, outputs;
  std::map<size_t, frontend::SparseInput> sparseInputs; // by place in givenInputs
  std::vector<Tensor> updates;                          // and what is only evaluated
  std::vector<frontend::InputSpec> specs;
  std::vector<std::string> inputNames;  // of givenInputs
  std::vector<std::string> outputNames; // of outputs; "" for none
  // Of a function that was loaded: its ops keep the order of the file. So saving it again gives the
  // same file.
  bool isLoaded = false;
  bool lazyUpdates = false;     // as FunctionOptions::lazyUpdates
  std::string productDType;     // as GraphSlice::productDType
  std::vector<Shard> shard;     // as FunctionOptions::shard
  bool gatherParts = false;     // as FunctionOptions::gatherParts
  bool localStatistics = false; // as FunctionOptions::localStatistics
  bool shardStates = false;     // as FunctionOptions::shardStates

  std::vector<frontend::VariableStorage::Handle> variables; // kept alive for the handles
  std::vector<keratin_variable_t *> handles;
  std::shared_ptr<const frontend::Program> program;
};

#endif // KERATIN_FRONTEND_BACKEND_FUNCTIONSTATE_H
