// K functions: values in and out.
#include "keratin/io.h"
#include "keratin/graph.h"

#include "frontend/graph/Call.h"
#include "frontend/graph/EvalCache.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/graph/SparseFeed.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/values/Elements.h"
#include "keratin/variables.h"

using namespace keratin;
using namespace keratin::frontend;

Array Tensor::eval(SourceLocation location) const { return backend::eval(*this, location); }

// Others may build and run while this runs: the graph's mutex is held to look at the graph only.
std::vector<Array> Session::run(const std::vector<Tensor> &fetches, const Feeds &feeds,
                                SourceLocation location) {
  const char *function = "Session::run";
  std::vector<Tensor> dense;
  for (const Tensor &tensor : fetches)
    dense.push_back(fetched(function, tensor, location));
  FedArrays all;
  for (const auto &[tensor, feed] : feeds) {
    Call call(function, location);
    call.raw(tensor);
    if (!feed.matrix() && feed.array().isNone())
      call.valueError("the value for '" + tensor.name() + "'" + madeAt(valueOf(tensor)) +
                      " is None; needed an array");
    if (!hasSparseRole(tensor, ir::SparseRole::Placeholder)) {
      all.emplace_back(tensor, feed.matrix() ? feed.matrix()->toDense() : feed.array());
      continue;
    }
    SparseMatrix matrix = feed.matrix() ? *feed.matrix() : SparseMatrix::fromDense(feed.array());
    std::vector<Array> values = sparseFeed(
        function, {tensor.name(), tensor.dtype(), tensor.shape(), madeAt(valueOf(tensor))}, matrix);
    std::vector<Tensor> components = sparseComponents(tensor);
    for (size_t i = 0; i < values.size(); ++i)
      all.emplace_back(components[i], std::move(values[i]));
  }
  return evaluate(function, dense, std::move(all));
}

// Whether the value can be copied from the device where it lies.
static bool liesReady(const VariableStorage &storage, const Array &value) {
  return value.place() && value.dtype() == storage.dtype() && value.shape() == storage.shape() &&
         value.isRowMajor();
}

[[noreturn]] static void refuse(const std::string &function, const std::string &what,
                                SourceLocation location) {
  throw ValueError(withPlace(function + ": " + what, location));
}

[[noreturn]] static void refuseNone(const std::string &function, const Tensor &x,
                                    SourceLocation location) {
  refuse(function, "the value is None; needed an array for variable '" + x.name() + "'", location);
}

[[noreturn]] static void refuseShape(const std::string &function, const Array &value,
                                     const std::vector<int64_t> &shape, const Tensor &x,
                                     SourceLocation location) {
  refuse(function,
         "the value has shape " + toString(value.shape()) + "; needed the shape " +
             toString(shape) + " of variable '" + x.name() + "'",
         location);
}

// A single value fills, anything else must fit.
static Array fitted(const char *function, const VariableStorage &storage, const Tensor &x,
                    const Array &value, SourceLocation location) {
  if (value.isNone())
    refuseNone(function, x, location);
  if (liesReady(storage, value))
    return Array::deviceView(value.device(), const_cast<void *>(value.origin()), value.dtype(),
                             value.shape());
  if (value.ndim() == 0)
    if (firstMisfit(value, storage.dtype()))
      refuse(function,
             "the number " + elementText(value, 0) + " does not fit " + dtypeName(storage.dtype()) +
                 ", the dtype of variable '" + x.name() + "'",
             location);
  Array converted = value.astype(storage.dtype());
  std::vector<int64_t> shape = storage.shape();
  if (converted.shape() == shape)
    return converted;
  if (converted.ndim() != 0)
    refuseShape(function, value, shape, x, location);
  Array filled = Array::empty(storage.dtype(), shape);
  size_t element = dtypeSize(storage.dtype());
  for (int64_t i = 0; i < filled.size(); ++i)
    std::memcpy(static_cast<char *>(filled.rawData()) + size_t(i) * element, converted.rawData(),
                element);
  return filled;
}

static std::shared_ptr<VariableStorage> storageOf(const char *function, const Tensor &tensor) {
  Graph::Lock lock(Graph::get());
  auto op = valueOf(tensor, function).getDefiningOp<ir::VariableOp>();
  return op ? Graph::get().variables[op.getId()].storage : nullptr;
}

namespace {

// Of a sparse variable the elements are one, and where they stand stays.
struct SparseVariable {
  std::shared_ptr<VariableStorage> elements;
  Array rows, columns; // int64
  std::vector<int64_t> shape;

  Array toDense(const Array &values) const {
    auto listed = [](const Array &list) {
      const auto *first = list.data<int64_t>();
      return std::vector<int64_t>(first, first + list.size());
    };
    return SparseMatrix::coo(shape[0], shape[1], listed(rows), listed(columns), values).toDense();
  }
};

} // namespace

