// Ops of ONNX in forms that ONNX's own tests have not, with sizes that are known and that are not.
#include "keratin/backend.h"
#include "keratin/onnx.h"
#include "tests/onnx/ModelBuilder.h"
#include "tests/support/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>

using namespace keratin::tests;
using keratin::Array;
using keratin::DType;
using keratin::OnnxModel;
using keratin::Results;
namespace K = keratin::backend;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

OnnxModel load(const ModelProto &model) {
  return K::load_onnx(TemporaryFolder().write("net.onnx", model.SerializeAsString()));
}

// An input, and how many of its last sizes are known all the same.
struct Given {
  Array value;
  int lastKnown = 0;
};

int typeOf(const Array &array) {
  switch (array.dtype()) {
  case DType::Int64:
    return TensorProto::INT64;
  case DType::Int32:
    return TensorProto::INT32;
  case DType::Int8:
    return TensorProto::INT8;
  case DType::UInt8:
    return TensorProto::UINT8;
  case DType::UInt16:
    return TensorProto::UINT16;
  case DType::Bool:
    return TensorProto::BOOL;
  case DType::Float64:
    return TensorProto::DOUBLE;
  default:
    return TensorProto::FLOAT;
  }
}

// A model of one op whose inputs have the sizes of the values, or where it is open unknown ones.
OnnxModel loadOp(const std::string &op, int64_t opset, const std::vector<Given> &inputs,
                 const Attributes &attributes, int outputs, bool isOpen) {
  std::vector<Argument> arguments;
  for (const Given &input : inputs) {
    Dims dims = input.value.shape();
    for (size_t i = 0; isOpen && i + size_t(input.lastKnown) < dims.size(); ++i)
      dims[i] = -1;
    arguments.push_back(fed(dims, typeOf(input.value)));
  }
  return load(modelOf(op, opset, arguments, attributes, outputs));
}

void agree(const Array &found, const Array &expected) {
  CHECK(found.dtype() == expected.dtype());
  REQUIRE(found.shape() == expected.shape());
  for (int64_t i = 0; i < expected.size(); ++i)
    CHECK(found.item<double>(i) == Approx(expected.item<double>(i)).margin(1e-6));
}

void gives(const std::vector<Array> &expected, const std::string &op, int64_t opset,
           const std::vector<Given> &inputs, const Attributes &attributes = {}) {
  std::vector<Array> values;
  for (const Given &input : inputs)
    values.push_back(input.value);
  for (bool isOpen : {false, true}) {
    INFO(op << (isOpen ? " of unknown sizes" : ""));
    const Results found =
        loadOp(op, opset, inputs, attributes, int(expected.size()), isOpen).function(values);
    for (size_t i = 0; i < expected.size(); ++i)
      agree(found[i], expected[i]);
  }
}

// Of the sum of the squares of the output with respect to the input of this number.
void hasGradient(const Array &expected, size_t input, const std::string &op, int64_t opset,
                 const std::vector<Given> &inputs, const Attributes &attributes = {}) {
  std::vector<Array> values;
  for (const Given &each : inputs)
    values.push_back(each.value);
  for (bool isOpen : {false, true}) {
    INFO(op << (isOpen ? " of unknown sizes" : ""));
    const OnnxModel model = loadOp(op, opset, inputs, attributes, 1, isOpen);
    const keratin::Tensor loss = K::sum(K::square(model.function.outputs()[0]));
    const auto gradients = K::gradients(loss, {model.function.inputs()[input]});
    agree(K::function(model.function.inputs(), {gradients[0]})(values)[0], expected);
  }
}

std::string text(const char *word) { return word; }

} // namespace

TEST_CASE("Elements of ONNX are combined where several have one place", "[onnx]") {
  const std::vector<Given> inputs{{Array(Floats{2, 3, 4, 5})},
                                  {Array(std::vector<int64_t>{1, 3, 1, -1, 1})},
                                  {Array(Floats{5, -6, 7, 1, 2})}};
  auto with = [](const char *reduction) { return Attributes{{"reduction", text(reduction)}}; };
  gives({Array(Floats{2, 210, 4, -30})}, "ScatterElements", 18, inputs, with("mul"));
  gives({Array(Floats{2, 7, 4, 5})}, "ScatterElements", 18, inputs, with("max"));
  gives({Array(Floats{2, 2, 4, -6})}, "ScatterElements", 18, inputs, with("min"));
  // The largest alone; a product the others'.
  hasGradient(Array(Floats{0, 0, 14, 0, 0}), 2, "ScatterElements", 18, inputs, with("max"));
  hasGradient(Array(Floats{17640, -300, 12600, 1800, 44100}), 2, "ScatterElements", 18, inputs,
              with("mul"));
}

TEST_CASE("Rows of ONNX are combined where several have one place", "[onnx]") {
  const Array x(std::vector<int64_t>{1, 2, 3, 4, 5, 6}, {3, 2}),
      indices(std::vector<int64_t>{2, 0, 2}, {3, 1}),
      updates(std::vector<int64_t>{7, 1, 0, 9, 6, 8}, {3, 2});
  gives({Array(std::vector<int64_t>{1, 9, 3, 4, 7, 8}, {3, 2})}, "ScatterND", 18,
        {{x}, {indices, 1}, {updates}}, {{"reduction", text("max")}});
}

