#include "frontend/onnx/GraphExporter.h"

#include "ir/dialect/NameScope.h"
#include "ir/dialect/SourceLine.h"
#include "runtime/abi/keratin_abi.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;
using onnx::TensorProto;

llvm::ArrayRef<ExportTable> keratin::frontend::onnx_models::allExports() {
  static const ExportTable all[] = {
      {"element by element", elementwiseExports()},
      {"shapes, indices", shapeExports()},
      {"reductions, order", reductionExports()},
      {"products", productExports()},
      {"windows", windowExports()},
      {"loops, branches, others", controlExports()},
  };
  return all;
}

const ExportRecord *keratin::frontend::onnx_models::findExport(llvm::StringRef op) {
  static const auto *found = [] {
    auto *map = new llvm::StringMap<const ExportRecord *>();
    for (const ExportTable &table : allExports())
      for (const ExportRecord &record : table.ops)
        (*map)[record.op] = &record;
    return map;
  }();
  return found->lookup(op);
}

int32_t keratin::frontend::onnx_models::elementTypeOf(mlir::Type type) {
  switch (ir::dtypeOf(type)) {
  case KERATIN_DTYPE_BOOL:
    return TensorProto::BOOL;
  case KERATIN_DTYPE_INT8:
    return TensorProto::INT8;
  case KERATIN_DTYPE_INT16:
    return TensorProto::INT16;
  case KERATIN_DTYPE_INT32:
    return TensorProto::INT32;
  case KERATIN_DTYPE_INT64:
    return TensorProto::INT64;
  case KERATIN_DTYPE_UINT8:
    return TensorProto::UINT8;
  case KERATIN_DTYPE_UINT16:
    return TensorProto::UINT16;
  case KERATIN_DTYPE_UINT32:
    return TensorProto::UINT32;
  case KERATIN_DTYPE_UINT64:
    return TensorProto::UINT64;
  case KERATIN_DTYPE_FLOAT16:
    return TensorProto::FLOAT16;
  case KERATIN_DTYPE_BFLOAT16:
    return TensorProto::BFLOAT16;
  case KERATIN_DTYPE_FLOAT64:
    return TensorProto::DOUBLE;
  default:
    return TensorProto::FLOAT;
  }
}

GraphExporter::GraphExporter(onnx::GraphProto &graph, int64_t opset, ir::SizeNames sizeNames,
                             bool keepsPlaces)
    : opset(opset), sizeNames(std::move(sizeNames)), keepsPlaces(keepsPlaces) {
  scopes.emplace_back().graph = &graph;
}

void GraphExporter::notImplemented(const std::string &what) {
  std::string text = "not implemented: " + what;
  throw ExportFailure{absl::UnimplementedError(
      current ? ir::withSourceLine(std::move(text), current->getLoc()) : text)};
}

void GraphExporter::need(int64_t least, const char *what) {
  if (opset < least)
    notImplemented(std::string(what) + " in opset " + std::to_string(opset) + "; opset " +
                   std::to_string(least) + " has it");
}

//===-- Names and values ----------------------------------------------------------------------===//

std::string GraphExporter::unique(const std::string &name) {
  std::string made = name;
  while (!taken.insert(made).second)
    made = name + "_" + std::to_string(++counts[name]);
  return made;
}

GraphExporter::Entry &GraphExporter::entry(mlir::Value value) {
  auto found = entries.find(value);
  if (found == entries.end())
    throw ExportFailure{absl::InternalError("a value was not written before what reads it")};
  return found->second;
}

void GraphExporter::define(mlir::Value value, const std::string &name) {
  entries[value] = {{name, ir::getShape(value)}, name};
}

void GraphExporter::define(mlir::Value value, Compact compact) {
  const bool isWhole = compact.shape == ir::getShape(value);
  std::string name = compact.name;
  entries[value] = {std::move(compact), isWhole ? name : ""};
}

void GraphExporter::define(mlir::Value value, mlir::Value same) {
  const Entry copy = entry(same);
  entries[value] = copy;
}

std::string GraphExporter::value(mlir::Value value) {
  if (entry(value).whole.empty()) {
    const Compact from = entry(value).compact;
    std::string whole = node("Expand", {from.name, sizes(ir::getShape(value))});
    entry(value).whole = whole;
    entry(value).compact = {std::move(whole), ir::getShape(value)};
  }
  return entry(value).whole;
}

