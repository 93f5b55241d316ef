// K::save_onnx: what a model file has, and that it computes what the function does when it is
// loaded again. tests/onnx/peers.py has ONNX Runtime judge, by hand.
#include "frontend/onnx/ExportRecords.h"
#include "ir/saved/SavedOps.h"
#include "keratin/layers.h"
#include "keratin/onnx.h"
#include "tests/frontend/FrontendTest.h"
#include "tests/onnx/ModelBuilder.h"
#include "tests/support/TemporaryFolder.h"

#include "third_party/onnx/onnx.pb.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
namespace layers = keratin::layers;
using keratin::Function;
using keratin::NotImplementedError;
using keratin::OnnxSaveOptions;
using keratin::RuntimeError;
using keratin::ValueError;

namespace {

// The file that a test writes.
struct Written : keratin::tests::TemporaryFolder {
  std::string file(const std::string &name = "net.onnx") const { return *this / name; }
  onnx::ModelProto model() const {
    std::ifstream in(file(), std::ios::binary);
    onnx::ModelProto parsed;
    REQUIRE(parsed.ParseFromIstream(&in));
    return parsed;
  }
};

std::vector<std::string> typesOf(const onnx::GraphProto &graph) {
  std::vector<std::string> types;
  for (const onnx::NodeProto &node : graph.node())
    types.push_back(node.op_type());
  return types;
}

// The function, and what is loaded of the file that it is written to, give the same.
onnx::ModelProto check(const Function &f, const std::vector<std::vector<Array>> &calls,
                       const OnnxSaveOptions &options = {}, double tolerance = 1e-5) {
  const Written folder;
  K::save_onnx(f, folder.file(), options);
  const Function loaded = K::load_onnx(folder.file()).function;
  for (const std::vector<Array> &inputs : calls) {
    const auto found = loaded(inputs), expected = f(inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO("output " << i);
      checkArray(found[i], expected[i], tolerance);
    }
  }
  return folder.model();
}

// Numbers that differ.
Array numbers(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(float((i * 37 + 11) % 101) / 50 - 1);
  return Array::copyOf(DType::Float32, shape, values.data());
}

} // namespace

TEST_CASE("Each op that a file can have has a record of what it becomes in ONNX", "[onnx]") {
  std::set<std::string> saved, exported;
  for (const keratin::ir::SavedOp &op : keratin::ir::savedOps())
    saved.insert(op.name);
  for (const auto &table : keratin::frontend::onnx_models::allExports())
    for (const auto &record : table.ops)
      CHECK(exported.insert(record.op).second);
  CHECK(saved == exported);
}

TEST_CASE("Models of ONNX keep the names of inputs, outputs, sizes and variables", "[onnx]") {
  Tensor x = K::placeholder({K::Dim("batch"), 3}, None, "float32", false, "x");
  Tensor w = K::variable(numbers({3, 2}), "float32", "w");
  const Function f = K::function({x}, {{"y", K::dot(x, w)}}, {}, "net");
  const onnx::ModelProto model = check(f, {{numbers({4, 3})}, {numbers({1, 3})}});
  const onnx::GraphProto &graph = model.graph();
  CHECK(model.producer_name() == "Keratin");
  CHECK(model.opset_import(0).version() == 18);
  CHECK(graph.name() == "net");
  REQUIRE(graph.input_size() == 1);
  CHECK(graph.input(0).name() == "x");
  CHECK(graph.input(0).type().tensor_type().shape().dim(0).dim_param() == "batch");
  CHECK(graph.input(0).type().tensor_type().shape().dim(1).dim_value() == 3);
  REQUIRE(graph.output_size() == 1);
  CHECK(graph.output(0).name() == "y");
  REQUIRE(graph.initializer_size() == 1);
  CHECK(graph.initializer(0).name() == "w");
  CHECK(typesOf(graph) == std::vector<std::string>{"MatMul"});
  CHECK(has(graph.node(0).doc_string(), "ExportTest.cpp:"));
}

TEST_CASE("What is repeated only for an op stays small", "[onnx]") {
  Tensor x = K::placeholder({None, 4});
  const Function f = K::function({x}, {K::softmax(x * 2.0 + K::constant({1, 2, 3, 4}))});
  const onnx::ModelProto model = check(f, {{numbers({3, 4})}});
  const std::vector<std::string> types = typesOf(model.graph());
  CHECK(std::count(types.begin(), types.end(), "Expand") == 0);
}

