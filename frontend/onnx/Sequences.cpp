// Sequences of ONNX, whose lengths are known when the model is loaded, and optional values.
#include "frontend/onnx/Indexing.h"
#include "keratin/linear_algebra.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

constexpr int64_t kMostElements = 10000;

Values sequenceConstruct(ModelNode &node) {
  Values elements;
  for (size_t i = 0; i < node.inputCount(); ++i)
    elements.push_back(node.value(i));
  return one(ModelValue::sequenceOf(std::move(elements)));
}

Values sequenceEmpty(ModelNode &) { return one(ModelValue::sequenceOf({})); }

// A place among so many, from the front or the end.
size_t placeIn(ModelNode &node, const Array &position, size_t count) {
  const int64_t size = int64_t(count);
  int64_t place = position.size() == 1 ? position.toVector<int64_t>().front() : size;
  if (position.size() != 1 || place < -size || place >= size)
    node.fail("has a position outside its sequence of " + std::to_string(size));
  return size_t(place < 0 ? place + size : place);
}

const Array &positionOf(ModelNode &node, size_t i) {
  const Array *position = node.computedConstant(i);
  if (!position)
    node.notImplemented("a position in a sequence that only a call knows");
  return *position;
}

Values sequenceAt(ModelNode &node) {
  const std::vector<ModelValue> &elements = node.sequence(0);
  const SourceLocation at = node.place;
  if (const Array *position = node.computedConstant(1))
    return one(elements[placeIn(node, *position, elements.size())]);
  // Which one only a call knows: of elements of one shape.
  std::vector<Operand> all;
  for (ModelValue element : elements)
    all.emplace_back(element.tensor(at));
  if (all.empty())
    node.fail("has a position outside its sequence of 0");
  const Tensor stacked = K::stack(all, 0, at), position = scalarOf(node.input(1), at);
  Tensor place;
  {
    Call call("load_onnx", at);
    place = call.tensor(fromTheEnd(call, call.cast(call.value(position), DType::Int64),
                                   DimExpr(int64_t(all.size()))));
  }
  return one(K::gather(stacked, place, at));
}

Values sequenceInsert(ModelNode &node) {
  std::vector<ModelValue> elements = node.sequence(0);
  if (int64_t(elements.size()) >= kMostElements)
    node.notImplemented("sequences of more than " + std::to_string(kMostElements) + " tensors");
  size_t place = elements.size();
  if (node.has(2)) {
    // -1 is before the last.
    const Array &position = positionOf(node, 2);
    const bool isBehind =
        position.size() == 1 && position.toVector<int64_t>().front() == int64_t(place);
    place = isBehind ? place : placeIn(node, position, elements.size());
  }
  elements.insert(elements.begin() + int64_t(place), node.value(1));
  return one(ModelValue::sequenceOf(std::move(elements)));
}

Values sequenceErase(ModelNode &node) {
  std::vector<ModelValue> elements = node.sequence(0);
  size_t place = elements.size() - 1;
  if (node.has(1) || elements.empty())
    place = placeIn(node, node.has(1) ? positionOf(node, 1) : Array(int64_t(-1)), elements.size());
  elements.erase(elements.begin() + int64_t(place));
  return one(ModelValue::sequenceOf(std::move(elements)));
}

Values sequenceLength(ModelNode &node) { return one(Array(int64_t(node.sequence(0).size()))); }

Values splitToSequence(ModelNode &node) {
  const Tensor x = node.input(0);
  const SourceLocation at = node.place;
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  const std::optional<int64_t> whole = x.shape()[size_t(axis)];
  const bool isSingle = !node.has(1);
  std::vector<int64_t> sizes;
  if (isSingle || node.input(1).ndim() == 0) {
    // Of one size, but for the last.
    const int64_t size = isSingle ? 1 : node.integersOf(1, "split").front();
    if (!whole)
      node.notImplemented("a sequence of parts whose number only a call knows");
    if (size < 1)
      node.fail("has parts of size " + std::to_string(size));
    if (*whole / size >= kMostElements)
      node.notImplemented("sequences of more than " + std::to_string(kMostElements) + " tensors");
    for (int64_t from = 0; from < *whole; from += size)
      sizes.push_back(std::min(size, *whole - from));
  } else {
    sizes = node.integersOf(1, "split");
  }
  Values elements;
  if (!sizes.empty())
    for (const Tensor &part : K::split(x, std::vector<Size>(sizes.begin(), sizes.end()), axis, at))
      elements.emplace_back(isSingle && !node.integer("keepdims", 1) ? K::squeeze(part, axis, at)
                                                                     : part);
  return one(ModelValue::sequenceOf(std::move(elements)));
}

Values concatFromSequence(ModelNode &node) {
  std::vector<Operand> elements;
  for (ModelValue element : node.sequence(0))
    elements.emplace_back(element.tensor(node.place));
  if (elements.empty())
    node.fail("has an empty sequence");
  const int64_t axis = node.integer("axis");
  return one(node.integer("new_axis", 0) ? K::stack(elements, axis, node.place)
                                         : K::concatenate(elements, axis, node.place));
}

// The body's outputs for each element of the first sequence, with those of the others and tensors.
Values sequenceMap(ModelNode &node) {
  const onnx::GraphProto &body = node.graph("body");
  const size_t count = node.sequence(0).size();
  std::vector<Values> results(size_t(body.output_size()));
  for (size_t i = 0; i < count; ++i) {
    Values inputs;
    for (size_t k = 0; k < node.inputCount(); ++k) {
      std::vector<ModelValue> *elements = node.value(k).sequence();
      if (elements && elements->size() != count)
        node.fail("has sequences of " + std::to_string(count) + " and " +
                  std::to_string(elements->size()));
      inputs.push_back(elements ? (*elements)[i] : node.value(k));
    }
    Values outputs = outputsOf(node, body, std::move(inputs));
    for (size_t k = 0; k < outputs.size(); ++k)
      results[k].push_back(outputs[k]);
  }
  Values values;
  for (Values &elements : results)
    values.push_back(ModelValue::sequenceOf(std::move(elements)));
  return values;
}

//===-- Optional values -----------------------------------------------------------------------===//

Values optional(ModelNode &node) {
  return one(node.has(0) ? node.value(0) : ModelValue::nothing());
}

Values optionalHasElement(ModelNode &node) {
  return one(Array(node.has(0) && !node.value(0).isNothing()));
}

Values optionalGetElement(ModelNode &node) {
  if (node.value(0).isNothing())
    node.fail("has an optional value that is not there");
  return one(node.value(0));
}

const OpRecord sequenceRecords[] = {
    {"ConcatFromSequence", concatFromSequence},
    {"Optional", optional},
    {"OptionalGetElement", optionalGetElement},
    {"OptionalHasElement", optionalHasElement},
    {"SequenceAt", sequenceAt},
    {"SequenceConstruct", sequenceConstruct},
    {"SequenceEmpty", sequenceEmpty},
    {"SequenceErase", sequenceErase},
    {"SequenceInsert", sequenceInsert},
    {"SequenceLength", sequenceLength},
    {"SequenceMap", sequenceMap},
    {"SplitToSequence", splitToSequence},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::sequenceOps() { return sequenceRecords; }