Names GraphExporter::values(mlir::ValueRange all) {
  Names names;
  for (mlir::Value each : all)
    names.push_back(value(each));
  return names;
}

//===-- Nodes ---------------------------------------------------------------------------------===//

static void addAttribute(onnx::NodeProto &node, NodeAttribute attribute) {
  onnx::AttributeProto *to = node.add_attribute();
  to->set_name(attribute.name);
  using Proto = onnx::AttributeProto;
  if (auto *i = std::get_if<int64_t>(&attribute.value)) {
    to->set_type(Proto::INT);
    to->set_i(*i);
  } else if (auto *f = std::get_if<double>(&attribute.value)) {
    to->set_type(Proto::FLOAT);
    to->set_f(float(*f));
  } else if (auto *s = std::get_if<std::string>(&attribute.value)) {
    to->set_type(Proto::STRING);
    to->set_s(*s);
  } else if (auto *numbers = std::get_if<Numbers>(&attribute.value)) {
    to->set_type(Proto::INTS);
    for (int64_t number : *numbers)
      to->add_ints(number);
  } else if (auto *graph = std::get_if<onnx::GraphProto>(&attribute.value)) {
    to->set_type(Proto::GRAPH);
    *to->mutable_g() = std::move(*graph);
  } else {
    to->set_type(Proto::TENSOR);
    *to->mutable_t() = std::move(std::get<TensorProto>(attribute.value));
  }
}

Names GraphExporter::nodes(llvm::StringRef op, const Names &inputs, size_t outputs,
                           NodeAttributes attributes) {
  onnx::NodeProto &node = *graph().add_node();
  node.set_op_type(op.str());
  std::string scope = current ? ir::scopeOf(current->getLoc()).str() : "";
  const std::string name = unique((scope.empty() ? "" : scope + "/") + op.str());
  node.set_name(name);
  for (const std::string &input : inputs)
    node.add_input(input);
  Names names;
  for (size_t i = 0; i < outputs; ++i) {
    names.push_back(outputs == 1 ? name + ":0" : name + ":" + std::to_string(i));
    taken.insert(names.back());
    node.add_output(names.back());
  }
  for (NodeAttribute &attribute : attributes)
    addAttribute(node, std::move(attribute));
  if (keepsPlaces && current)
    if (std::string place = ir::sourceLine(current->getLoc()); !place.empty())
      node.set_doc_string(place);
  return names;
}

static TensorProto tensorOf(int32_t type, llvm::ArrayRef<int64_t> dims, std::string bytes) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  tensor.set_raw_data(std::move(bytes));
  return tensor;
}

std::string GraphExporter::scalarOfBytes(int32_t type, const void *bytes, size_t count) {
  const std::string raw(static_cast<const char *>(bytes), count);
  std::string &name = constants["scalar " + std::to_string(type) + " " + raw];
  if (name.empty()) {
    name = unique("constant");
    TensorProto tensor = tensorOf(type, {}, raw);
    tensor.set_name(name);
    addInitializer(std::move(tensor));
  }
  return name;
}

std::string GraphExporter::vector(const Numbers &numbers) {
  const std::string raw(reinterpret_cast<const char *>(numbers.data()), numbers.size() * 8);
  std::string &name = constants["vector " + raw];
  if (name.empty()) {
    name = unique("numbers");
    TensorProto tensor = tensorOf(TensorProto::INT64, {int64_t(numbers.size())}, raw);
    tensor.set_name(name);
    addInitializer(std::move(tensor));
  }
  return name;
}

// One element.
static std::string bytesOf(double value, mlir::Type type) {
  auto bits = [](const llvm::APInt &number, unsigned width) {
    const uint64_t low = number.getZExtValue();
    return std::string(reinterpret_cast<const char *>(&low), (width + 7) / 8);
  };
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(type)) {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return bits(number.bitcastToAPInt(), floating.getWidth());
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  return bits(llvm::APInt(64, uint64_t(int64_t(value))).trunc(std::min(width, 64u)), width);
}

std::string GraphExporter::scalar(double value, mlir::Type type) {
  const std::string bytes = bytesOf(value, type);
  return scalarOfBytes(elementTypeOf(type), bytes.data(), bytes.size());
}

