#include "frontend/graph/VariableStorage.h"

#include "frontend/graph/RuntimeStatus.h"
#include "frontend/values/Elements.h"

using namespace keratin;
using namespace keratin::frontend;

// Never destroyed: variables with static storage may outlive everything.
static keratin_session_t *session() {
  static keratin_session_t *session = [] {
    keratin_session_t *created = nullptr;
    keratin_status_t status = {};
    keratin_session_create(&created, &status);
    throwIfFailed("session", status);
    return created;
  }();
  return session;
}

VariableStorage::VariableStorage(const Array &initial) {
  keratin_status_t status = {};
  Array packed;
  keratin_variable_create(session(), int32_t(initial.dtype()), int32_t(initial.ndim()),
                          initial.shape().data(), rowMajor(initial, packed).rawData(), &variable,
                          &status);
  throwIfFailed("variable", status);
}

VariableStorage::VariableStorage(const Array &element, const std::vector<int64_t> &dims) {
  keratin_status_t status = {};
  int32_t dtype = int32_t(element.dtype()), rank = int32_t(dims.size());
  keratin_variable_create(session(), dtype, rank, dims.data(), /*initial=*/nullptr, &variable,
                          &status);
  throwIfFailed("variable", status);
  std::vector<int64_t> strides(dims.size(), 0);
  keratin_tensor_t view = {
      const_cast<void *>(element.rawData()), dtype, rank, dims.data(), strides.data(), nullptr};
  keratin_variable_write(variable, &view, &status);
}

VariableStorage::~VariableStorage() { keratin_variable_release(variable); }

DType VariableStorage::dtype() const { return DType(keratin_variable_dtype(variable)); }

std::vector<int64_t> VariableStorage::shape() const {
  const int64_t *dims = keratin_variable_dims(variable);
  return {dims, dims + keratin_variable_rank(variable)};
}

Array VariableStorage::read() const {
  Array value = Array::empty(dtype(), shape());
  keratin_status_t status = {};
  keratin_variable_read(variable, value.rawData(), value.bytes(), &status);
  throwIfFailed("get_value", status);
  return value;
}

void VariableStorage::write(const Array &value) {
  keratin_tensor_t view = {const_cast<void *>(value.origin()),
                           int32_t(value.dtype()),
                           int32_t(value.ndim()),
                           value.shape().data(),
                           value.viewStrides(),
                           nullptr};
  keratin_status_t status = {};
  keratin_variable_write(variable, &view, &status);
  throwIfFailed("set_value", status);
}