TEST_CASE("Transposes in a row are one in ONNX, or none", "[onnx]") {
  Tensor x = K::placeholder({None, 4, 5, 2});
  Tensor y = K::permute_dimensions(K::permute_dimensions(x, {0, 3, 1, 2}), {0, 2, 3, 1});
  Tensor z = K::permute_dimensions(K::permute_dimensions(x, {3, 0, 1, 2}), {1, 0, 3, 2});
  const onnx::ModelProto model =
      check(K::function({x}, {y * 2.0, z * 2.0}), {{numbers({3, 4, 5, 2})}});
  CHECK(typesOf(model.graph()) == std::vector<std::string>{"Mul", "Mul", "Transpose"});
}

TEST_CASE("Images stay as convolutions make them until the next one", "[onnx]") {
  Tensor x = K::placeholder({None, 8, 8, 3}), y = x;
  for (int64_t channels : {3, 4, 4})
    y = K::relu(K::bias_add(K::conv2d(y, K::variable(numbers({3, 3, channels, 4}))),
                            K::variable(numbers({4}))));
  const onnx::ModelProto model = check(K::function({x}, {y}), {{numbers({2, 8, 8, 3})}});
  const std::vector<std::string> types = typesOf(model.graph());
  // Of the image, three filters, three biases, and the result.
  CHECK(std::count(types.begin(), types.end(), "Transpose") == 8);
}

TEST_CASE("A step of training is a model whose updates are outputs", "[onnx]") {
  Tensor x = K::placeholder({None, 3}, None, "float32", false, "x");
  Tensor w = K::variable(numbers({3, 2}), "float32", "weights");
  Tensor loss = K::mean(K::square(K::tanh(K::dot(x, w))));
  Tensor gradient = K::gradients(loss, {w})[0];
  const Function f = K::function({x}, {{"loss", loss}}, {K::update(w, w - gradient * 0.5)}, "step");
  const Written folder;
  K::save_onnx(f, folder.file());
  const onnx::GraphProto graph = folder.model().graph();
  REQUIRE(graph.output_size() == 2);
  CHECK(graph.output(1).name() == "weights_updated");
  // It may be fed, and need not be.
  REQUIRE(graph.input_size() == 2);
  CHECK(graph.input(1).name() == "weights");
  const Function loaded = K::load_onnx(folder.file()).function;
  const auto found = loaded({numbers({5, 3})});
  const auto expected = f({numbers({5, 3})});
  checkArray(found[0], expected[0], 1e-6);
  checkArray(found[1], K::get_value(w), 1e-6);

  const std::string message =
      errorOf<NotImplementedError>([&] { K::save_onnx(f, folder.file(), {.updates = false}); });
  CHECK(has(message, "save_onnx: not implemented: an update, of variable 'weights', without "
                     "updates as outputs"));
}

TEST_CASE("Convolutions and pooling of images of any size are models of ONNX", "[onnx]") {
  Tensor image = K::placeholder({None, None, None, 3});
  Tensor kernel = K::variable(numbers({3, 3, 3, 4})),
         depthwise = K::variable(numbers({3, 3, 4, 2}));
  for (const char *padding : {"valid", "same"})
    for (int64_t stride : {1, 2}) {
      INFO(padding << ", stride " << stride);
      Tensor y = K::conv2d(image, kernel, {stride, stride}, padding);
      Tensor z = K::depthwise_conv2d(y, depthwise, {1, 1}, padding);
      Tensor p = K::pool2d(y, {2, 2}, {stride, stride}, padding, None, "max");
      Tensor q = K::pool2d(y, {2, 2}, {stride, stride}, padding, None, "avg");
      check(K::function({image}, {y, z, p, q}),
            {{numbers({2, 11, 12, 3})}, {numbers({1, 16, 13, 3})}});
    }
  Tensor back = K::conv2d_transpose(image, K::variable(numbers({3, 3, 4, 3})),
                                    {K::shape(image)[0], 12, 12, 4}, {2, 2}, "same");
  check(K::function({image}, {back}), {{numbers({2, 6, 6, 3})}});
}

TEST_CASE("Convolutions of integers are models of ONNX", "[onnx]") {
  using namespace keratin::tests;
  const Written folder;
  auto bytes = [](const std::vector<int64_t> &shape, DType dtype) {
    const Array given = numbers(shape);
    std::vector<int32_t> all;
    for (int64_t i = 0; i < given.size(); ++i)
      all.push_back(int32_t(given.item<float>(i) * 200));
    return Array(all, shape).astype(dtype);
  };
  const std::vector<Array> inputs{bytes({2, 3, 6, 7}, DType::UInt8),
                                  bytes({5, 3, 3, 2}, DType::Int8), Array(uint8_t(200))};
  const Attributes attributes{{"pads", Dims{1, 0, 2, 1}}, {"strides", Dims{2, 1}}};
  auto written = [&](const std::vector<Argument> &arguments) {
    const onnx::ModelProto model = modelOf("ConvInteger", 17, arguments, attributes);
    const Function f = K::load_onnx(folder.write("given.onnx", model.SerializeAsString())).function;
    std::vector<Array> values(inputs.begin(), inputs.begin() + int64_t(arguments.size()));
    return typesOf(check(f, {values}).graph());
  };
  const Argument x = fed({2, 3, 6, -1}, TensorProto::UINT8),
                 w = fed({5, 3, 3, 2}, TensorProto::INT8);
  // Less a zero point they have 9 bits, and the padding is none.
  CHECK(written({x, w}) == std::vector<std::string>{"ConvInteger"});
  const std::vector<std::string> centred = written({x, w, fed({}, TensorProto::UINT8)});
  CHECK(std::count(centred.begin(), centred.end(), "Conv") == 1);
}