TEST_CASE("Places between elements of ONNX have any number of axes", "[onnx]") {
  // Along one axis: the middle, a quarter before the end, and what is outside by half an element.
  const Given x{Array(Floats{1, 3, 5, 9}, {1, 1, 4})}, grid{Array(Floats{0, 0.5, 1}, {1, 3, 1}), 1};
  gives({Array(Floats{4, 7, 4.5}, {1, 1, 3})}, "GridSample", 20, {x, grid});
  gives({Array(Floats{4, 7, 9}, {1, 1, 3})}, "GridSample", 20, {x, grid},
        {{"padding_mode", text("border")}});
  hasGradient(Array(Floats{0, 4, 11, 11.5}, {1, 1, 4}), 0, "GridSample", 20, {x, grid});
}

TEST_CASE("Integers of ONNX are multiplied less their zero points", "[onnx]") {
  using Bytes = std::vector<uint8_t>;
  using SignedBytes = std::vector<int8_t>;
  using Ints = std::vector<int32_t>;
  const Given x{Array(Bytes{1, 2, 250, 4}, {2, 2})}, w{Array(SignedBytes{-128, 5, 7, 2}, {2, 2})};
  // One a row and one a column; of vectors one.
  const Given ofRows{Array(Bytes{1, 3}, {2})}, ofColumns{Array(SignedBytes{-1, 2}, {2})};
  gives({Array(Ints{8, 0, -31361, 741}, {2, 2})}, "MatMulInteger", 10, {x, w, ofRows, ofColumns});
  gives({Array(Ints{8, 0}, {2})}, "MatMulInteger", 10,
        {{Array(Bytes{1, 2}, {2})}, w, {Array(Bytes{1}, {})}, ofColumns});
  gives({Array(Ints{8, -31361}, {2})}, "MatMulInteger", 10,
        {x, {Array(SignedBytes{-128, 7}, {2})}, ofRows, {Array(SignedBytes{-1}, {})}});
}

TEST_CASE("Convolutions of integers of ONNX take zero points off, also of the padding", "[onnx]") {
  using Bytes = std::vector<uint8_t>;
  using SignedBytes = std::vector<int8_t>;
  using Ints = std::vector<int32_t>;
  const Given x{Array(Bytes{0, 255, 3, 4, 5, 6, 7, 8}, {1, 2, 1, 4})},
      w{Array(SignedBytes{1, -2, -128, 127, 3, 0, 5, 1}, {2, 2, 1, 2}), 4};
  const Attributes padded{{"pads", Dims{0, 1, 0, 0}}};
  gives({Array(Ints{635, -388, 370, 115, 5, 31, 802, 52}, {1, 2, 1, 4})}, "ConvInteger", 10, {x, w},
        padded);
  const Given zero{Array(uint8_t(2))}, ofOutputs{Array(SignedBytes{-1, 3}), 1};
  gives({Array(Ints{385, -384, 374, 119, 3, 13, 784, 34}, {1, 2, 1, 4})}, "ConvInteger", 10,
        {x, w, zero}, padded);
  gives({Array(Ints{386, -126, 637, 133, 0, -761, -5, -8}, {1, 2, 1, 4})}, "ConvInteger", 10,
        {x, w, zero, ofOutputs}, padded);
  // A group each, and one place.
  gives({Array(Ints{4, -508, 251, -3, 381, 124, 123, 122}, {1, 2, 1, 4})}, "ConvInteger", 10,
        {x, {Array(SignedBytes{1, -2, -128, 127}, {2, 1, 1, 2}), 4}, zero},
        {{"pads", Dims{0, 1, 0, 0}}, {"group", 2}});
  gives({Array(Ints{211, 1987, 214, 212, -13169, 12334, -12863, -12760}, {1, 2, 1, 4})},
        "ConvInteger", 10,
        {x, {Array(SignedBytes{7, -9, 100, 3}, {2, 2, 1, 1}), 4}, {Array(uint8_t(128))}});
}

TEST_CASE("Integers of ONNX have 4 or 2 bits", "[onnx]") {
  // The first in the lowest bits; of the last byte not all.
  const std::string bytes("\x8f\x37", 2);
  auto values = [&](int type, const Dims &dims, bool isRaw) {
    ModelProto model = emptyModel(21);
    TensorProto w = tensorProto("w", dims, isRaw ? Dims{} : Dims{0x8f, 0x37}, type);
    if (isRaw)
      w.set_raw_data(bytes);
    *model.mutable_graph()->add_initializer() = w;
    addNode(*model.mutable_graph(), "Transpose", {"w"}, {"t"});
    addNode(*model.mutable_graph(), "Cast", {"t"}, {"y"}, {{"to", int(TensorProto::FLOAT)}});
    model.mutable_graph()->add_output()->set_name("y");
    return load(model).function(std::vector<Array>{})[0];
  };
  for (bool isRaw : {false, true}) {
    agree(values(TensorProto::INT4, {3}, isRaw), Array(Floats{-1, -8, 7}));
    agree(values(TensorProto::UINT4, {2, 2}, isRaw), Array(Floats{15, 7, 8, 3}, {2, 2}));
    agree(values(TensorProto::INT2, {7}, isRaw), Array(Floats{-1, -1, 0, -2, -1, 1, -1}));
    agree(values(TensorProto::UINT2, {8}, isRaw), Array(Floats{3, 3, 0, 2, 3, 1, 3, 0}));
  }
}