std::string GraphExporter::extreme(mlir::Type type, bool largest) {
  if (llvm::isa<mlir::FloatType>(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return scalar(largest ? infinity : -infinity, type);
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  const bool isUnsigned = type.isUnsignedInteger();
  const llvm::APInt number =
      largest
          ? (isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width))
          : (isUnsigned ? llvm::APInt(width, 0) : llvm::APInt::getSignedMinValue(width));
  const uint64_t bits = number.getZExtValue();
  return scalarOfBytes(elementTypeOf(type), &bits, width / 8);
}

static std::string rawBytesOf(mlir::DenseElementsAttr elements) {
  const mlir::Type type = elements.getElementType();
  if (type.isInteger(1)) {
    std::string bytes;
    for (bool bit : elements.getValues<bool>())
      bytes.push_back(char(bit));
    return bytes;
  }
  const llvm::ArrayRef<char> raw = elements.getRawData();
  std::string bytes(raw.data(), raw.size());
  if (elements.isSplat()) {
    const std::string one = bytes;
    bytes.clear();
    for (int64_t i = 0; i < elements.getNumElements(); ++i)
      bytes += one;
  }
  return bytes;
}

void GraphExporter::addInitializer(const std::string &name, mlir::RankedTensorType type,
                                   std::string bytes) {
  TensorProto tensor =
      tensorOf(elementTypeOf(type.getElementType()), type.getShape(), std::move(bytes));
  tensor.set_name(name);
  addInitializer(std::move(tensor));
}

void GraphExporter::addInitializer(const std::string &name, mlir::DenseElementsAttr elements) {
  addInitializer(name, llvm::cast<mlir::RankedTensorType>(elements.getType()),
                 rawBytesOf(elements));
}

std::string GraphExporter::constant(mlir::DenseElementsAttr elements) {
  const std::string name = unique("constant");
  addInitializer(name, elements);
  return name;
}

//===-- Often needed --------------------------------------------------------------------------===//

std::string GraphExporter::cast(const std::string &x, mlir::Type to) {
  return node("Cast", {x}, {{"to", int64_t(elementTypeOf(to))}});
}

std::string GraphExporter::reshape(const std::string &x, const ir::Shape &from,
                                   const ir::Shape &to) {
  if (from == to)
    return x;
  Numbers numbers;
  size_t open = 0, kept = 0, zeros = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].isConstant()) {
      numbers.push_back(to[i].constantValue());
      zeros += to[i] == DimExpr(0);
    } else if (i < from.size() && from[i] == to[i]) {
      numbers.push_back(0);
      ++kept;
    } else {
      numbers.push_back(-1);
      ++open;
    }
  }
  // Either sizes are kept at their places, or one follows from the others.
  if (zeros == 0 && (open == 0 || (open == 1 && kept == 0)))
    return node("Reshape", {x, vector(numbers)});
  return node("Reshape", {x, sizes(to)}, {{"allowzero", int64_t(1)}});
}

std::string GraphExporter::transpose(const std::string &x, llvm::ArrayRef<int64_t> order) {
  // Two in a row are one, or none.
  Numbers whole(order.begin(), order.end());
  std::string from = x;
  if (auto found = transposed.find(x); found != transposed.end()) {
    from = found->second.first;
    for (int64_t &axis : whole)
      axis = found->second.second[size_t(axis)];
  }
  bool isIdentity = true;
  for (size_t i = 0; i < whole.size(); ++i)
    isIdentity = isIdentity && whole[i] == int64_t(i);
  if (isIdentity)
    return from;
  std::string made = node("Transpose", {from}, {{"perm", whole}});
  transposed[made] = {std::move(from), std::move(whole)};
  return made;
}

std::string GraphExporter::unsqueeze(const std::string &x, const Numbers &axes) {
  return axes.empty() ? x : node("Unsqueeze", {x, vector(axes)});
}

std::string GraphExporter::squeeze(const std::string &x, const Numbers &axes) {
  return axes.empty() ? x : node("Squeeze", {x, vector(axes)});
}

std::string GraphExporter::zeros(const ir::Shape &shape, mlir::Type type) {
  TensorProto value = tensorOf(elementTypeOf(type), {1}, bytesOf(0, type));
  return node("ConstantOfShape", {sizes(shape)}, {{"value", value}});
}

std::string GraphExporter::slice(const std::string &x, const std::string &starts,
                                 const std::string &ends, const Numbers &axes,
                                 const Numbers &steps) {
  Names inputs{x, starts, ends, vector(axes)};
  if (std::any_of(steps.begin(), steps.end(), [](int64_t step) { return step != 1; }))
    inputs.push_back(vector(steps));
  return node("Slice", inputs);
}