TEST_CASE("The largest of windows of integers is that of float64", "[onnx]") {
  using namespace keratin::tests;
  const Written folder;
  for (const Dims &pads : {Dims{0, 0}, Dims{3, 2}}) {
    const std::string path =
        folder.write("given.onnx", modelOf("MaxPool", 17, {fed({1, 1, -1}, TensorProto::INT32)},
                                           {{"kernel_shape", Dims{2}}, {"pads", pads}})
                                       .SerializeAsString());
    const Array x(std::vector<int32_t>{INT32_MAX, INT32_MAX - 1, -5, -7, INT32_MIN}, {1, 1, 5});
    check(K::load_onnx(path).function, {{x}}, {}, 0);
  }
}

TEST_CASE("Recurrent layers become Scan, branches If, loops Loop", "[onnx]") {
  Tensor x = K::placeholder({None, None, 3});
  layers::LSTM lstm(3, 4, {.return_sequences = true});
  const onnx::ModelProto model = check(K::function({x}, {lstm(x)}), {{numbers({2, 5, 3})}});
  const std::vector<std::string> types = typesOf(model.graph());
  CHECK(std::count(types.begin(), types.end(), "Scan") == 1);

  Tensor flag = K::placeholder({}, None, "bool"), v = K::placeholder({4});
  check(
      K::function({flag, v}, {K::switch_(
                                 flag, [&] { return v * 2.0; }, [&] { return K::exp(v) + 1.0; })}),
      {{Array(true), numbers({4})}, {Array(false), numbers({4})}});

  Tensor root =
      K::while_loop([&](const Tensor &r) { return K::max(K::abs(r * r - v)) > 1e-3; },
                    [&](const Tensor &r) { return (r + v / r) * 0.5; }, {v * 0.0 + 1.0})[0];
  check(K::function({v}, {root}), {{Array{4.0f, 9.0f, 2.0f, 3.0f}}});
}

TEST_CASE("An If of ONNX with several outputs stays one, also in others", "[onnx]") {
  using namespace keratin::tests;
  const Names four{"a", "b", "c", "d"};
  auto branch = [&](const char *op, const GraphProto *inner) {
    GraphProto graph = graphOf({}, four);
    if (inner)
      addNode(graph, "If", {"flag"}, four, {{"then_branch", *inner}, {"else_branch", *inner}});
    else
      for (const std::string &name : four)
        addNode(graph, op, {name == "a" ? "x" : std::string(1, char(name[0] - 1))}, {name});
    return graph;
  };
  // Imported once for each output, the inner ones would be 256 times as many.
  GraphProto inner = branch("Exp", nullptr);
  for (int level = 0; level < 3; ++level)
    inner = branch("", &inner);
  onnx::ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "flag", {}, TensorProto::BOOL);
  addInput(graph, "x", {2});
  const GraphProto no = branch("Neg", nullptr);
  addNode(graph, "If", {"flag"}, four, {{"then_branch", inner}, {"else_branch", no}});
  for (const std::string &name : four)
    graph.add_output()->set_name(name);
  const Written folder;
  std::ofstream(folder.file(), std::ios::binary) << model.SerializeAsString();
  const Function f = K::load_onnx(folder.file()).function;
  const auto found = f({Array(false), Array{1.0f, -2.0f}});
  checkArray(found[0], Array{-1.0f, 2.0f}, 1e-6);
  checkArray(found[3], Array{1.0f, -2.0f}, 1e-6);
  const auto yes = f({Array(true), Array{0.0f, -100.0f}});
  checkArray(yes[1], Array{std::exp(1.0f), 1.0f}, 1e-6);
  const std::vector<std::string> types = typesOf(check(f, {}).graph());
  CHECK(std::count(types.begin(), types.end(), "If") == 1);
}

