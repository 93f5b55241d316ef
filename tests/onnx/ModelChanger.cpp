#include "tests/onnx/ModelChanger.h"

#include "third_party/onnx/onnx.pb.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace keratin;

namespace {

class Changer {
public:
  explicit Changer(uint64_t seed) : random(seed) {}

  std::string changed(const std::string &bytes, const std::string &other) {
    onnx::ModelProto model;
    if (below(4) == 0 || !model.ParseFromString(bytes))
      return changedBytes(bytes);
    onnx::ModelProto from;
    if (from.ParseFromString(other))
      donor = &from;
    for (uint64_t i = 0, count = 1 + below(3); i < count; ++i)
      change(model);
    return model.SerializeAsString();
  }

private:
  uint64_t below(uint64_t end) {
    return std::uniform_int_distribution<uint64_t>(0, end - 1)(random);
  }
  template <typename Field> auto *any(Field *field) {
    return field->empty() ? nullptr : field->Mutable(int(below(uint64_t(field->size()))));
  }

  std::string changedBytes(std::string bytes) {
    for (uint64_t i = 0, count = 1 + below(8); i < count && !bytes.empty(); ++i) {
      const size_t at = below(bytes.size());
      switch (below(4)) {
      case 0:
        bytes.erase(at, 1 + below(8));
        break;
      case 1:
        bytes.insert(at, 1 + below(8), char(below(256)));
        break;
      default:
        bytes[at] = char(below(256));
      }
    }
    return bytes;
  }

  int64_t number() {
    static constexpr int64_t numbers[] = {-1,
                                          0,
                                          1,
                                          2,
                                          3,
                                          4,
                                          5,
                                          7,
                                          16,
                                          100,
                                          1000,
                                          -2,
                                          -5,
                                          -100,
                                          65536,
                                          1 << 30,
                                          (int64_t(1) << 31) - 1,
                                          int64_t(1) << 31,
                                          -(int64_t(1) << 31),
                                          int64_t(1) << 32,
                                          int64_t(1) << 40,
                                          int64_t(1) << 62,
                                          INT64_MAX,
                                          INT64_MIN,
                                          -INT64_MAX};
    return numbers[below(std::size(numbers))];
  }
  int64_t smallNumber() { return int64_t(below(6)) - 1; }
  int elementType() { return int(below(17)); }

  void changeAttribute(onnx::AttributeProto &attribute) {
    if (attribute.ints_size() && below(4)) {
      if (below(3) == 0)
        attribute.add_ints(number());
      else if (below(4) == 0)
        attribute.mutable_ints()->RemoveLast();
      else
        attribute.set_ints(int(below(uint64_t(attribute.ints_size()))), number());
    } else if (attribute.type() == onnx::AttributeProto::INT) {
      attribute.set_i(number());
    } else if (attribute.type() == onnx::AttributeProto::FLOAT) {
      static constexpr float numbers[] = {0, -1, 1e30f, -1e30f, 1e-30f, INFINITY, NAN};
      attribute.set_f(numbers[below(std::size(numbers))]);
    } else if (attribute.has_g()) {
      changeGraph(*attribute.mutable_g());
    } else if (attribute.has_t()) {
      changeTensor(*attribute.mutable_t());
    } else if (attribute.floats_size()) {
      attribute.set_floats(int(below(uint64_t(attribute.floats_size()))), float(number()));
    } else {
      attribute.set_s(changedBytes(attribute.s() + "x"));
    }
  }

  void changeTensor(onnx::TensorProto &tensor) {
    switch (below(5)) {
    case 0:
      if (tensor.dims_size())
        tensor.set_dims(int(below(uint64_t(tensor.dims_size()))), number());
      break;
    case 1:
      tensor.add_dims(below(2) ? 1 : number());
      break;
    case 2:
      tensor.set_data_type(elementType());
      break;
    case 3:
      setNumbers(tensor, below(2));
      break;
    default:
      if (tensor.has_raw_data())
        tensor.set_raw_data(changedBytes(tensor.raw_data()));
      else if (tensor.int64_data_size())
        tensor.set_int64_data(int(below(uint64_t(tensor.int64_data_size()))), number());
    }
  }