TEST_CASE("What integers of 4 or 2 bits have not of a number of ONNX are its high bits", "[onnx]") {
  using Ints = std::vector<int32_t>;
  using Bytes = std::vector<uint8_t>;
  using SignedBytes = std::vector<int8_t>;
  auto to = [](int type) { return Attributes{{"to", type}}; };
  const Given ints{Array(Ints{200, -9, 7, 8})}, floats{Array(Floats{2.7f, -2.7f, -9, 1e9f})};
  gives({Array(SignedBytes{-8, 7, 7, -8})}, "Cast", 21, {ints}, to(TensorProto::INT4));
  gives({Array(Bytes{8, 7, 7, 8})}, "Cast", 21, {ints}, to(TensorProto::UINT4));
  gives({Array(SignedBytes{0, -1, -1, 0})}, "Cast", 25, {ints}, to(TensorProto::INT2));
  gives({Array(Bytes{0, 3, 3, 0})}, "Cast", 25, {ints}, to(TensorProto::UINT2));
  gives({Array(SignedBytes{2, -2, 7, 0})}, "Cast", 21, {floats}, to(TensorProto::INT4));
  // An input is a byte an element, whose high bits do not count.
  const OnnxModel model =
      load(modelOf("Cast", 21, {fed({3}, TensorProto::INT4)}, to(TensorProto::FLOAT)));
  agree(model.function({Array(SignedBytes{0x1f, 7, -8})})[0], Array(Floats{-1, 7, -8}));
}

TEST_CASE("Numbers of ONNX are quantised to 4 bits", "[onnx]") {
  using Bytes = std::vector<uint8_t>;
  using SignedBytes = std::vector<int8_t>;
  const Array x(Floats{-100, -1, 0, 1.4f, 100});
  gives({Array(Bytes{0, 0, 0, 3, 15})}, "QuantizeLinear", 21, {{x}, {Array(0.5f)}},
        {{"output_dtype", int(TensorProto::UINT4)}});
  // The zero point says to what, moved or not.
  ModelProto model = emptyModel(21);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {5});
  *graph.add_initializer() = tensorProto("scale", {}, {1}, TensorProto::FLOAT);
  *graph.add_initializer() = tensorProto("point", {1}, {0x0f}, TensorProto::INT4);
  *graph.add_initializer() = tensorProto("none", {0}, {});
  addNode(graph, "Reshape", {"point", "none"}, {"scalar"});
  addNode(graph, "QuantizeLinear", {"x", "scale", "scalar"}, {"y"});
  graph.add_output()->set_name("y");
  agree(load(model).function({x})[0], Array(SignedBytes{-8, -2, -1, 0, 7}));
}

TEST_CASE("Scales of ONNX are those of blocks", "[onnx]") {
  using SignedBytes = std::vector<int8_t>;
  // Blocks of two along a row, the last is short.
  const Given x{Array(SignedBytes{1, 2, 3, 4, 5, -6, 7, -8, 9, 10}, {2, 5})},
      scales{Array(Floats{1, 10, 100, 2, 20, 200}, {2, 3})},
      points{Array(SignedBytes{0, 1, 2, 3, 4, 5}, {2, 3})};
  const Attributes byTwo{{"axis", 1}, {"block_size", 2}};
  const Array y(Floats{1, 2, 20, 30, 300, -18, 8, -240, 100, 1000}, {2, 5});
  gives({y}, "DequantizeLinear", 21, {x, scales, points}, byTwo);
  gives({Array(x.value)}, "QuantizeLinear", 21, {{y}, scales, points}, byTwo);
  // The same of two, which are all whole.
  const Given four{Array(SignedBytes{1, 2, 3, 4, -6, 7, -8, 9}, {2, 4})},
      ofTwo{Array(Floats{1, 10, 2, 20}, {2, 2})}, zeros{Array(SignedBytes{0, 1, 3, 4}, {2, 2})};
  const Array whole(Floats{1, 2, 20, 30, -18, 8, -240, 100}, {2, 4});
  gives({whole}, "DequantizeLinear", 21, {four, ofTwo, zeros}, byTwo);
  gives({Array(four.value)}, "QuantizeLinear", 21, {{whole}, ofTwo, zeros}, byTwo);
  // Along columns, and as many as there are.
  gives({Array(Floats{1, 2, 3, 4, 5, -6, 7, -8, 9, 10}, {2, 5})}, "DequantizeLinear", 21,
        {x, {Array(Floats{1, 1, 1, 1, 1}, {1, 5})}}, {{"axis", 0}, {"block_size", 2}});
  gives({Array(Floats{2, 4, 3}, {3})}, "DequantizeLinear", 21,
        {{Array(SignedBytes{1, 2, 3})}, {Array(Floats{2, 1}, {2})}}, {{"block_size", 2}});
}