std::string GraphExporter::reversed(const std::string &x, const Numbers &axes) {
  if (axes.empty())
    return x;
  const size_t count = axes.size();
  return slice(x, vector(Numbers(count, -1)), vector(Numbers(count, -kFarAway)), axes,
               Numbers(count, -1));
}

std::string GraphExporter::indices(mlir::Value value) {
  const mlir::Type type = ir::getElementType(value);
  const std::string name = this->value(value);
  return type.isSignlessInteger(64) ? name
                                    : cast(name, mlir::IntegerType::get(type.getContext(), 64));
}

std::string GraphExporter::reduce(llvm::StringRef op, const std::string &x, const Numbers &axes) {
  if (axes.empty())
    return x;
  if (op == "ReduceSum" || opset >= 18)
    return node(op, {x, vector(axes)}, {{"keepdims", int64_t(0)}});
  return node(op, {x}, {{"axes", axes}, {"keepdims", int64_t(0)}});
}

std::string GraphExporter::range(const DimExpr &count) {
  // Of a size that the call computes, the first of as many as there can be: whoever reads the model
  // knows what that is.
  const std::optional<DimExpr> most = count.atMost([&](int64_t symbol) -> std::optional<DimExpr> {
    auto found = bounds.find(symbol);
    return found == bounds.end() ? std::nullopt : std::optional(found->second);
  });
  const DimExpr all = most && knows(*most) ? *most : count;
  const std::string key = "range " + count.str();
  for (ScopeState &scope : scopes)
    if (auto found = scope.sizes.find(key); found != scope.sizes.end())
      return found->second;
  std::string numbers = node("Range", {integer(0), sizeScalar(all), integer(1)});
  if (all != count)
    numbers = slice(numbers, vector({0}), size(count), {0});
  return scopes.back().sizes[key] = numbers;
}

std::string GraphExporter::spread(const std::string &x, ir::Shape &shape, size_t axis,
                                  int64_t steps) {
  if (steps == 1)
    return x;
  // (…, n, …) to (…, n, steps, …), zeros behind each, to (…, n * steps, …).
  const std::string apart = unsqueeze(x, {int64_t(axis) + 1});
  Numbers pads(2 * (shape.size() + 1), 0);
  pads[shape.size() + 1 + axis + 1] = steps - 1;
  const std::string wide = node("Pad", {apart, vector(pads)});
  ir::Shape from = shape;
  from.insert(from.begin() + int64_t(axis) + 1, DimExpr(steps));
  shape[axis] = checked(ir::mul(shape[axis], DimExpr(steps)));
  return reshape(wide, from, shape);
}

std::string GraphExporter::padded(const std::string &x, const ir::Shape &shape,
                                  const ir::Shape &before, const ir::Shape &after, mlir::Type type,
                                  double value) {
  ir::Shape pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  if (std::all_of(pads.begin(), pads.end(),
                  [](const DimExpr &width) { return width == DimExpr(0); }))
    return x;
  // Padding of bools is not in older opsets, nor in all runtimes.
  if (type.isInteger(1)) {
    const auto bytes = mlir::IntegerType::get(type.getContext(), 32);
    return cast(padded(cast(x, bytes), shape, before, after, bytes), type);
  }
  auto pad = [&](const ir::Shape &widths) {
    Names inputs{x, sizes(widths)};
    if (value != 0)
      inputs.push_back(scalar(value, type));
    return node("Pad", inputs);
  };
  auto mayBeNegative = [](const DimExpr &width) {
    const std::optional<int64_t> least = width.lowerBound();
    return !width.isConstant() && (!least || *least < 0);
  };
  if (std::none_of(pads.begin(), pads.end(), mayBeNegative))
    return pad(pads);
  // What a call cuts off is cut off behind the padding.
  ir::Shape added;
  for (const DimExpr &width : pads)
    added.push_back(checked(ir::max(width, DimExpr(0))));
  const std::string wide = pad(added);
  Numbers axes;
  ir::Shape first, last;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!mayBeNegative(before[i]) && !mayBeNegative(after[i]))
      continue;
    axes.push_back(int64_t(i));
    first.push_back(checked(ir::sub(added[i], before[i])));
    const DimExpr size = checked(ir::add(checked(ir::add(shape[i], before[i])), after[i]));
    last.push_back(checked(ir::add(first.back(), size)));
  }
  return slice(wide, sizes(first), sizes(last), axes);
}

//===-- Sizes ---------------------------------------------------------------------------------===//

