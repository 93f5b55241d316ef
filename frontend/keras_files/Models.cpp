// Models, which are layers too, and their inputs.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/config.h"
#include "keratin/creation.h"
#include "keratin/dtype.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

// The output of a call of a layer.
struct Reference {
  std::string layer;
  size_t call, output;
};

std::optional<Reference> referenceOf(const Json &found) {
  const auto isNumber = [](const Json &number) {
    return number.is_number_unsigned() && number.get<uint64_t>() < 100000;
  };
  if (!found.is_array() || found.size() < 3 || found.size() > 4 || !found[0].is_string() ||
      !isNumber(found[1]) || !isNumber(found[2]))
    return std::nullopt;
  return Reference{found[0].get<std::string>(), found[1].get<size_t>(), found[2].get<size_t>()};
}

// What tf.keras writes without a list where there is one.
bool isList(const Json &found) {
  return found.is_array() && (found.empty() || !found[0].is_string());
}

// A model whose layers say where their inputs come from.
class Graph {
public:
  explicit Graph(const KerasLayer &model) : model(model) {
    const Json *list = model.find("layers");
    if (!list || list->size() != model.inner.size())
      model.fail("has no list of layers");
    for (size_t i = 0; i < model.inner.size(); ++i) {
      const KerasLayer &layer = *model.inner[i];
      if (!nodes.try_emplace(layer.name(), Node{layer, callsOf((*list)[i])}).second)
        model.fail("has two layers named '" + layer.name() + "'");
      order.push_back(&nodes.at(layer.name()));
    }
    for (const char *key : {"input_layers", "output_layers"})
      for (const Reference &reference : references(key))
        countCall(reference);
    for (const Node *node : order)
      for (const Json &call : node->calls)
        for (const Json &argument : argumentsOf(call))
          countCalls(argument);
  }

  const KerasLayer &layer(const Reference &reference) { return nodeOf(reference).layer; }

  std::vector<Reference> references(const char *key) const {
    const Json *list = model.find(key);
    std::vector<Reference> all;
    auto add = [&](const Json &entry) {
      const std::optional<Reference> reference = referenceOf(entry);
      if (!reference)
        model.fail(std::string("has ") + key + " of another form");
      all.push_back(*reference);
    };
    if (list && list->is_array() && !isList(*list))
      add(*list);
    else if (list && list->is_structured()) // tf.keras writes outputs by their names, too
      for (const Json &entry : *list)
        add(entry);
    if (all.empty())
      model.fail(std::string("has no ") + key);
    return all;
  }

  LayerValues outputs(const LayerValues &inputs) {
    const std::vector<Reference> from = references("input_layers");
    if (inputs.size() != from.size())
      model.fail("has " + std::to_string(inputs.size()) + " inputs; needed " +
                 std::to_string(from.size()));
    for (size_t i = 0; i < from.size(); ++i)
      nodeOf(from[i]).made.push_back({inputs[i]});
    // A layer may come before what it needs, and, where it is called several times, before and
    // behind it.
    std::deque<Node *> open(order.begin(), order.end());
    for (; !open.empty(); open.pop_front()) {
      Node &node = *open.front();
      while (node.next < node.calls.size()) {
        Node *missing = nullptr;
        const LayerCall call = callOf(node, missing);
        if (missing) {
          missing->waiting.push_back(&node);
          break;
        }
        node.made.push_back(node.layer.call(call));
        ++node.next;
        open.insert(open.end(), node.waiting.begin(), node.waiting.end());
        node.waiting.clear();
      }
    }
    for (const Node *node : order)
      if (node->next < node->calls.size())
        model.fail("has layers that need each other's outputs");
    LayerValues results;
    for (const Reference &reference : references("output_layers")) {
      const LayerValue *value = lookUp(reference);
      if (!value)
        failMissing(reference);
      results.push_back(*value);
    }
    return results;
  }

private:
  struct Node {
    const KerasLayer &layer;
    const Json &calls;
    std::vector<LayerValues> made = {}; // the outputs of its calls so far
    size_t next = 0;                    // of its calls
    size_t largest = 0;                 // number of a call that is needed
    std::vector<Node *> waiting = {};   // for its outputs
  };