TEST_CASE("Weights of ONNX in integers are widened once", "[onnx]") {
  // Too many to be folded when the function is compiled.
  constexpr int64_t rows = 512, columns = 1024, block = 32;
  ModelProto model = emptyModel(21);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {-1, rows});
  TensorProto w = tensorProto("w", {rows, columns}, {}, TensorProto::INT4);
  w.set_raw_data(std::string(rows * columns / 2, '\x2e')); // -2, 2, -2, …
  *graph.add_initializer() = w;
  TensorProto scale = tensorProto("scale", {rows / block, columns}, {}, TensorProto::FLOAT);
  for (int64_t i = 0; i < rows / block * columns; ++i)
    scale.add_float_data(i < columns ? 3 : 1);
  *graph.add_initializer() = scale;
  addNode(graph, "DequantizeLinear", {"w", "scale"}, {"wide"},
          {{"axis", 0}, {"block_size", int(block)}});
  addNode(graph, "MatMul", {"x", "wide"}, {"y"});
  graph.add_output()->set_name("y");
  const OnnxModel loaded = load(model);
  const Array x(Floats(rows, 1), {1, rows});
  for (int call = 0; call < 2; ++call) {
    const Array y = loaded.function({x})[0];
    CHECK(y.item<float>(0) == -2 * float(rows + 2 * block));
    CHECK(y.item<float>(columns - 1) == 2 * float(rows + 2 * block));
  }
  CHECK_THAT(loaded.function.memoryPlan(), Catch::Contains("prepared"));
}

TEST_CASE("Numbers of ONNX are quantised in a precision", "[onnx]") {
  using Shorts = std::vector<uint16_t>;
  // 1 / 3 of float16 is 0.33325; the zero point has more bits than that.
  const Given x{Array(Floats{1, 2048, -1e9f})}, scale{Array(3.0f)}, point{Array(Shorts{32769}, {})};
  gives({Array(Shorts{32769, 33452, 0})}, "QuantizeLinear", 23, {x, scale, point});
  gives({Array(Shorts{32769, 33451, 0})}, "QuantizeLinear", 23, {x, {Array(3.001f)}, point},
        {{"precision", int(TensorProto::FLOAT)}});
  // Numbers of the scale's dtype unless it is another's.
  gives({Array(Doubles{0.5, 1})}, "DequantizeLinear", 23,
        {{Array(std::vector<int8_t>{1, 2})}, {Array(0.5f)}},
        {{"output_dtype", int(TensorProto::DOUBLE)}});
  gives({Array(Floats{65535})}, "DequantizeLinear", 23,
        {{Array(Shorts{65535}, {1})}, {Array(1.0f)}});
}

TEST_CASE("Determinants of ONNX, of rows in any order, and of none", "[onnx]") {
  const Array x(Doubles{0, 2, 0, 0, 0, 3, 4, 0, 0, 1, 2, 3, 2, 4, 6, 1, 1, 1}, {2, 3, 3});
  gives({Array(Doubles{24, 0})}, "Det", 11, {{x}});
  const Array two(Doubles{1, 2, 3, 5}, {2, 2});
  gives({Array(Doubles{-1}, {})}, "Det", 11, {{two}});
  hasGradient(Array(Doubles{-10, 6, 4, -2}, {2, 2}), 0, "Det", 11, {{two}});
}

TEST_CASE("Elements of ONNX go back to where the largest were", "[onnx]") {
  const Given x{Array(Floats{5, 7}, {1, 1, 2})},
      places{Array(std::vector<int64_t>{1, 2}, {1, 1, 2})};
  const Attributes windows{{"kernel_shape", Dims{2}}, {"strides", Dims{2}}};
  gives({Array(Floats{0, 5, 7, 0}, {1, 1, 4})}, "MaxUnpool", 11, {x, places}, windows);
  hasGradient(Array(Floats{10, 14}, {1, 1, 2}), 0, "MaxUnpool", 11, {x, places}, windows);
}

TEST_CASE("Regions of ONNX have as many samples as they are large", "[onnx]") {
  // The whole image, and a region of half an element, of two images.
  const Given x{Array(Floats{1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 2, 2})},
      regions{Array(Floats{0, 0, 2, 2, 0.5, 0.5, 1, 1}, {2, 4}), 1},
      images{Array(std::vector<int64_t>{0, 1}, {2})};
  gives({Array(Floats{2.5, 5.75}, {2, 1, 1, 1})}, "RoiAlign", 16, {x, regions, images});
  hasGradient(
      Array(Floats{1.25, 1.25, 1.25, 1.25, 6.46875, 2.15625, 2.15625, 0.71875}, {2, 1, 2, 2}), 0,
      "RoiAlign", 16, {x, regions, images});
  // The largest of what each corner gives.
  gives({Array(Floats{4, 2.8125}, {2, 1, 1, 1})}, "RoiAlign", 16, {x, regions, images},
        {{"mode", text("max")}});
}

