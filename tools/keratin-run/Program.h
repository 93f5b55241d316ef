// A model that can be called: compiled here, or ahead of time.
#ifndef KERATIN_TOOLS_KERATINRUN_PROGRAM_H
#define KERATIN_TOOLS_KERATINRUN_PROGRAM_H

#include "compiler/arrays/Array.h"
#include "compiler/artifact/LoadedObject.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/RankParts.h"
#include "ir/saved/SavedGraph.h"
#include "runtime/abi/keratin_abi.h"

#include <keratin/comm.h>
#include <keratin/object.h>

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keratin::tools {

using compiler::Array;

// OK, or the error with the runtime's message. What a call does not like about its inputs is
// FAILED_PRECONDITION or INVALID_ARGUMENT.
absl::Status statusOf(const keratin_status_t &status);

// The number of the function that the name picks; "" picks the only one.
absl::StatusOr<size_t> pickFunction(const std::vector<std::string> &names, const std::string &name);

keratin_tensor_t viewOf(Array &array);

// Of zeros. RESOURCE_EXHAUSTED, with the name, for more than maxArrayBytes.
absl::StatusOr<Array> makeArray(const char *name, int32_t dtype, std::vector<int64_t> dims);

// Values of the variables of a model; its functions are called on them.
class Program {
public:
  // All variables of the graph, and the one function; on the device of this name, "" for the one
  // that the target names.
  static absl::StatusOr<std::unique_ptr<Program>>
  compile(const ir::SavedGraph &graph, size_t function, const compiler::CompileOptions &options,
          const compiler::PartOptions &parts, const std::string &device);
  // Runs code of the file: whatever its author wants. What is checked afterwards guards against
  // accidents only.
  static absl::StatusOr<std::unique_ptr<Program>> load(const std::string &path,
                                                       const std::string &function);
  ~Program();

  const keratin_function_desc_t &signature() const { return *picked->descriptor; }
  const keratin_object_desc_t &object() const { return *described; }

  absl::Status loadState(const std::string &path);
  // "": of variables in parts this rank gives the others its own, and writes no file.
  absl::Status saveState(const std::string &path) const;

  // Whether each rank of a job has a part of what the function is given, or of a variable, or tells
  // the others something.
  bool isOfRanks() const;
  // Whether this rank has parts of variables, whose values are asked for by all ranks together.
  bool isDivided() const;
  // Joins the ranks that a launcher has started, in a mesh, "data:2,model:2" say, or, for "", in
  // none; variables have the values of rank 0 then. Once.
  absl::Status join(const std::string &mesh);
  // 0 and 1 where it has not joined any.
  int32_t rank() const;
  int32_t ranks() const;
  // What a symbol that says it (runtime::isRankNumber) is of this rank.
  int64_t rankNumber(const keratin_symbol_desc_t &symbol) const;
  // The axis of the mesh along which ranks have parts of an input; of 0 ranks: all have.
  keratin_axis_t axisOfInput(size_t number) const;
  // Of an output ranks may have parts along several of its dimensions, each along another axis.
  struct PartAlong {
    size_t dimension;
    keratin_axis_t axis;
  };
  std::vector<PartAlong> partsOfOutput(size_t number) const;
  // What all ranks do together; nothing where it has not joined any.
  absl::Status runOnRanks(const keratin_collective_t &wanted) const;
  // Of a failure of this rank, in the place of what the others do next: it fails on them. Nothing
  // where they know, as of what has failed in a call.
  void tellRanks(const absl::Status &failure) const;

  // One of the variables of the model.
  absl::StatusOr<Array> variable(int32_t number) const;
  absl::Status setVariable(int32_t number, Array &value);
  // Whether a random function counts its draws with it; an object does not say.
  std::optional<bool> countsDraws(int32_t number) const;
  // Whether a variable of the signature is one of the model, and no number of the ranks.
  bool isVariable(int32_t number) const {
    return picked->variables[number] < described->num_variables;
  }
  // One of the variables of the signature.
  absl::StatusOr<Array> ownVariable(int32_t number) const;
  // Outputs of the right sizes for these inputs, and a call that fills them.
  absl::StatusOr<std::vector<Array>> makeOutputs(std::vector<Array> &inputs) const;
  absl::Status call(std::vector<Array> &inputs, std::vector<Array> &outputs) const;
  // The same of what may lie on the device. No output has a size that the call computes.
  absl::Status call(const std::vector<keratin_tensor_t> &inputs,
                    const std::vector<keratin_tensor_t> &outputs) const;
  const keratin_device_t &device() const { return *keratin_state_device(state.get()); }

private:
  struct StateDeleter {
    void operator()(keratin_state_t *state) const { keratin_state_destroy(state); }
  };
  struct Compiled; // what the descriptor of a function compiled here points at

  Program();
  absl::Status start(const keratin_object_desc_t &object, const std::string &function,
                     const std::string &device);
  bool hasParts() const;
  bool hasVariableParts() const;
  absl::Status ofVariables(const keratin_status_t &status) const;
  // NULL: of 0 ranks.
  keratin_axis_t axisNamed(const char *name) const;

  // Outlive the state.
  std::unique_ptr<compiler::LoadedObject> loaded;
  std::unique_ptr<Compiled> compiled;
  std::unique_ptr<keratin_state_t, StateDeleter> state;
  const keratin_object_desc_t *described = nullptr;
  const keratin_object_function_t *picked = nullptr;
  int32_t number = 0;
  mutable bool ranksKnow = false; // that something has failed
};

// The most that an array of a call may have.
constexpr int64_t maxArrayBytes = int64_t(1) << 34;

// Whether the file begins as ELF files do.
bool isObjectFile(const std::string &path);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_PROGRAM_H