std::string GraphExporter::sizes(const ir::Shape &shape) {
  Names parts;
  Numbers numbers;
  auto flush = [&] {
    if (!numbers.empty())
      parts.push_back(vector(numbers));
    numbers.clear();
  };
  for (const DimExpr &dim : shape) {
    if (dim.isConstant()) {
      numbers.push_back(dim.constantValue());
      continue;
    }
    flush();
    parts.push_back(size(dim));
  }
  flush();
  if (parts.empty())
    return vector({});
  if (parts.size() == 1)
    return parts.front();
  std::string text;
  for (const std::string &part : parts)
    text += part + ",";
  // The last scope's nodes are all seen here.
  std::string &made = scopes.back().sizes["(" + text];
  if (made.empty()) {
    std::string concat = node("Concat", parts, {{"axis", int64_t(0)}});
    scopes.back().sizes["(" + text] = concat;
    return concat;
  }
  return made;
}

bool GraphExporter::knows(const DimExpr &size) const {
  for (int64_t symbol : size.symbols()) {
    bool isKnown = false;
    for (const ScopeState &scope : scopes)
      isKnown = isKnown || scope.symbols.contains(symbol);
    if (!isKnown)
      return false;
  }
  return true;
}

std::string GraphExporter::size(const DimExpr &size) {
  if (size.isConstant())
    return vector({size.constantValue()});
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (size.isSymbol())
      if (auto found = scope->symbols.find(size.symbolId());
          found != scope->symbols.end() && !found->second.name.empty())
        return found->second.name;
    if (auto found = scope->sizes.find(size.str()); found != scope->sizes.end())
      return found->second;
  }
  // In the outermost graph that has all of it: a step of a loop need not compute it again.
  size_t depth = 0;
  for (int64_t symbol : size.symbols())
    for (size_t i = scopes.size(); i-- > 0;)
      if (scopes[i].symbols.contains(symbol)) {
        depth = std::max(depth, i);
        break;
      }
  std::vector<ScopeState> inside(std::make_move_iterator(scopes.begin() + int64_t(depth) + 1),
                                 std::make_move_iterator(scopes.end()));
  scopes.erase(scopes.begin() + int64_t(depth) + 1, scopes.end());
  std::string made = makeSize(size);
  scopes.back().sizes[size.str()] = made;
  scopes.insert(scopes.end(), std::make_move_iterator(inside.begin()),
                std::make_move_iterator(inside.end()));
  return made;
}