  const Json &callsOf(const Json &description) const {
    static const Json none = Json::array();
    const auto found = description.find("inbound_nodes");
    if (found != description.end() && !found->is_array())
      model.fail("has inbound_nodes of another form");
    return found == description.end() ? none : *found;
  }
  static std::vector<Json> argumentsOf(const Json &call) {
    return isList(call) ? call.get<std::vector<Json>>() : std::vector<Json>{call};
  }
  Node &nodeOf(const Reference &reference) {
    const auto found = nodes.find(reference.layer);
    if (found == nodes.end())
      failMissing(reference);
    return found->second;
  }
  [[noreturn]] void failMissing(const Reference &reference) const {
    model.fail("needs output " + std::to_string(reference.output) + " of call " +
               std::to_string(reference.call) + " of '" + reference.layer +
               "', which there is not");
  }

  // Calls of a model in it count from 1 on, as a model has been called when it was made; but in
  // some versions not. The last one is always needed.
  void countCall(const Reference &reference) {
    size_t &largest = nodeOf(reference).largest;
    largest = std::max(largest, reference.call);
  }
  void countCalls(const Json &argument) {
    if (const std::optional<Reference> reference = referenceOf(argument))
      countCall(*reference);
    else if (isList(argument))
      for (const Json &entry : argument)
        countCalls(entry);
    if (argument.is_array() && argument.size() == 4 && argument[3].is_object())
      for (const Json &keyword : argument[3])
        countCalls(keyword);
  }

  // Null where it is not there, or not yet.
  const LayerValue *lookUp(const Reference &reference) {
    const Node &node = nodeOf(reference);
    const bool isFromOne = !node.layer.inner.empty() && node.largest == node.calls.size();
    const size_t call = reference.call - (isFromOne ? 1 : 0);
    if (call >= node.made.size())
      return nullptr;
    if (reference.output >= node.made[call].size())
      failMissing(reference);
    return &node.made[call][reference.output];
  }

  // `missing` is what has not computed an input yet.
  LayerCall callOf(Node &node, Node *&missing) {
    const KerasLayer &layer = node.layer;
    LayerCall call;
    auto take = [&](const Json &entry, const auto &put) {
      const std::optional<Reference> reference = referenceOf(entry);
      if (!reference)
        return false;
      if (const LayerValue *value = lookUp(*reference))
        put(*value);
      else
        missing = &nodeOf(*reference);
      return true;
    };
    auto asInput = [&](const LayerValue &value) { call.inputs.push_back(value); };
    const std::vector<Json> arguments = argumentsOf(node.calls[node.next]);
    if (arguments.empty())
      layer.fail("is called without inputs");
    for (const Json &argument : arguments)
      if (!take(argument, asInput))
        layer.notImplemented("an input that is no output of a layer");
    if (arguments[0].size() < 4 || arguments[0][3].is_null())
      return call;
    if (!arguments[0][3].is_object())
      layer.fail("has a call of another form");
    for (const auto &[keyword, value] : arguments[0][3].items()) {
      // What all layers take, and False and None, which nothing differs by.
      if (value.is_null() || (value.is_boolean() && !value.get<bool>()) || keyword == "training")
        continue;
      if (keyword == "initial_state" && isList(value)) {
        for (const Json &entry : value)
          if (!take(entry, asInput))
            layer.notImplemented("an initial state that is no output of a layer");
      } else if (!take(value, [&, &name = keyword](const LayerValue &tensor) {
                   call.tensors[name] = tensor;
                 })) {
        call.options[keyword] = value;
      }
    }
    return call;
  }

  const KerasLayer &model;
  std::map<std::string, Node> nodes;
  std::vector<Node *> order;
};

void addLayers(KerasLayer &model) {
  const Json *list = model.config().is_array() ? &model.config() : model.find("layers");
  if (!list || !list->is_array() || list->empty())
    model.fail("has no layers");
  for (const Json &description : *list)
    model.addInner(description);
}

