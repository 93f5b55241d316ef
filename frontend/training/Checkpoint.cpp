// The state of a training in a file, or in a set of files.
#include "keratin/training.h"

#include "frontend/backend/FunctionState.h"
#include "frontend/backend/Variables.h"
#include "keratin/distributed.h"

#include "compiler/arrays/SafetensorsSet.h"

using namespace keratin;
using namespace keratin::frontend;
namespace K = keratin::backend;

// The number of epochs, under the same name in every process.
static Tensor epochCounter(int64_t epochs, SourceLocation location) {
  Call call("variable", location);
  VariableInfo info;
  info.savedName = "training/epochs";
  info.trainable = false;
  return makeVariable(call, Array(epochs), info.savedName, std::move(info));
}

std::vector<Tensor> training::stateOf(const Function &step) {
  if (step.isEmpty())
    throw ValueError("stateOf: the Function is empty");
  Graph::Lock lock(Graph::get());
  std::vector<Tensor> state;
  for (ir::VariableOp variable : sliceFunction(*FunctionAccess::impl(step)).variables)
    state.push_back(tensorOf(variable));
  return state;
}

void training::saveCheckpoint(const Function &step, const std::string &path, int64_t epochs,
                              SourceLocation location) {
  std::vector<Tensor> state = stateOf(step);
  state.push_back(epochCounter(epochs, location));
  if (compiler::isSafetensorsIndex(path))
    K::distributed::saveCheckpoint(state, path, location);
  else
    K::save_weights(state, path, location);
}

int64_t training::loadCheckpoint(const Function &step, const std::string &path,
                                 SourceLocation location) {
  std::vector<Tensor> state = stateOf(step);
  state.push_back(epochCounter(0, location));
  if (compiler::isSafetensorsIndex(path))
    K::distributed::loadCheckpoint(state, path, location);
  else
    K::load_weights(state, path, location);
  return K::get_value(state.back(), location).item<int64_t>();
}
