// Small models of ONNX, made by a line or two.
#ifndef KERATIN_TESTS_ONNX_MODELBUILDER_H
#define KERATIN_TESTS_ONNX_MODELBUILDER_H

#include "third_party/onnx/onnx.pb.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace keratin::tests {

using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;

using Dims = std::vector<int64_t>; // below 0: not known
using Names = std::vector<std::string>;

struct Attribute {
  std::string name;
  std::variant<int, float, std::string, Dims, std::vector<float>, Names, GraphProto, TensorProto>
      value;
};
using Attributes = std::vector<Attribute>;

inline TensorProto tensorProto(const std::string &name, const Dims &dims, const Dims &values,
                               int type = TensorProto::INT64) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  for (int64_t value : values)
    if (type == TensorProto::FLOAT)
      tensor.add_float_data(float(value));
    else if (type == TensorProto::INT64)
      tensor.add_int64_data(value);
    else
      tensor.add_int32_data(int32_t(value));
  return tensor;
}

inline void addInput(GraphProto &graph, const std::string &name, const Dims &dims,
                     int type = TensorProto::FLOAT) {
  onnx::ValueInfoProto *input = graph.add_input();
  input->set_name(name);
  onnx::TypeProto::Tensor *of = input->mutable_type()->mutable_tensor_type();
  of->set_elem_type(type);
  of->mutable_shape();
  for (int64_t dim : dims) {
    auto *added = of->mutable_shape()->add_dim();
    if (dim >= 0)
      added->set_dim_value(dim);
  }
}

inline NodeProto *addNode(GraphProto &graph, const std::string &op, const Names &inputs,
                          const Names &outputs, const Attributes &attributes = {}) {
  NodeProto *node = graph.add_node();
  node->set_op_type(op);
  for (const std::string &input : inputs)
    node->add_input(input);
  for (const std::string &output : outputs)
    node->add_output(output);
  for (const Attribute &attribute : attributes) {
    onnx::AttributeProto *to = node->add_attribute();
    to->set_name(attribute.name);
    using Proto = onnx::AttributeProto;
    if (auto *i = std::get_if<int>(&attribute.value)) {
      to->set_type(Proto::INT);
      to->set_i(*i);
    } else if (auto *f = std::get_if<float>(&attribute.value)) {
      to->set_type(Proto::FLOAT);
      to->set_f(*f);
    } else if (auto *s = std::get_if<std::string>(&attribute.value)) {
      to->set_type(Proto::STRING);
      to->set_s(*s);
    } else if (auto *ints = std::get_if<Dims>(&attribute.value)) {
      to->set_type(Proto::INTS);
      for (int64_t each : *ints)
        to->add_ints(each);
    } else if (auto *floats = std::get_if<std::vector<float>>(&attribute.value)) {
      to->set_type(Proto::FLOATS);
      for (float each : *floats)
        to->add_floats(each);
    } else if (auto *strings = std::get_if<Names>(&attribute.value)) {
      to->set_type(Proto::STRINGS);
      for (const std::string &each : *strings)
        to->add_strings(each);
    } else if (auto *graphs = std::get_if<GraphProto>(&attribute.value)) {
      to->set_type(Proto::GRAPH);
      *to->mutable_g() = *graphs;
    } else {
      to->set_type(Proto::TENSOR);
      *to->mutable_t() = std::get<TensorProto>(attribute.value);
    }
  }
  return node;
}

// Without a graph.
inline ModelProto emptyModel(int64_t opset = 17) {
  ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  return model;
}

// An input of a node: of the model (its elements are floats unless it says another type), or
// numbers that are known.
struct Argument {
  Dims dims;
  int type = TensorProto::FLOAT;
  bool isKnown = false, isThere = true;
  Dims values = {};
};
inline Argument fed(Dims dims, int type = TensorProto::FLOAT) { return {std::move(dims), type}; }
inline Argument known(Dims values, int type = TensorProto::INT64) {
  return {{int64_t(values.size())}, type, true, true, std::move(values)};
}
inline Argument none() { return {{}, 0, false, false}; }

// One node, called "it", whose outputs are the model's.
inline ModelProto modelOf(const std::string &op, int64_t opset,
                          const std::vector<Argument> &arguments, const Attributes &attributes = {},
                          int outputs = 1) {
  ModelProto model = emptyModel(opset);
  GraphProto &graph = *model.mutable_graph();
  Names inputs, results;
  for (const Argument &argument : arguments) {
    inputs.push_back(argument.isThere ? "x" + std::to_string(inputs.size()) : "");
    if (argument.isKnown)
      *graph.add_initializer() =
          tensorProto(inputs.back(), argument.dims, argument.values, argument.type);
    else if (argument.isThere)
      addInput(graph, inputs.back(), argument.dims, argument.type);
  }
  for (int i = 0; i < outputs; ++i) {
    results.push_back("y" + std::to_string(i));
    graph.add_output()->set_name(results.back());
  }
  addNode(graph, op, inputs, results, attributes)->set_name("it");
  return model;
}

// A graph in a node: its inputs are floats of no known shape, its outputs are some of them or of
// the values around it.
inline GraphProto graphOf(const Names &inputs, const Names &outputs) {
  GraphProto graph;
  for (const std::string &input : inputs)
    graph.add_input()->set_name(input);
  for (const std::string &output : outputs)
    graph.add_output()->set_name(output);
  return graph;
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_ONNX_MODELBUILDER_H
