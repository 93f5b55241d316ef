// Models compiled ahead of time, by keratin-compile or K::compile_model, in programs that know them
// by names alone. (Others use the header of the object, and need no Keratin:
// docs/ahead-of-time.md.)
#ifndef KERATIN_MODEL_H
#define KERATIN_MODEL_H

#include "keratin/function.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace keratin {

// An input or output of a model's function, or a variable.
struct ModelTensor {
  std::string name;
  DType dtype = DType::Float32;
  StaticShape shape; // of a variable all are known
};

struct ModelFunction {
  std::string name;
  std::vector<ModelTensor> inputs, outputs;
  std::vector<std::string> updates; // the variables that a call changes
};

// A model's functions, and values for its variables, which begin with those that were compiled into
// the object. Any number of threads may use one; calls that update variables take turns. Copies
// share the values; copy() gives others. An empty one, which was moved from, may be assigned to or
// destroyed; all else is a ValueError.
class Model {
public:
  // Loads the object, on the device that it was compiled for, or another one of its kind: "cuda:1".
  // Loading runs code of the file: do it with objects that you trust. Accidents are found:
  // ValueError for a file that is no such object, is damaged, is for another processor or of
  // another version.
  explicit Model(const std::string &path, const std::string &device = "",
                 SourceLocation location = SourceLocation::current());

  const std::string &name() const;
  // JSON, as docs/ahead-of-time.md says.
  const std::string &metadata() const;
  // The processor whose code runs, and the device where variables lie.
  std::string cpu() const;
  std::string device() const;
  const std::vector<ModelFunction> &functions() const;
  // By number.
  const std::vector<ModelTensor> &variables() const;

  // Calls the function of this name; "": the only one. Values are as for a Function, but that every
  // input needs one.
  Results call(const std::string &function, const std::vector<Array> &values) const;
  Results call(const std::string &function, const NamedFeeds &values) const;

  // The value of the variable of this name.
  Array getValue(const std::string &variable) const;
  // Those of several, as they are between two calls that update them.
  std::vector<Array> getValues(const std::vector<std::string> &variables) const;
  // Sets variables, which take their dtype's nearest numbers. All of them or, where a name or a
  // shape is wrong, none; and between two calls.
  void setValues(const std::vector<std::pair<std::string, Array>> &values);

  // As K::save_weights and K::load_weights. What random functions count their draws with, which are
  // int64 scalars, may be missing in a file, and then stays as it is.
  void saveWeights(const std::string &path) const;
  void loadWeights(const std::string &path);
  // All values, as keratin_state_save and keratin_state_load have them.
  void saveState(const std::string &path) const;
  void loadState(const std::string &path);
  // The same model with values of its own, which are now the same.
  Model copy() const;

  struct Impl;

private:
  explicit Model(std::shared_ptr<Impl> made) : impl(std::move(made)) {}
  const Impl &checked(const char *call) const;

  std::shared_ptr<Impl> impl;
};

// The name, the processor, and a line for each function and variable.
std::string toString(const Model &model);

} // namespace keratin

#endif // KERATIN_MODEL_H