LayerValues graph(const KerasLayer &model, const LayerCall &call) {
  return Graph(model).outputs(call.inputs);
}

bool isInput(const KerasLayer &layer) { return layer.record().name == std::string("InputLayer"); }
bool isSequential(const KerasLayer &layer) {
  return layer.record().name == std::string("Sequential");
}

LayerValues sequential(const KerasLayer &model, const LayerCall &call) {
  LayerValues values = call.inputs;
  for (const auto &layer : model.inner)
    if (!isInput(*layer))
      values = layer->call({values});
  return values;
}

LayerValues input(const KerasLayer &layer, const LayerCall &) {
  layer.fail("is an input in the middle of a model");
}

// All inputs have the same number of samples.
Tensor placeholder(const KerasLayer &layer, const Json *shape, const std::string &name) {
  if (!shape || !shape->is_array() || shape->empty())
    layer.notImplemented("a model without a shape of its input '" + name + "'");
  std::vector<Size> sizes;
  for (const Json &size : *shape) {
    const bool isNumber = size.is_number_unsigned() && size.get<uint64_t>() <= uint64_t(INT64_MAX);
    if (!isNumber && !size.is_null())
      layer.fail("has " + size.dump(-1, ' ', true, Json::error_handler_t::replace) +
                 " for a size of its input");
    if (isNumber)
      sizes.emplace_back(size.get<int64_t>());
    else
      sizes.push_back(sizes.empty() ? Size("batch") : Size(None));
  }
  if (layer.flag("sparse") || layer.flag("ragged"))
    layer.notImplemented("a sparse or ragged input");
  return layer.placed([&] {
    return K::placeholder(std::move(sizes), None, layer.text("dtype", K::floatx()), false, name,
                          layer.place);
  });
}

Tensor inputOf(const KerasLayer &layer, const std::string &name) {
  const Json *shape = layer.find("batch_input_shape");
  return placeholder(layer, shape ? shape : layer.find("batch_shape"), name);
}

const LayerRecord modelRecords[] = {
    {"Functional", graph, {}, addLayers},
    {"InputLayer", input},
    {"Model", graph, {}, addLayers},
    {"Sequential", sequential, {}, addLayers},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::modelLayers() { return modelRecords; }

std::vector<Tensor> keratin::frontend::keras_files::inputsOf(const KerasLayer &model) {
  if (isSequential(model)) {
    const KerasLayer *first = model.inner.front().get();
    // The input of a model that is the first layer is that of its first layer.
    while (isSequential(*first))
      first = first->inner.front().get();
    if (isInput(*first) || first->find("batch_input_shape"))
      return {inputOf(*first, isInput(*first) ? first->name() : first->name() + "_input")};
    if (!first->inner.empty() && first->record().addInner == addLayers)
      return inputsOf(*first);
    return {placeholder(model, model.find("build_input_shape"), first->name() + "_input")};
  }
  std::vector<Tensor> inputs;
  Graph found(model);
  for (const Reference &reference : found.references("input_layers")) {
    const KerasLayer &layer = found.layer(reference);
    if (!isInput(layer))
      model.fail("has an input '" + layer.name() + "' that is no InputLayer");
    inputs.push_back(inputOf(layer, layer.name()));
  }
  return inputs;
}

std::vector<std::string> keratin::frontend::keras_files::outputNamesOf(const KerasLayer &model,
                                                                       size_t count) {
  std::vector<std::string> layers;
  if (isSequential(model))
    layers.assign(count, model.inner.back()->name());
  else
    for (const Reference &reference : Graph(model).references("output_layers"))
      layers.push_back(reference.layer);
  // A layer may have several outputs, or be called several times.
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string &layer : layers) {
    std::string name = layer;
    for (int i = 1; !taken.insert(name).second; ++i)
      name = layer + "_" + std::to_string(i);
    names.push_back(std::move(name));
  }
  return names;
}