TEST_CASE("Large tensors may lie beside a model of ONNX", "[onnx]") {
  Tensor x = K::placeholder({None, 64});
  const Function f = K::function({x}, {K::dot(x, K::variable(numbers({64, 32})))});
  const Written folder;
  K::save_onnx(f, folder.file(), {.externalData = true});
  CHECK(fs::file_size(folder.file("net.onnx.data")) == 64 * 32 * 4);
  CHECK(fs::file_size(folder.file()) < 2000);
  const Array input = numbers({2, 64});
  checkArray(K::load_onnx(folder.file()).function({input})[0], f({input})[0], 1e-5);

  // The second tensor begins on a page, and neither file is written without the other.
  const Function two = K::function(
      {x}, {K::dot(x, K::variable(numbers({64, 32}))) * K::variable(numbers({1025}))[0]});
  K::save_onnx(two, folder.file(), {.externalData = true});
  CHECK(fs::file_size(folder.file("net.onnx.data")) == 8192 + 1025 * 4);
  checkArray(K::load_onnx(folder.file()).function({input})[0], two({input})[0], 1e-5);
  fs::remove(folder.file("net.onnx.data"));
  fs::create_directory(folder.file("net.onnx.data"));
  const auto before = folder.model().SerializeAsString();
  CHECK(has(errorOf<RuntimeError>([&] { K::save_onnx(f, folder.file(), {.externalData = true}); }),
            "save_onnx: '" + folder.file("net.onnx.data") + "' cannot be written: "));
  CHECK(folder.model().SerializeAsString() == before);
}

TEST_CASE("What has no form in ONNX is refused with the line that made it", "[onnx]") {
  const Written folder;
  Tensor x = K::placeholder({None, 4});
  auto refusal = [&](const Tensor &y, const OnnxSaveOptions &options = {}) {
    const std::string message =
        errorOf<NotImplementedError>([&] { K::save_onnx({x}, {y}, folder.file(), options); });
    CHECK(has(message, "; at "));
    CHECK(has(message, "ExportTest.cpp:"));
    return message;
  };
  CHECK(has(refusal(K::dropout(x, 0.5)),
            "save_onnx: not implemented: op 'random_bits' (ONNX has no random numbers with given "
            "bits)"));
  CHECK(has(refusal(K::gather(x, K::cast(K::argmax(x), "int32")) * 0.0 +
                        K::gradients(K::sum(K::gather(x, K::cast(K::argmax(x), "int32"))), {x})[0],
                    {.opset = 15}),
            "not implemented: ScatterND with reduction add in opset 15; opset 16 has it"));
  CHECK(has(errorOf<ValueError>([&] { K::save_onnx({x}, {x}, folder.file(), {.opset = 13}); }),
            "save_onnx: opset 13; needed 14 to 23"));
  CHECK(has(errorOf<ValueError>([&] { K::save_onnx(Function(), folder.file()); }),
            "save_onnx: a Function is empty"));
  CHECK(
      has(errorOf<RuntimeError>([&] { K::save_onnx({x}, {x * 2.0}, folder.file("no/net.onnx")); }),
          "save_onnx: "));
  CHECK_FALSE(fs::exists(folder.file()));
}

TEST_CASE("Convolutions and windows that ONNX has not are refused", "[onnx]") {
  using namespace keratin::tests;
  const Written folder;
  auto refusal = [&](const std::vector<Tensor> &inputs, const Tensor &y) {
    return errorOf<NotImplementedError>([&] { K::save_onnx(inputs, {y}, folder.file()); });
  };
  auto loaded = [&](const onnx::ModelProto &model) {
    return K::load_onnx(folder.write("given.onnx", model.SerializeAsString())).function;
  };
  const Function integers = loaded(
      modelOf("ConvInteger", 17,
              {fed({1, 1, 4, 4}, TensorProto::INT32), fed({1, 1, 2, 2}, TensorProto::INT32)}));
  CHECK(has(refusal(integers.inputs(), integers.outputs()[0]),
            "not implemented: a convolution of integers of 32 bits; at given.onnx: node 'it' "
            "(ConvInteger):1"));
  Tensor x = K::placeholder({1, 4, 4, None}), kernel = K::placeholder({2, 2, None, 1});
  CHECK(has(refusal({x, kernel}, K::depthwise_conv2d(x, kernel)),
            "not implemented: a convolution of as many groups as only a call knows; at "));
  const Function whole = loaded(
      modelOf("MaxPool", 17, {fed({1, 1, 8}, TensorProto::INT64)}, {{"kernel_shape", Dims{2}}}));
  CHECK(has(refusal(whole.inputs(), whole.outputs()[0]), "not implemented: windows over integers"));
  const Function wide = loaded(
      modelOf("MaxPool", 17, {fed({1, 1, 8})}, {{"kernel_shape", Dims{2}}, {"pads", Dims{2, 2}}}));
  CHECK(has(refusal(wide.inputs(), K::gradients(K::sum(K::exp(K::minimum(wide.outputs()[0], 9))),
                                                wide.inputs())[0]),
            "not implemented: places in windows whose padding is no number, or as large as a "
            "window"));
}