TEST_CASE("Elements of ONNX that are there once, NaN among them", "[onnx]") {
  using Indices = std::vector<int64_t>;
  const float nan = std::nanf("");
  const Array x(Floats{3, nan, 1, nan, 3, 1, 2});
  auto of = [&](const Floats &y, const Indices &first, const Indices &inverse,
                const Indices &counts, int isSorted) {
    const Results found =
        loadOp("Unique", 11, {{x}}, {{"sorted", isSorted}}, 4, /*isOpen=*/true).function({x});
    CHECK(std::isnan(found[0].item<float>(isSorted ? 3 : 1)));
    for (int64_t i = 0; i < 4; ++i)
      CHECK((y[size_t(i)] == 0 || y[size_t(i)] == found[0].item<float>(i)));
    agree(found[1], Array(first));
    agree(found[2], Array(inverse));
    agree(found[3], Array(counts));
  };
  of({1, 2, 3, 0}, {2, 6, 0, 1}, {2, 3, 0, 3, 2, 0, 1}, {2, 1, 2, 2}, 1);
  of({3, 0, 1, 2}, {0, 1, 2, 6}, {0, 1, 2, 1, 0, 2, 3}, {2, 2, 2, 1}, 0);
}

TEST_CASE("Boxes of ONNX without a limit to their scores", "[onnx]") {
  // Of equal scores the first; the second overlaps it by a half.
  const Given boxes{Array(Floats{0, 0, 1, 1, 0, 0, 1, 2, 0, 3, 1, 4}, {1, 3, 4})},
      scores{Array(Floats{5, 5, -7}, {1, 1, 3})}, two{Array(std::vector<int64_t>{2})};
  gives({Array(std::vector<int64_t>{0, 0, 0, 0, 0, 2}, {2, 3})}, "NonMaxSuppression", 11,
        {boxes, scores, two, {Array(Floats{0.4f})}});
  gives({Array(std::vector<int64_t>{0, 0, 0, 0, 0, 1}, {2, 3})}, "NonMaxSuppression", 11,
        {boxes, scores, two, {Array(Floats{0.5f})}});
  // None are asked for.
  gives({Array(std::vector<int64_t>{}, {0, 3})}, "NonMaxSuppression", 11, {boxes, scores});
}

TEST_CASE("A loop of ONNX stacks until its condition is false", "[onnx]") {
  // y doubles as long as it is below the limit, 20 times at most; all are stacked.
  GraphProto body = graphOf({"n", "go", "y"}, {"on", "z", "z"});
  addNode(body, "Add", {"y", "y"}, {"z"});
  addNode(body, "Less", {"z", "limit"}, {"on"});
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {});
  addInput(graph, "limit", {});
  *graph.add_initializer() = tensorProto("most", {}, {20});
  addNode(graph, "Loop", {"most", "", "x"}, {"last", "all"}, {{"body", body}});
  for (const char *name : {"last", "all"})
    graph.add_output()->set_name(name);
  const OnnxModel loaded = load(model);
  const Results found = loaded.function({Array(1.5f), Array(20.f)});
  agree(found[0], Array(24.f));
  agree(found[1], Array(Floats{3, 6, 12, 24}));
  CHECK(loaded.function({Array(1.f), Array(1e9f)})[1].shape() == Dims{20});
  // The gradient goes through as many steps: 2 + 4 + 8 + 16.
  const auto gradients =
      K::gradients(K::sum(loaded.function.outputs()[1]), {loaded.function.inputs()[0]});
  agree(K::function(loaded.function.inputs(), {gradients[0]})({Array(1.5f), Array(20.f)})[0],
        Array(30.f));
}

TEST_CASE("Sequences of ONNX become outputs, one for each tensor", "[onnx]") {
  // Parts of two, with the sum of all behind them; then each times its number.
  GraphProto body = graphOf({"n", "go", "s"}, {"go", "t"});
  addNode(body, "SequenceAt", {"parts", "n"}, {"part"});
  addNode(body, "CastLike", {"n", "part"}, {"number"});
  addNode(body, "Mul", {"part", "number"}, {"product"});
  addNode(body, "SequenceInsert", {"s", "product"}, {"t"});
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {5});
  *graph.add_initializer() = tensorProto("two", {}, {2});
  addNode(graph, "SplitToSequence", {"x", "two"}, {"split"});
  addNode(graph, "ReduceSum", {"x"}, {"sum"}, {{"keepdims", 0}});
  addNode(graph, "SequenceInsert", {"split", "sum"}, {"parts"});
  addNode(graph, "SequenceLength", {"parts"}, {"count"});
  addNode(graph, "SequenceEmpty", {}, {"none"});
  addNode(graph, "Loop", {"count", "", "none"}, {"y"}, {{"body", body}});
  graph.add_output()->set_name("y");
  const OnnxModel loaded = load(model);
  CHECK(loaded.function.outputNames() == Names{"y_0", "y_1", "y_2", "y_3"});
  const Results found = loaded.function({Array(Floats{1, 2, 3, 4, 5})});
  agree(found[0], Array(Floats{0, 0}));
  agree(found[1], Array(Floats{3, 4}));
  agree(found[2], Array(Floats{10}));
  agree(found[3], Array(45.f));
}

