// The state behind a variable.
#ifndef KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H
#define KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H

#include "keratin/array.h"

struct keratin_variable_t;

namespace keratin::frontend {

// A variable of the process's session. Functions that use it share it with its tensors.
class VariableStorage {
public:
  explicit VariableStorage(const Array &initial);
  // Of the dtype of the one element, which is everywhere: takes no memory beside the variable's.
  VariableStorage(const Array &element, const std::vector<int64_t> &dims);
  ~VariableStorage();
  VariableStorage(const VariableStorage &) = delete;
  VariableStorage &operator=(const VariableStorage &) = delete;

  keratin_variable_t *handle() const { return variable; }
  DType dtype() const;
  std::vector<int64_t> shape() const;
  // A consistent copy, also while functions update it.
  Array read() const;
  // dtype and shape must be the variable's.
  void write(const Array &value);

private:
  keratin_variable_t *variable = nullptr;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H