// nullopt for all other tensors.
static std::optional<SparseVariable> sparseVariable(const char *function, const Tensor &x,
                                                    SourceLocation location) {
  Call call(function, location);
  std::optional<SparseParts> parts = sparseParts(call.raw(x));
  if (!parts || !hasSparseRole(x, ir::SparseRole::Variable))
    return std::nullopt;
  auto literal = [&](Value list) {
    return call.graph.literals[list.getDefiningOp<ir::LiteralOp>().getId()];
  };
  auto elements = parts->values.getDefiningOp<ir::VariableOp>();
  SparseVariable variable{call.graph.variables[elements.getId()].storage,
                          literal(parts->rows),
                          literal(parts->columns),
                          {}};
  for (const std::optional<int64_t> &size : x.shape())
    variable.shape.push_back(*size);
  return variable;
}

namespace keratin::backend {

static Array computed(const char *function, const Operand &x, SourceLocation location) {
  Tensor tensor;
  if (x.isTensor()) {
    tensor = x.tensor();
    if (std::shared_ptr<VariableStorage> storage = storageOf(function, tensor))
      return storage->read();
    tensor = fetched(function, tensor, location);
  } else {
    Call call(function, location);
    tensor = call.tensor(call.value(x));
  }
  return std::move(evaluate(function, {tensor}, {}).front());
}

Array eval(const Operand &x, SourceLocation location) { return computed("eval", x, location); }

Array get_value(const Operand &x, SourceLocation location) {
  return computed("get_value", x, location);
}

std::vector<Array> batch_get_value(const std::vector<Tensor> &ops, SourceLocation location) {
  std::vector<Array> values;
  values.reserve(ops.size()); // small arrays have their elements in them, so none may move
  std::vector<VariableStorage::Destination> variables;   // which are read at once
  std::vector<std::pair<size_t, SparseVariable>> sparse; // among the values
  auto add = [&](std::shared_ptr<VariableStorage> storage) {
    Array &value = values.emplace_back(Array::empty(storage->dtype(), storage->shape()));
    void *data = value.rawData();
    variables.push_back({std::move(storage), data});
  };
  for (const Tensor &tensor : ops) {
    if (std::shared_ptr<VariableStorage> storage = storageOf("batch_get_value", tensor)) {
      add(std::move(storage));
    } else if (auto variable = sparseVariable("batch_get_value", tensor, location)) {
      sparse.emplace_back(values.size(), *variable);
      add(std::move(variable->elements));
    } else {
      values.push_back(computed("batch_get_value", tensor, location));
    }
  }
  VariableStorage::read(variables);
  for (const auto &[place, variable] : sparse)
    values[place] = variable.toDense(values[place]);
  return values;
}

using Assignment = VariableStorage::Assignment;

// The elements at the places of a sparse variable; what lies elsewhere must be 0.
static Assignment assignSparse(const std::string &function, const Tensor &x,
                               SparseVariable variable, const Array &value,
                               SourceLocation location) {
  if (value.isNone())
    refuseNone(function, x, location);
  if (value.shape() != variable.shape)
    refuseShape(function, value, variable.shape, x, location);
  const Array &rows = variable.rows, &columns = variable.columns;
  Array rest = value.astype(variable.elements->dtype());
  Array elements = Array::empty(rest.dtype(), rows.shape());
  const size_t width = dtypeSize(rest.dtype());
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows.item<int64_t>(i), column = columns.item<int64_t>(i);
    char *from =
        static_cast<char *>(rest.rawData()) + size_t(row * variable.shape[1] + column) * width;
    std::memcpy(static_cast<char *>(elements.rawData()) + size_t(i) * width, from, width);
    std::memset(from, 0, width);
  }
  if (SparseMatrix::fromDense(rest).size() != 0)
    refuse(function,
           x.name() + " stores no element at a place where the value is not 0; needed the places "
                      "it was made with",
           location);
  return {std::move(variable.elements), std::move(elements)};
}

static Assignment assign(const char *function, const Tensor &x, const Array &value,
                         SourceLocation location) {
  if (std::shared_ptr<VariableStorage> storage = storageOf(function, x)) {
    Array converted = fitted(function, *storage, x, value, location);
    return {std::move(storage), std::move(converted)};
  }
  if (std::optional<SparseVariable> variable = sparseVariable(function, x, location))
    return assignSparse(function, x, *std::move(variable), value, location);
  throw TypeError(withPlace(std::string(function) + ": " + x.name() +
                                " is not a variable; needed one that K::variable made",
                            location));
}

void set_value(const Tensor &x, const Array &value, SourceLocation location) {
  VariableStorage::write("set_value", {assign("set_value", x, value, location)});
}

void batch_set_value(const std::vector<std::pair<Tensor, Array>> &tuples, SourceLocation location) {
  std::vector<Assignment> assignments;
  for (const auto &[tensor, value] : tuples)
    assignments.push_back(assign("batch_set_value", tensor, value, location));
  VariableStorage::write("batch_set_value", assignments);
}

Tensor print_tensor(const Operand &operand, const std::string &message, SourceLocation location) {
  Call call("print_tensor", location);
  Value x = call.value(operand);
  return call.tensor(call.builder.create<ir::PrintOp>(call.g.location(), x.getType(), x,
                                                      call.builder.getStringAttr(message)));
}

} // namespace keratin::backend