TEST_CASE("A place in a sequence of ONNX may be one that a call says", "[onnx]") {
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {2});
  addInput(graph, "y", {2});
  addInput(graph, "i", {}, TensorProto::INT64);
  addNode(graph, "SequenceConstruct", {"x", "y"}, {"s"});
  addNode(graph, "SequenceAt", {"s", "i"}, {"z"});
  graph.add_output()->set_name("z");
  const OnnxModel loaded = load(model);
  const Array x(Floats{1, 2}), y(Floats{3, 4});
  for (int64_t i : {0, 1, -1, -2})
    agree(loaded.function({x, y, Array(i)})[0], i == 1 || i == -1 ? y : x);
}

TEST_CASE("Images of ONNX are resized to sizes that only a call knows", "[onnx]") {
  // By a scale, to the size of another tensor, and smoothly where sizes are known.
  ModelProto model = emptyModel(18);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {1, 1, -1});
  addInput(graph, "like", {1, 1, -1});
  *graph.add_initializer() = tensorProto("twice", {3}, {1, 1, 2}, TensorProto::FLOAT);
  addNode(graph, "Resize", {"x", "", "twice"}, {"y"}, {{"mode", text("linear")}});
  addNode(graph, "Shape", {"like"}, {"size"});
  addNode(graph, "Resize", {"x", "", "", "size"}, {"z"},
          {{"coordinate_transformation_mode", text("align_corners")}, {"mode", text("linear")}});
  for (const char *name : {"y", "z"})
    graph.add_output()->set_name(name);
  const OnnxModel loaded = load(model);
  const Results found =
      loaded.function({Array(Floats{1, 5}, {1, 1, 2}), Array(Floats(3), {1, 1, 3})});
  agree(found[0], Array(Floats{1, 2, 4, 5}, {1, 1, 4}));
  agree(found[1], Array(Floats{1, 3, 5}, {1, 1, 3}));
}

TEST_CASE("Images of ONNX are resized to as much as is positive", "[onnx]") {
  ModelProto model = emptyModel(18);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {1, 1, -1});
  *graph.add_initializer() = tensorProto("zero", {}, {0}, TensorProto::FLOAT);
  *graph.add_initializer() = tensorProto("one", {2}, {1, 1});
  *graph.add_initializer() = tensorProto("vector", {1}, {1});
  addNode(graph, "Greater", {"x", "zero"}, {"positive"});
  addNode(graph, "Cast", {"positive"}, {"ones"}, {{"to", TensorProto::INT64}});
  addNode(graph, "ReduceSum", {"ones"}, {"sum"});
  addNode(graph, "Reshape", {"sum", "vector"}, {"count"});
  addNode(graph, "Concat", {"one", "count"}, {"size"}, {{"axis", 0}});
  addNode(graph, "Resize", {"x", "", "", "size"}, {"y"}, {{"mode", text("linear")}});
  graph.add_output()->set_name("y");
  agree(load(model).function({Array(Floats{4, 6, 8, -2}, {1, 1, 4})})[0],
        Array(Floats{4 + 1.0 / 3, 7, -1.0 / 3}, {1, 1, 3}));
}

TEST_CASE("Images of ONNX with many channels are resized as those with one", "[onnx]") {
  Floats elements;
  for (int i = 0; i < 2 * 8 * 3 * 4; ++i)
    elements.push_back(float(i * 37 % 101) / 8);
  for (const char *mode : {"nearest", "linear", "cubic"})
    for (bool isOpen : {false, true}) {
      auto resized = [&](const Dims &shape) {
        ModelProto model = emptyModel(18);
        GraphProto &graph = *model.mutable_graph();
        addInput(graph, "x", isOpen ? Dims{-1, shape[1], -1, -1} : shape);
        *graph.add_initializer() = tensorProto("scales", {4}, {1, 1, 2, 3}, TensorProto::FLOAT);
        addNode(graph, "Resize", {"x", "", "scales"}, {"y"}, {{"mode", text(mode)}});
        graph.add_output()->set_name("y");
        return load(model).function({Array(elements, shape)})[0];
      };
      const Array one = resized({16, 1, 3, 4});
      CHECK(one.shape() == std::vector<int64_t>{16, 1, 6, 12});
      agree(resized({2, 8, 3, 4}), Array(one.toVector<float>(), {2, 8, 6, 12}));
    }
}

TEST_CASE("ONNX keeps sizes where a shape that is joined has zeros", "[onnx]") {
  ModelProto model = emptyModel(18);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {-1, 4, -1});
  addInput(graph, "like", {-1});
  *graph.add_initializer() = tensorProto("zero", {1}, {0});
  *graph.add_initializer() = tensorProto("two", {1}, {2});
  *graph.add_initializer() = tensorProto("open", {1}, {-1});
  addNode(graph, "Shape", {"like"}, {"size"});
  addNode(graph, "Concat", {"zero", "two", "open"}, {"known"}, {{"axis", 0}});
  addNode(graph, "Concat", {"zero", "size", "open"}, {"formula"}, {{"axis", 0}});
  addNode(graph, "Reshape", {"x", "known"}, {"y"});
  addNode(graph, "Reshape", {"x", "formula"}, {"z"});
  for (const char *name : {"y", "z"})
    graph.add_output()->set_name(name);
  const OnnxModel loaded = load(model);
  const Results found = loaded.function({Array(Floats(24), {3, 4, 2}), Array(Floats(4))});
  CHECK(found[0].shape() == std::vector<int64_t>{3, 2, 4});
  CHECK(found[1].shape() == std::vector<int64_t>{3, 4, 2});
}