  // A vector, or a scalar.
  void setNumbers(onnx::TensorProto &tensor, bool isFloat) {
    const std::string name = tensor.name();
    tensor.Clear();
    tensor.set_name(name);
    tensor.set_data_type(isFloat ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
    const uint64_t count = below(6);
    if (count || below(2))
      tensor.add_dims(int64_t(count));
    for (uint64_t i = 0; i < std::max<uint64_t>(count, tensor.dims_size() ? 0 : 1); ++i) {
      const int64_t value = below(2) ? number() : smallNumber();
      if (isFloat)
        tensor.add_float_data(float(value));
      else
        tensor.add_int64_data(value);
    }
  }

  void changeInput(onnx::ValueInfoProto &input) {
    auto *type = input.mutable_type()->mutable_tensor_type();
    auto *shape = type->mutable_shape();
    switch (below(6)) {
    case 0:
      type->set_elem_type(elementType());
      break;
    case 1:
      shape->add_dim()->set_dim_value(number());
      break;
    case 2:
      if (shape->dim_size())
        shape->mutable_dim()->RemoveLast();
      break;
    case 3:
      if (auto *dim = any(shape->mutable_dim()))
        dim->Clear();
      break;
    case 4:
      if (auto *dim = any(shape->mutable_dim()))
        dim->set_dim_param(below(2) ? "N" : changedBytes("batch"));
      break;
    default:
      if (auto *dim = any(shape->mutable_dim()))
        dim->set_dim_value(below(2) ? number() : smallNumber());
    }
  }

  void changeNode(onnx::NodeProto &node, onnx::GraphProto &graph) {
    switch (below(8)) {
    case 0:
    case 1:
      if (auto *attribute = any(node.mutable_attribute()))
        changeAttribute(*attribute);
      break;
    case 2: // an op of another model on these inputs
      if (donor && donor->graph().node_size()) {
        const onnx::NodeProto &other = donor->graph().node(0);
        node.set_op_type(other.op_type());
        if (below(2))
          *node.mutable_attribute() = other.attribute();
      }
      break;
    case 3:
      if (node.input_size())
        node.mutable_input()->RemoveLast();
      break;
    case 4:
      if (node.input_size())
        node.add_input(node.input(int(below(uint64_t(node.input_size())))));
      break;
    case 5:
      if (auto *input = any(node.mutable_input()); input && below(2))
        input->clear();
      else if (node.input_size())
        *any(node.mutable_input()) = node.input(0);
      break;
    case 6:
      node.add_output("more" + std::to_string(below(1000)));
      break;
    default: // an input is known
      if (node.input_size()) {
        onnx::TensorProto &tensor = *graph.add_initializer();
        tensor.set_name("known" + std::to_string(below(1000)));
        setNumbers(tensor, below(4) == 0);
        *any(node.mutable_input()) = tensor.name();
      }
    }
  }

  void changeGraph(onnx::GraphProto &graph) {
    switch (below(8)) {
    case 0:
    case 1:
      if (auto *input = any(graph.mutable_input()))
        changeInput(*input);
      break;
    case 2:
      if (auto *tensor = any(graph.mutable_initializer()))
        changeTensor(*tensor);
      break;
    default:
      if (onnx::NodeProto *node = any(graph.mutable_node()))
        changeNode(*node, graph);
    }
  }

  void change(onnx::ModelProto &model) {
    if (below(12) == 0 && model.opset_import_size())
      model.mutable_opset_import(0)->set_version(below(8) ? int64_t(5 + below(19)) : number());
    else
      changeGraph(*model.mutable_graph());
  }

  std::mt19937_64 random;
  const onnx::ModelProto *donor = nullptr;
};

} // namespace

std::string tests::changedModel(const std::string &model, const std::string &other, uint64_t seed) {
  return Changer(seed).changed(model, other);
}