std::string GraphExporter::makeSize(const DimExpr &whole) {
  if (!knows(whole))
    notImplemented("a size " + sizeNames.text(whole) + " that no input has");
  // Of an input, where it is first asked for.
  if (whole.isSymbol()) {
    Symbol &symbol = scopes.back().symbols[whole.symbolId()];
    std::string &shape = scopes.back().sizes["shape of " + symbol.input];
    if (shape.empty())
      shape = node("Shape", {symbol.input});
    return symbol.name = node("Gather", {shape, vector({symbol.axis})});
  }
  const std::vector<int64_t> code = whole.program([](int64_t symbol) { return symbol; });
  // What each entry is, where that can be said.
  struct Part {
    std::string name;
    std::optional<DimExpr> size;
  };
  std::vector<Part> stack;
  using Formula = std::optional<DimExpr> (*)(const DimExpr &, const DimExpr &);
  auto binary = [&](Formula formula, llvm::function_ref<std::string(Part, Part)> make) {
    const Part b = stack.back();
    stack.pop_back();
    const Part a = stack.back();
    stack.back() = {make(a, b), a.size && b.size ? formula(*a.size, *b.size) : std::nullopt};
  };
  auto simple = [&](const char *op, Formula formula) {
    binary(formula, [&](const Part &a, const Part &b) { return node(op, {a.name, b.name}); });
  };
  auto makeFloor = [&](const Part &a, const Part &b) {
    // ONNX rounds quotients towards 0: what is divided is not negative, with a multiple of the
    // divisor if need be.
    const std::optional<int64_t> least = a.size ? a.size->lowerBound() : std::nullopt;
    const std::optional<int64_t> leastBy = b.size ? b.size->lowerBound() : std::nullopt;
    if (least && *least >= 0 && leastBy && *leastBy >= 0)
      return node("Div", {a.name, b.name});
    if (least && b.size && b.size->isConstant() && b.size->constantValue() > 0 &&
        *least > -(int64_t(1) << 40)) {
      const int64_t by = b.size->constantValue(), more = (by - 1 - *least) / by;
      const std::string raised = node("Add", {a.name, vector({more * by})});
      return node("Sub", {node("Div", {raised, b.name}), vector({more})});
    }
    return node("Div", {node("Sub", {a.name, node("Mod", {a.name, b.name})}), b.name});
  };
  for (size_t i = 0; i < code.size(); ++i)
    switch (code[i]) {
    case KERATIN_SIZE_CONST:
      ++i;
      stack.push_back({vector({code[i]}), DimExpr(code[i])});
      break;
    case KERATIN_SIZE_SLOT:
      ++i;
      stack.push_back({size(DimExpr::symbol(code[i])), DimExpr::symbol(code[i])});
      break;
    case KERATIN_SIZE_ADD:
      simple("Add", ir::add);
      break;
    case KERATIN_SIZE_SUB:
      simple("Sub", ir::sub);
      break;
    case KERATIN_SIZE_MUL:
      simple("Mul", ir::mul);
      break;
    case KERATIN_SIZE_FLOORDIV:
      binary(ir::floordiv, makeFloor);
      break;
    case KERATIN_SIZE_CEILDIV:
      binary(ir::ceildiv, [&](const Part &a, const Part &b) {
        const Part negative{node("Neg", {a.name}),
                            a.size ? ir::sub(DimExpr(0), *a.size) : std::nullopt};
        return node("Neg", {makeFloor(negative, b)});
      });
      break;
    case KERATIN_SIZE_MAX:
      simple("Max", ir::max);
      break;
    case KERATIN_SIZE_MIN:
      simple("Min", ir::min);
      break;
    case KERATIN_SIZE_BROADCAST:
      // a b / max(min(a, b), 1): one of them where they are equal, else what is not 1.
      binary(ir::broadcast, [&](const Part &a, const Part &b) {
        const std::string least = node("Max", {node("Min", {a.name, b.name}), vector({1})});
        return node("Div", {node("Mul", {a.name, b.name}), least});
      });
      break;
    case KERATIN_SIZE_MOD:
      simple("Mod", ir::mod);
      break;
    default:
      notImplemented("a size " + whole.str());
    }
  return stack.back().name;
}

std::string GraphExporter::sizeScalar(const DimExpr &size) {
  return size.isConstant() ? integer(size.constantValue()) : squeeze(this->size(size), {0});
}

void GraphExporter::defineSymbol(int64_t symbol, const std::string &name,
                                 const std::optional<DimExpr> &most) {
  scopes.back().symbols.try_emplace(symbol, Symbol{name, "", 0});
  if (most)
    bounds.try_emplace(symbol, *most);
}

void GraphExporter::defineSizes(const std::string &name, const ir::Shape &shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].isSymbol() && !knows(shape[i]))
      scopes.back().symbols[shape[i].symbolId()] = {"", name, int64_t(i)};
}

//===-- Graphs --------------------------------------------------------------------------------===//

onnx::GraphProto GraphExporter::body(llvm::function_ref<void()> make) {
  onnx::GraphProto graph;
  graph.set_name(unique("body"));
  scopes.emplace_back().graph = &graph;
  make(); // where it fails, all does
  scopes.pop_back();
  return graph;
}

void GraphExporter::declare(onnx::ValueInfoProto &info, const std::string &name, mlir::Type type) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  const auto ranked = llvm::cast<mlir::RankedTensorType>(type);
  tensor.set_elem_type(elementTypeOf(ranked.getElementType()));
  tensor.mutable_shape();
  for (const DimExpr &dim : ir::getShape(ranked)) {
    auto *to = tensor.mutable_shape()->add_dim();
    if (dim.isConstant())
      to->set_dim_value(dim.constantValue());
    else
      to->set_dim_param(sizeNames.text(dim));
  }
}

void GraphExporter::declareInput(const std::string &name, mlir::Type type) {
  declare(*graph().add_input(), name, type);
}

void GraphExporter::declareOutput(const std::string &name, mlir::Type type) {
  declare(*graph().add_output(), name, type);
}

void GraphExporter::block(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator()) {
    mlir::Operation *around = current;
    current = &op;
    const llvm::StringRef name = op.getName().stripDialect();
    const ExportRecord *record = findExport(name);
    if (!record)
      notImplemented("op '" + name.str() + "'");
    if (!record->write)
      notImplemented("op '" + name.str() + "' (" + record->becomes + ")");
    record->write(*this, &op);
    current = around;
  }
}