TEST_CASE("Sizes of ONNX that are divided remain formulas", "[onnx]") {
  // Of integers the quotient is cut off: -1 / 2 is 0.
  ModelProto model = emptyModel(18);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {-1});
  *graph.add_initializer() = tensorProto("one", {1}, {1});
  *graph.add_initializer() = tensorProto("two", {1}, {2});
  addNode(graph, "Shape", {"x"}, {"size"});
  addNode(graph, "Sub", {"size", "one"}, {"less"});
  addNode(graph, "Div", {"less", "two"}, {"half"});
  addNode(graph, "ConstantOfShape", {"half"}, {"y"});
  graph.add_output()->set_name("y");
  const OnnxModel loaded = load(model);
  for (int64_t size : {0, 1, 2, 5})
    agree(loaded.function({Array(Floats(size_t(size)))})[0],
          Array(Floats(size_t(size > 0 ? (size - 1) / 2 : 0))));
  CHECK(loaded.function.kernelCount() == 1); // and none that computes a size
}

TEST_CASE("Images of ONNX become smaller smoothly", "[onnx]") {
  ModelProto model = emptyModel(18);
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "x", {1, 4});
  *graph.add_initializer() = tensorProto("size", {2}, {1, 2});
  addNode(graph, "Resize", {"x", "", "", "size"}, {"y"},
          {{"mode", text("linear")}, {"antialias", 1}});
  graph.add_output()->set_name("y");
  // Weights of 1, 3, 3, 1 eighths; what is outside is as the end.
  agree(load(model).function({Array(Floats{8, 16, 24, 32}, {1, 4})})[0],
        Array(Floats{13, 27}, {1, 2}));
}

TEST_CASE("Grids of ONNX are moved by matrices", "[onnx]") {
  // Turned by a quarter, and twice as wide.
  const Array theta(Floats{0, -1, 0, 2, 0, 0.5}, {1, 2, 3});
  for (bool isOpen : {false, true}) {
    ModelProto model = emptyModel(20);
    GraphProto &graph = *model.mutable_graph();
    addInput(graph, "theta", {1, 2, 3});
    addInput(graph, "like", isOpen ? Dims{1, 1, -1, -1} : Dims{1, 1, 2, 1});
    addNode(graph, "Shape", {"like"}, {"size"});
    addNode(graph, "AffineGrid", {"theta", "size"}, {"y"});
    addNode(graph, "AffineGrid", {"theta", "size"}, {"z"}, {{"align_corners", 1}});
    for (const char *name : {"y", "z"})
      graph.add_output()->set_name(name);
    const Results found = load(model).function({theta, Array(Floats(2), {1, 1, 2, 1})});
    agree(found[0], Array(Floats{0.5, 0.5, -0.5, 0.5}, {1, 2, 1, 2}));
    agree(found[1], Array(Floats{1, 0.5, -1, 0.5}, {1, 2, 1, 2}));
  }
}

