#include "frontend/keras_files/KerasLayer.h"

#include "frontend/graph/Printable.h"
#include "frontend/graph/SourcePlace.h"
#include "keratin/creation.h"
#include "keratin/error.h"
#include "keratin/graph.h"
#include "keratin/layers/layer.h"
#include "keratin/nn.h"
#include "keratin/variables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

static constexpr int kDeepestLayer = 32;

llvm::ArrayRef<LayerTable> keratin::frontend::keras_files::allLayers() {
  static const LayerTable all[] = {
      {"models", modelLayers()},           {"core", coreLayers()},
      {"activations", activationLayers()}, {"convolutions", convolutionLayers()},
      {"pooling", poolingLayers()},        {"normalization", normalizationLayers()},
      {"merging", mergeLayers()},          {"shapes", shapeLayers()},
      {"recurrent", recurrentLayers()},    {"wrappers", wrapperLayers()},
      {"attention", attentionLayers()},
  };
  return all;
}

static const LayerRecord *findLayer(const std::string &name) {
  static const auto *found = [] {
    auto *map = new llvm::StringMap<const LayerRecord *>();
    for (const LayerTable &table : allLayers())
      for (const LayerRecord &record : table.layers)
        (*map)[record.name] = &record;
    return map;
  }();
  return found->lookup(name);
}

KerasLayer::KerasLayer(KerasFile &file, const Json &description, const std::string &around,
                       int depth)
    : file(file), around(around), depth(depth) {
  auto textAt = [](const Json &object, const char *key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const std::string type = textAt(description, "class_name");
  if (type.empty() || !description.contains("config"))
    file.fail("has a layer without class_name and config");
  theConfig = &description["config"];
  theName = textAt(*theConfig, "name");
  if (theName.empty())
    theName = type;
  place = {keptText(printable(file.name(), 80) + ": layer '" + printable(around + theName, 80) +
                    "' (" + printable(type, 80) + ")"),
           int(file.numberLayer())};
  if (depth > kDeepestLayer)
    fail("is in more than " + std::to_string(kDeepestLayer) + " layers");
  theRecord = findLayer(type);
  if (!theRecord)
    notImplemented("the layer " + type);
  if (const Json *dtype = find("dtype"); dtype && dtype->is_object())
    notImplemented("the policy " + dtype->dump() + " of dtypes");
  for (const WeightRecord &weight : theRecord->weights)
    if (!weight.flag || flag(weight.flag))
      weights.push_back({this, &weight, Tensor()});
  if (theRecord->addInner)
    theRecord->addInner(*this);
}

//===-- Configuration -------------------------------------------------------------------------===//

const Json *KerasLayer::find(const char *key) const {
  const auto found = theConfig->is_object() ? theConfig->find(key) : theConfig->end();
  return found == theConfig->end() || found->is_null() ? nullptr : &*found;
}

void KerasLayer::failKey(const char *key, const char *needed) const {
  const Json *found = find(key);
  fail(std::string("has ") +
       (found ? found->dump(-1, ' ', true, Json::error_handler_t::replace)
              : std::string("nothing")) +
       " for " + key + "; needed " + needed);
}

// A whole number of 64 bits.
static std::optional<int64_t> integerOf(const Json &value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX)))
    return std::nullopt;
  return value.get<int64_t>();
}

bool KerasLayer::flag(const char *key, bool otherwise) const {
  const Json *value = find(key);
  if (value && !value->is_boolean())
    failKey(key, "true or false");
  return value ? value->get<bool>() : otherwise;
}

int64_t KerasLayer::integer(const char *key) const {
  const Json *value = find(key);
  // One in a list, as sizes of windows of one axis are.
  if (value && value->is_array() && value->size() == 1)
    value = &value->front();
  const std::optional<int64_t> number = value ? integerOf(*value) : std::nullopt;
  if (!number)
    failKey(key, "a whole number");
  return *number;
}

int64_t KerasLayer::integer(const char *key, int64_t otherwise) const {
  return find(key) ? integer(key) : otherwise;
}