TEST_CASE("Tensors of ONNX are cropped and padded around their middles", "[onnx]") {
  for (bool isOpen : {false, true}) {
    ModelProto model = emptyModel(18);
    GraphProto &graph = *model.mutable_graph();
    addInput(graph, "x", isOpen ? Dims{-1, -1} : Dims{2, 4});
    addInput(graph, "like", isOpen ? Dims{-1, -1} : Dims{5, 1});
    addNode(graph, "Shape", {"like"}, {"size"});
    addNode(graph, "CenterCropPad", {"x", "size"}, {"y"});
    graph.add_output()->set_name("y");
    const Array x(Floats{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
    agree(load(model).function({x, Array(Floats(5), {5, 1})})[0],
          Array(Floats{0, 2, 6, 0, 0}, {5, 1}));
  }
}

TEST_CASE("Blocks of ONNX add up to an image", "[onnx]") {
  // Of two rows and a column, one below the other, with a row of padding before.
  for (bool isOpen : {false, true}) {
    ModelProto model = emptyModel(18);
    GraphProto &graph = *model.mutable_graph();
    addInput(graph, "x", isOpen ? Dims{-1, 2, -1} : Dims{1, 2, 3});
    *graph.add_initializer() = tensorProto("image", {2}, {3, 1});
    *graph.add_initializer() = tensorProto("block", {2}, {2, 1});
    addNode(graph, "Col2Im", {"x", "image", "block"}, {"y"}, {{"pads", Dims{1, 0, 0, 0}}});
    graph.add_output()->set_name("y");
    agree(load(model).function({Array(Floats{1, 2, 3, 4, 5, 6}, {1, 2, 3})})[0],
          Array(Floats{6, 8, 6}, {1, 1, 3, 1}));
  }
}

TEST_CASE("Features of ONNX are turned by angles", "[onnx]") {
  // By a quarter, and by none; the last feature stays.
  const Given x{Array(Floats{1, 2, 3, 4, 5, 6}, {1, 1, 2, 3}), 3},
      cosines{Array(Floats{0, 1}, {1, 2, 1}), 2}, sines{Array(Floats{1, 0}, {1, 2, 1}), 2};
  gives({Array(Floats{-2, 1, 3, 4, 5, 6}, {1, 1, 2, 3})}, "RotaryEmbedding", 23,
        {x, cosines, sines}, {{"rotary_embedding_dim", 2}});
  // Of rows that numbers pick: none, then a quarter.
  const Given table{Array(Floats{0, 1}, {2, 1}), 2}, other{Array(Floats{1, 0}, {2, 1}), 2},
      numbers{Array(std::vector<int64_t>{1, 0}, {1, 2})};
  gives({Array(Floats{1, 2, 3, -5, 4, 6}, {1, 1, 2, 3})}, "RotaryEmbedding", 23,
        {x, table, other, numbers}, {{"rotary_embedding_dim", 2}, {"interleaved", 1}});
}

TEST_CASE("Attention of ONNX sees what its mask and the order let it see", "[onnx]") {
  // One head of one feature; scores are 0, so that what is seen counts alike.
  const Given q{Array(Floats{0, 0}, {1, 2, 1}), 1}, v{Array(Floats{2, 4}, {1, 2, 1}), 1};
  const Attributes one{{"q_num_heads", 1}, {"kv_num_heads", 1}},
      causal{{"q_num_heads", 1}, {"kv_num_heads", 1}, {"is_causal", 1}};
  gives({Array(Floats{3, 3}, {1, 2, 1})}, "Attention", 23, {q, q, v}, one);
  gives({Array(Floats{2, 3}, {1, 2, 1})}, "Attention", 23, {q, q, v}, causal);
  // Nothing where nothing is seen.
  const Given mask{Array(std::vector<bool>{false, true, false, false}, {2, 2})};
  gives({Array(Floats{4, 0}, {1, 2, 1})}, "Attention", 23, {q, q, v, mask}, one);
  hasGradient(Array(Floats{0, 8}, {1, 2, 1}), 2, "Attention", 23, {q, q, v, mask}, one);
}

TEST_CASE("Tensors in other files of ONNX stay there, aligned or not", "[onnx]") {
  const TemporaryFolder folder;
  const Floats numbers{1, 2, 3};
  std::string bytes(16, '\x02');
  bytes.append(reinterpret_cast<const char *>(numbers.data()), 12); // at 16
  bytes.append("?");
  bytes.append(reinterpret_cast<const char *>(numbers.data()), 12); // at 29
  folder.write("w.bin", bytes);
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  auto add = [&](const std::string &name, int type, const char *offset) {
    TensorProto &tensor = *graph.add_initializer() = tensorProto(name, {3}, {}, type);
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (const auto &[key, value] : {std::pair{"location", "w.bin"}, std::pair{"offset", offset}}) {
      onnx::StringStringEntryProto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    graph.add_output()->set_name(name);
  };
  add("aligned", TensorProto::FLOAT, "16");
  add("crooked", TensorProto::FLOAT, "29");
  add("flags", TensorProto::BOOL, "0");
  const std::string path = folder.write("net.onnx", model.SerializeAsString());
  for (bool trainable : {false, true}) {
    keratin::OnnxOptions options;
    options.trainable = trainable;
    const OnnxModel loaded = K::load_onnx(path, options);
    if (trainable)
      std::filesystem::remove(folder / "w.bin");
    const Results y = loaded.function({});
    CHECK(y[0].toVector<float>() == numbers);
    CHECK(y[1].toVector<float>() == numbers);
    CHECK(y[2].toVector<bool>() == std::vector<bool>(3, true));
    CHECK(K::eval(loaded.function.outputs()[0] * 2.0).toVector<float>() == Floats{2, 4, 6});
  }
}

// Two numbers, doubled so often.
static ModelProto doubled(int times) {
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  *graph.add_initializer() = tensorProto("t0", {2}, {3, 4}, TensorProto::INT64);
  for (int i = 0; i < times; ++i) {
    const std::string from = "t" + std::to_string(i), to = "t" + std::to_string(i + 1);
    addNode(graph, "Concat", {from, from}, {to}, {{"axis", 0}});
  }
  graph.add_output()->set_name("t" + std::to_string(times));
  return model;
}

TEST_CASE("Integers that are too many for a shape are left to a call", "[onnx]") {
  const Array all = load(doubled(11)).function({})[0];
  CHECK(all.size() == 4096);
  CHECK(all.item<int64_t>(4095) == 4);
  CHECK_THROWS_WITH(load(doubled(62)),
                    Catch::Contains("concatenate: the result's shape (1152921504606846976,) does "
                                    "not fit 64 bits of bytes; at net.onnx: node (Concat):59"));
}