std::vector<int64_t> KerasLayer::integers(const char *key) const {
  const Json *value = find(key);
  if (!value)
    return {};
  if (!value->is_array())
    return {integer(key)};
  std::vector<int64_t> numbers;
  for (const Json &element : *value) {
    const std::optional<int64_t> number = integerOf(element);
    if (!number)
      failKey(key, "whole numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

double KerasLayer::number(const char *key, double otherwise) const {
  const Json *value = find(key);
  if (value && !value->is_number())
    failKey(key, "a number");
  return value ? value->get<double>() : otherwise;
}

std::string KerasLayer::text(const char *key, const std::string &otherwise) const {
  const Json *value = find(key);
  if (value && !value->is_string())
    failKey(key, "a text");
  return value ? value->get<std::string>() : otherwise;
}

int64_t KerasLayer::axis(const char *key, int64_t otherwise, const Tensor &x) const {
  const int64_t axis = integer(key, otherwise), rank = x.ndim();
  if (axis < -rank || axis >= rank)
    fail("has axis " + std::to_string(axis) + "; needed one in [" + std::to_string(-rank) + ", " +
         std::to_string(rank) + ")");
  return axis < 0 ? axis + rank : axis;
}

//===-- Weights -------------------------------------------------------------------------------===//

const KerasLayer::Weight *KerasLayer::findWeight(const std::string &name) const {
  for (const Weight &weight : weights)
    if (name == weight.record->name)
      return &weight;
  return nullptr;
}

Tensor KerasLayer::weight(const char *name, int64_t rank) const {
  const Tensor &tensor = findWeight(name)->tensor;
  if (rank >= 0 && tensor.ndim() != rank)
    fail(std::string("has a ") + name + " of shape " + toString(tensor.shape()) + "; needed rank " +
         std::to_string(rank));
  return tensor;
}

// A key that is not there says nothing, as in files of hands other than Keras's.
void KerasLayer::checkShape(const WeightRecord &weight, const StaticShape &shape) const {
  StaticShape needed;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(weight.shape, words);
  for (llvm::StringRef word : words) {
    int64_t factor = 1;
    if (!word.consumeInteger(10, factor))
      word.consume_front("*");
    if (word == ".") {
      needed.push_back(std::nullopt);
      continue;
    }
    const std::vector<int64_t> numbers = integers(word.str().c_str());
    if (numbers.empty())
      return;
    for (const int64_t number : numbers) {
      int64_t size;
      needed.push_back(llvm::MulOverflow(number, factor, size) ? INT64_MAX : size);
    }
  }
  const bool fits = llvm::equal(
      shape, needed, [](const auto &size, const auto &need) { return !need || size == need; });
  if (!fits)
    fail(std::string("has a ") + weight.name + " of shape " + toString(shape) + "; needed " +
         toString(needed) + ", as its configuration says");
}

// As Keras lists them: first what is trained of all that is in it, then the rest. What is not
// trainable has no weights of the first kind.
void KerasLayer::listWeights(bool isTrained, bool isInTrained, std::vector<Weight *> &list) {
  const bool isTrainable = isInTrained && flag("trainable", true);
  for (Weight &weight : weights)
    if ((isTrainable && weight.record->isTrained) == isTrained)
      list.push_back(&weight);
  for (const auto &layer : inner)
    layer->listWeights(isTrained, isTrainable, list);
}

// A window, (…, channels, filters).
static Array turnedAround(const Array &window) {
  const size_t rank = window.shape().size();
  return window[IndexList(
      std::vector<IndexList::Item>(rank < 2 ? 0 : rank - 2, Slice(None, None, -1)))];
}

void KerasLayer::takeWeights(const std::vector<compiler::KerasWeight> &saved, bool asVariables,
                             std::vector<Tensor> &variables) {
  std::vector<Weight *> list;
  listWeights(true, true, list);
  const size_t trained = list.size();
  listWeights(false, true, list);
  if (saved.size() != list.size()) {
    std::string needed;
    for (const Weight *weight : list)
      needed += (needed.empty() ? ": " : ", ") + std::string(weight->record->name);
    fail("has " + std::to_string(saved.size()) + " weights in the file; needed " +
         std::to_string(list.size()) + needed);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    Array array = file.array(saved[i]);
    const DType dtype = array.dtype();
    if (!isFloating(dtype))
      fail(std::string("has weights of dtype ") + dtypeName(dtype) + "; needed floats");
    if (list[i]->record->isWindow && file.isTheano())
      array = turnedAround(array);
    if (list[i]->record->shape)
      list[i]->layer->checkShape(*list[i]->record,
                                 StaticShape(array.shape().begin(), array.shape().end()));
    Tensor &tensor = list[i]->tensor;
    if (!asVariables) {
      tensor = K::constant(std::move(array), dtype, None, "", place);
      continue;
    }
    tensor = K::variable(std::move(array), dtype, saved[i].name, nullptr, place);
    tensor.setTrainable(i < trained);
    variables.push_back(tensor);
  }
}

//===-- Layers in it --------------------------------------------------------------------------===//

void KerasLayer::addInner(const char *key) {
  const Json *description = find(key);
  if (!description)
    failKey(key, "a layer");
  addInner(*description);
}

void KerasLayer::addInner(const Json &description) {
  // All are in the outermost model.
  inner.push_back(std::make_unique<KerasLayer>(file, description,
                                               depth ? around + theName + "/" : "", depth + 1));
}

void KerasLayer::addInnerCopy(Json description) {
  own.push_back(std::make_unique<Json>(std::move(description)));
  addInner(*own.back());
}

LayerValues KerasLayer::call(const LayerCall &call) const {
  file.countCall();
  auto check = [&](const std::string &keyword) {
    for (const char *known : record().keywords)
      if (keyword == known)
        return;
    notImplemented("the argument '" + keyword + "' of a call");
  };
  for (const auto &[keyword, value] : call.tensors)
    check(keyword);
  for (const auto &[keyword, value] : call.options)
    check(keyword);
  return placed([&] { return record().import(*this, call); });
}

void KerasLayer::failWith(const std::string &message) const {
  if (message.find("; at ") == std::string::npos)
    fail("is refused: " + message);
  throw ValueError(message);
}

void KerasLayer::keep(const std::vector<Tensor> &states, const std::vector<Tensor> &next) const {
  std::vector<Update> &updates = file.updates[place.line];
  if (!updates.empty())
    notImplemented("a stateful layer that is called twice");
  for (size_t i = 0; i < states.size(); ++i) {
    updates.emplace_back(states[i], next[i], place);
    file.states.push_back(states[i]);
  }
}

void KerasLayer::fail(const std::string &what) const {
  throw ValueError(withPlace("load_keras: the layer " + printable(what), place));
}

void KerasLayer::notImplemented(const std::string &what) const {
  throw NotImplementedError(withPlace("load_keras: not implemented: " + printable(what), place));
}

//===-- What many layers do
//---------------------------------------------------------------------===//

const LayerValue &keratin::frontend::keras_files::onlyInput(const KerasLayer &layer,
                                                            const LayerCall &call) {
  if (call.inputs.size() != 1)
    layer.fail("has " + std::to_string(call.inputs.size()) + " inputs; needed 1");
  return call.inputs.front();
}

Tensor keratin::frontend::keras_files::activated(const KerasLayer &layer, const Tensor &x,
                                                 const char *key, const std::string &otherwise) {
  const Json *named = layer.find(key);
  if (named && !named->is_string())
    layer.notImplemented(std::string("a layer for ") + key);
  const std::string name = named ? named->get<std::string>() : otherwise;
  return layers::Activation(name, layer.place)(x, layer.place);
}

std::vector<int64_t> keratin::frontend::keras_files::spatial(const KerasLayer &layer,
                                                             const char *key, size_t rank) {
  std::vector<int64_t> numbers = layer.integers(key);
  if (numbers.empty())
    numbers.push_back(1);
  if (numbers.size() == 1)
    numbers.resize(rank, numbers.front());
  if (numbers.size() != rank)
    layer.fail(std::string("has ") + std::to_string(numbers.size()) + " numbers for " + key +
               "; needed " + std::to_string(rank));
  return numbers;
}

Tensor keratin::frontend::keras_files::biasedAndActivated(const KerasLayer &layer, Tensor x,
                                                          const std::string &dataFormat) {
  if (layer.has("bias"))
    x = K::bias_add(x, layer.weight("bias"), dataFormat, layer.place);
  return activated(layer, x);
}

Size keratin::frontend::keras_files::sizeOf(const KerasLayer &layer, const Tensor &x,
                                            int64_t axis) {
  if (const std::optional<int64_t> size = x.shape()[size_t(axis)])
    return *size;
  return K::shape(x, layer.place)[IndexList(axis, layer.place)];
}
