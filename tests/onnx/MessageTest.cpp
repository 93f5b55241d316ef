// What the importer of ONNX refuses, and what it says: every message once.
#include "keratin/error.h"
#include "keratin/onnx.h"
#include "tests/onnx/ModelBuilder.h"
#include "tests/support/LimitedProcess.h"
#include "tests/support/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>

using namespace keratin::tests;
using keratin::Array;
using keratin::MemoryError;
using keratin::NotImplementedError;
using keratin::OnnxOptions;
using keratin::RuntimeError;
using keratin::ValueError;
namespace K = keratin::backend;
namespace fs = std::filesystem;

namespace {

constexpr int kInt64 = TensorProto::INT64, kInt32 = TensorProto::INT32, kInt8 = TensorProto::INT8,
              kInt4 = TensorProto::INT4, kBool = TensorProto::BOOL, kFloat = TensorProto::FLOAT;

template <typename Kind>
std::string refusal(const std::string &path, const OnnxOptions &options = {}) {
  try {
    K::load_onnx(path, options);
  } catch (const Kind &error) {
    // Of this class, and of none that is derived from it.
    CHECK(typeid(error) == typeid(Kind));
    return error.what();
  } catch (const std::exception &error) {
    return std::string("an error of another class: ") + error.what();
  }
  return "no error";
}

// The model is refused so, by a message with the text that names the model.
template <typename Kind>
void refuses(const std::string &text, const ModelProto &model, const OnnxOptions &options = {}) {
  const TemporaryFolder folder;
  const std::string message =
      refusal<Kind>(folder.write("net.onnx", model.SerializeAsString()), options);
  INFO(message);
  CHECK(message.find(text) != std::string::npos);
  CHECK(message.find("net.onnx") != std::string::npos);
}

// One node is.
struct Case {
  const char *text;
  const char *op;
  int64_t opset;
  std::vector<Argument> arguments;
  Attributes attributes = {};
  int outputs = 1;
};

template <typename Kind> void refusesEach(const std::vector<Case> &cases) {
  for (const Case &each : cases) {
    const TemporaryFolder folder;
    const ModelProto model =
        modelOf(each.op, each.opset, each.arguments, each.attributes, each.outputs);
    const std::string message = refusal<Kind>(folder.write("net.onnx", model.SerializeAsString()));
    INFO(each.op << ": " << message);
    CHECK(message.find(each.text) != std::string::npos);
    CHECK(message.find("; at net.onnx: node 'it' (" + std::string(each.op) + "):1") !=
          std::string::npos);
  }
}

std::string text(const char *word) { return word; }

// A model whose output is the tensor.
ModelProto withTensor(TensorProto tensor) {
  ModelProto model = emptyModel();
  tensor.set_name("w");
  *model.mutable_graph()->add_initializer() = std::move(tensor);
  model.mutable_graph()->add_output()->set_name("w");
  return model;
}

// Six floats in other files.
TensorProto external(const std::vector<std::pair<std::string, std::string>> &entries) {
  TensorProto tensor = tensorProto("w", {2, 3}, {}, kFloat);
  tensor.set_data_location(TensorProto::EXTERNAL);
  for (const auto &[key, value] : entries) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return tensor;
}

} // namespace

TEST_CASE("Messages about files of ONNX", "[onnx]") {
  const TemporaryFolder folder;
  auto says = [&](const char *text, const std::string &message) {
    INFO(message);
    CHECK(message.find(text) != std::string::npos);
    CHECK(message.find("; at ") != std::string::npos);
  };
  says("load_onnx: '", refusal<ValueError>(folder.write("words.onnx", "these are words")));
  says("is no model of ONNX, or damaged",
       refusal<ValueError>(folder.write("words.onnx", "these are words")));
  says("has no graph", refusal<ValueError>(folder.write("empty.onnx", "")));
  says("load_onnx: ", refusal<RuntimeError>(folder / "none.onnx"));
  const std::string whole = modelOf("Relu", 17, {fed({2, 3})}).SerializeAsString();
  says("is no model of ONNX, or damaged",
       refusal<ValueError>(folder.write("short.onnx", whole.substr(0, whole.size() - 1))));
  CHECK_NOTHROW(K::load_onnx(folder.write("whole.onnx", whole)));
  fs::resize_file(folder / "whole.onnx", uint64_t(1) << 31);
  says("has 2147483648 bytes; needed fewer than 2 GiB, and large tensors in other files",
       refusal<ValueError>(folder / "whole.onnx"));

  ModelProto model = modelOf("Relu", 17, {fed({2, 3})});
  model.clear_opset_import();
  refuses<ValueError>("has ops of the domain '', which it does not import", model);
  model = emptyModel();
  model.mutable_graph();
  refuses<ValueError>("has no outputs", model);
}

TEST_CASE("The loading of a model of ONNX tells how far it is, and can be ended", "[onnx]") {
  ModelProto model = modelOf("Relu", 17, {fed({2, 3})});
  for (int i = 0; i < 1000; ++i)
    addNode(*model.mutable_graph(), "Neg", {"x0"}, {"n" + std::to_string(i)});
  const TemporaryFolder folder;
  const std::string path = folder.write("net.onnx", model.SerializeAsString());
  std::vector<keratin::CompileProgress> told;
  OnnxOptions options;
  options.function.name = "net";
  options.function.progress = [&](const keratin::CompileProgress &step) {
    if (step.stage == "read")
      told.push_back(step);
  };
  K::load_onnx(path, options);
  REQUIRE(told.size() > 10);
  CHECK(told.front().function == "net");
  CHECK(told.front().next == "node '' (Neg)");
  CHECK(told.front().done == 63);
  for (const keratin::CompileProgress &step : told)
    CHECK((step.done == step.of) == (&step == &told.back()));
  options.function.progress = [](const keratin::CompileProgress &) { throw 7; };
  CHECK_THROWS_AS(K::load_onnx(path, options), int);
  options.function.progress = nullptr;
  options.function.timeLimit = 1e-9;
  const std::string message = refusal<RuntimeError>(path, options);
  CHECK(message.find("takes longer than 1e-06 ms; stopped at node '' (Neg); at ") !=
        std::string::npos);
}

TEST_CASE("Messages about tensors of ONNX", "[onnx]") {
  const Dims six{1, 2, 3, 4, 5, 6};
  refuses<NotImplementedError>("': not implemented: initializer 'w' has elements of type STRING",
                               withTensor(tensorProto("w", {1}, {}, TensorProto::STRING)));
  refuses<NotImplementedError>("has elements of type 99",
                               withTensor(tensorProto("w", {1}, {}, 99)));
  TensorProto tensor = tensorProto("w", {2, 3}, six);
  tensor.mutable_segment()->set_begin(0);
  refuses<NotImplementedError>("initializer 'w' is in segments", withTensor(tensor));
  refuses<ValueError>("has a negative size in initializer 'w'",
                      withTensor(tensorProto("w", {2, -3}, six)));
  refuses<ValueError>("has a tensor of too many elements, initializer 'w'",
                      withTensor(tensorProto("w", {int64_t(1) << 40, int64_t(1) << 40}, six)));
  refuses<ValueError>("has 6 elements in initializer 'w'; its shape needs 8",
                      withTensor(tensorProto("w", {2, 4}, six)));
  tensor = tensorProto("w", {2, 3}, {}, kFloat);
  tensor.set_raw_data("seven b");
  refuses<ValueError>("has 7 bytes in initializer 'w'; its shape needs 24", withTensor(tensor));
}

TEST_CASE("Messages about tensors of ONNX in other files", "[onnx]") {
  const std::string elsewhere = "'; needed a file in the model's folder";
  for (const char *path : {"/etc/passwd", "../w.bin", "sub/../../w.bin", ""})
    refuses<ValueError>("has the elements of initializer 'w' in '" + text(path) + elsewhere,
                        withTensor(external({{"location", path}})));
  refuses<ValueError>(elsewhere, withTensor(external({})));
  refuses<RuntimeError>("': the elements of initializer 'w' cannot be read: '",
                        withTensor(external({{"location", "none.bin"}})));
  for (const char *number : {"-1", "", "0x10", "9999999999999999999", "2 "})
    for (const char *key : {"offset", "length"})
      refuses<ValueError>("has '" + text(number) + "' for the " + key +
                              " of initializer 'w'; needed a number",
                          withTensor(external({{key, number}, {"location", "w.bin"}})));
  refuses<ValueError>("has 25 bytes in initializer 'w'; its shape needs 24",
                      withTensor(external({{"location", "w.bin"}, {"length", "25"}})));

  const TemporaryFolder folder;
  const std::string path = folder.write(
      "net.onnx",
      withTensor(external({{"location", "w.bin"}, {"offset", "8"}})).SerializeAsString());
  folder.write("w.bin", std::string(31, 'x'));
  CHECK(refusal<ValueError>(path).find("for initializer 'w', which has 31") != std::string::npos);
  folder.write("w.bin", std::string(32, 'x'));
  CHECK_NOTHROW(K::load_onnx(path));
  fs::remove(folder / "w.bin");
  fs::create_directory(folder / "w.bin");
  CHECK(refusal<RuntimeError>(path).find("w.bin': it is no file") != std::string::npos);
  fs::rename(folder / "w.bin", folder / "there.bin");
  fs::create_symlink("there.bin", folder / "w.bin");
  CHECK(refusal<ValueError>(path).find("has the elements of initializer 'w' behind the link '") !=
        std::string::npos);
}

TEST_CASE("Messages about graphs of ONNX", "[onnx]") {
  const ModelProto good = modelOf("Relu", 17, {fed({2, 3})});
  ModelProto model = good;
  addNode(*model.mutable_graph(), "Relu", {"x0"}, {"y0"});
  refuses<ValueError>("has two values named 'y0'", model);
  model = good;
  model.mutable_graph()->add_output()->set_name("z");
  refuses<ValueError>("has an output 'z' that nothing computes", model);
  model = good;
  model.mutable_graph()->add_sparse_initializer();
  refuses<NotImplementedError>("sparse initializers", model);
  model = modelOf("Relu", 17, {fed({2, 3})});
  auto *type = model.mutable_graph()->mutable_input(0)->mutable_type();
  type->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(-2);
  refuses<ValueError>("has an input of negative size", model);
  type->mutable_tensor_type()->clear_shape();
  refuses<NotImplementedError>("input 'x0' of unknown rank", model);
  type->mutable_tensor_type()->set_elem_type(TensorProto::STRING);
  refuses<NotImplementedError>("input 'x0' has elements of type STRING", model);
  type->mutable_map_type();
  refuses<NotImplementedError>("input 'x0' that is no tensor", model);
  type->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(kFloat);
  refuses<NotImplementedError>("input 'x0', a sequence whose length is not given", model);
  OnnxOptions withLength;
  withLength.lengths = {{"x0", -1}};
  refuses<ValueError>("has a sequence 'x0' for which the length -1 is given; needed one from 0 to",
                      model, withLength);
  withLength.lengths = {{"x0", 2}};
  refuses<NotImplementedError>("input 'x0_0' of unknown rank", model, withLength);
  withLength.lengths = {{"q", 2}};
  refuses<ValueError>("has no input 'q' for a length", good, withLength);
  refuses<RuntimeError>("load_onnx: the graph of '",
                        modelOf("Identity", 17, {fed({int64_t(1) << 62})}));
  OnnxOptions options;
  options.constants.emplace("x0", Array::zeros(keratin::DType::Float32, {3, 2}));
  refuses<ValueError>("has input 'x0', of another shape than its constant", good, options);
  options.constants.clear();
  options.constants.emplace("q", Array(1.0f));
  refuses<ValueError>("has no input 'q' for a constant", good, options);
  model = good;
  model.mutable_graph()->mutable_node(0)->set_input(0, "late");
  refuses<ValueError>("has a node 'it' (Relu) with an input 'late' that no node before it computes",
                      model);
}

TEST_CASE("Messages about any node of ONNX", "[onnx]") {
  refusesEach<ValueError>({
      {"load_onnx: the node has no input 0", "Relu", 17, {}},
      {"has no input 1", "MatMul", 17, {fed({2, 3}), none()}},
      {"has no input the axis", "CumSum", 17, {fed({2, 3}), none()}},
      {"has an attribute axis of another type than the op's",
       "Softmax",
       17,
       {fed({2, 3})},
       {{"axis", 1.0f}}},
      {"has no attribute to", "Cast", 17, {fed({2, 3})}},
      {"has no attribute then_branch", "If", 17, {fed({}, kBool)}},
      {"has no outputs", "Relu", 17, {fed({2, 3})}, {}, 0},
      {"cannot have these operands: ", "And", 17, {fed({2, 3}), fed({2, 3})}},
      {"has axis 2; needed one in [-2, 2)", "Softmax", 17, {fed({2, 3})}, {{"axis", 2}}},
  });
  refusesEach<NotImplementedError>({
      {"load_onnx: not implemented: the op Nonsense", "Nonsense", 17, {fed({2, 3})}},
      {"output 1", "Relu", 17, {fed({2, 3})}, {}, 2},
      {"the axis that only a call knows", "CumSum", 17, {fed({2, 3}), fed({1}, kInt64)}},
  });
}

TEST_CASE("Messages about elementwise ops and activations of ONNX", "[onnx]") {
  refusesEach<ValueError>({
      {"has approximate 'erf'; needed none or tanh",
       "Gelu",
       20,
       {fed({2, 3})},
       {{"approximate", text("erf")}}},
      {"has an input of rank 0; needed 1 at least", "Softmax", 17, {fed({})}},
      {"has direction 'UP'; needed LEFT or RIGHT",
       "BitShift",
       17,
       {fed({2}, kInt32), fed({2}, kInt32)},
       {{"direction", text("UP")}}},
  });
  refusesEach<NotImplementedError>({
      {"a cast to STRING", "Cast", 17, {fed({2, 3})}, {{"to", int(TensorProto::STRING)}}},
  });
}

TEST_CASE("Messages about graphs in nodes of ONNX", "[onnx]") {
  const Argument counted = known({3}), yes = known({1}, kBool), x = fed({2, 3});
  const GraphProto wide = graphOf({"a"}, {"a"}), no = graphOf({}, {}), late = graphOf({}, {"q"});
  refusesEach<ValueError>({
      {"has a graph of 1 inputs; needed 0",
       "If",
       17,
       {yes},
       {{"then_branch", wide}, {"else_branch", no}}},
      {"has a graph with an output 'q' that nothing computes",
       "If",
       17,
       {yes},
       {{"then_branch", late}, {"else_branch", no}}},
      {"has a branch of 0 outputs",
       "If",
       17,
       {fed({}, kBool)},
       {{"then_branch", no}, {"else_branch", no}}},
      {"has a body whose inputs and outputs are not those of the loop",
       "Loop",
       17,
       {counted, yes, x},
       {{"body", wide}}},
      {"the node is refused: Array: the element 7 of dtype int64 does not fit bool",
       "If",
       17,
       {known({7})},
       {{"then_branch", no}, {"else_branch", no}}},
      {"has 0 inputs to scan", "Scan", 17, {x}, {{"num_scan_inputs", 0}, {"body", wide}}},
      {"has 1 inputs to scan", "Scan", 8, {none()}, {{"num_scan_inputs", 1}, {"body", wide}}},
      {"has an input 1 of rank 1; needed a batch, and a time to scan",
       "Scan",
       8,
       {none(), fed({2})},
       {{"num_scan_inputs", 1}, {"body", wide}}},
      {"has a body whose outputs are not those of the scan",
       "Scan",
       17,
       {x, x},
       {{"num_scan_inputs", 1}, {"body", no}}},
      {"has 2 scan_input_axes; needed 1",
       "Scan",
       17,
       {x},
       {{"num_scan_inputs", 1}, {"scan_input_axes", Dims{0, 0}}, {"body", wide}}},
  });
  refusesEach<NotImplementedError>({
      {"Scan of opset 8 with lengths of sequences",
       "Scan",
       8,
       {x, x},
       {{"num_scan_inputs", 1}, {"body", wide}}},
  });
}

TEST_CASE("Messages about loops of ONNX that end by a condition", "[onnx]") {
  refusesEach<RuntimeError>({
      {"no bound is known of the size d0 of an output",
       "Loop",
       17,
       {none(), fed({}, kBool), fed({2, 3})},
       {{"body", graphOf({"i", "c", "a"}, {"c", "a", "a"})}},
       2},
  });
}

// y = f(of a sequence of two floats, x).
static ModelProto withSequence(const std::string &op, Names inputs,
                               const Attributes &attributes = {}, const std::string &output = "y") {
  ModelProto model = emptyModel();
  GraphProto &graph = *model.mutable_graph();
  addInput(graph, "a", {});
  addInput(graph, "b", {});
  addInput(graph, "i", {}, kInt64);
  addInput(graph, "c", {}, kBool);
  *graph.add_initializer() = tensorProto("two", {}, {2});
  *graph.add_initializer() = tensorProto("thousand", {}, {1000});
  *graph.add_initializer() = tensorProto("many", {}, {2000});
  *graph.add_initializer() = tensorProto("zero", {}, {0});
  addNode(graph, "SequenceConstruct", {"a", "b"}, {"s"});
  addNode(graph, "SequenceEmpty", {}, {"none"});
  addNode(graph, "Optional", {}, {"nothing"});
  addNode(graph, op, inputs, {"y"}, attributes)->set_name("it");
  graph.add_output()->set_name(output);
  return model;
}

TEST_CASE("Messages about sequences of ONNX", "[onnx]") {
  auto fails = [](const char *what, const ModelProto &model) { refuses<ValueError>(what, model); };
  auto isNot = [](const char *what, const ModelProto &model) {
    refuses<NotImplementedError>(text("load_onnx: not implemented: ") + what, model);
  };
  fails("has a sequence as input 0; needed a tensor", withSequence("Relu", {"s"}));
  fails("has an optional value as input 0; needed a tensor", withSequence("Relu", {"nothing"}));
  fails("has no sequence as input 0", withSequence("SequenceLength", {"a"}));
  fails("has a position outside its sequence of 2", withSequence("SequenceAt", {"s", "two"}));
  fails("has a position outside its sequence of 0", withSequence("SequenceAt", {"none", "i"}));
  fails("has a position outside its sequence of 0", withSequence("SequenceErase", {"none"}));
  fails("has an empty sequence", withSequence("ConcatFromSequence", {"none"}, {{"axis", 0}}));
  fails("has an optional value that is not there", withSequence("OptionalGetElement", {"nothing"}));
  fails("has sequences of 2 and 0",
        withSequence("SequenceMap", {"s", "none"}, {{"body", graphOf({"p", "q"}, {"p"})}}));
  isNot("a position in a sequence that only a call knows",
        withSequence("SequenceInsert", {"s", "a", "i"}));
  refuses<NotImplementedError>("the output 'y', a sequence of no tensors",
                               withSequence("SequenceConstruct", {"s"}));
  fails("a sequence where a tensor is needed",
        withSequence("Loop", {"i", "", "a"}, {{"body", graphOf({"n", "p", "q"}, {"p", "s"})}}));
  refuses<NotImplementedError>("the output 'nothing', an optional value that is not there",
                               withSequence("Relu", {"a"}, {}, "nothing"));
  refusesEach<NotImplementedError>({
      {"a sequence of parts whose number only a call knows", "SplitToSequence", 11, {fed({-1})}},
      {"sequences of more than 10000 tensors", "SplitToSequence", 11, {fed({20000})}},
  });
  auto branch = [](const std::string &output) { return graphOf({}, {output}); };
  isNot("branches that give sequences of different lengths",
        withSequence("If", {"c"}, {{"then_branch", branch("s")}, {"else_branch", branch("none")}}));
  isNot("branches of which one gives a sequence",
        withSequence("If", {"c"}, {{"then_branch", branch("s")}, {"else_branch", branch("a")}}));
  refusesEach<ValueError>({
      {"has parts of size 0", "SplitToSequence", 11, {fed({4}), {{}, kInt64, true, true, {0}}}},
  });
  const GraphProto same = graphOf({"n", "c", "p"}, {"c", "p"}),
                   other = graphOf({"n", "p", "q"}, {"c", "q"});
  isNot("a loop over sequences whose number of steps only a call knows",
        withSequence("Loop", {"i", "", "s"}, {{"body", same}}));
  isNot("a loop over sequences of more than 1024 steps",
        withSequence("Loop", {"many", "", "s"}, {{"body", same}}));
  isNot("a loop over sequences whose condition only a call knows",
        withSequence("Loop", {"two", "", "s"}, {{"body", other}}));
  isNot("a loop over sequences that stacks what no step gives",
        withSequence("Loop", {"zero", "", "s"},
                     {{"body", graphOf({"n", "c", "p"}, {"c", "p", "n"})}}));
}

TEST_CASE("Graphs in nodes of ONNX come to few nodes", "[onnx]") {
  GraphProto body = graphOf({"n", "p", "q"}, {"p", "q"});
  for (int i = 0; i < 20; ++i)
    addNode(body, "Neg", {"a"}, {"b" + std::to_string(i)});
  refuses<NotImplementedError>(
      "graphs in nodes with more than 10000 nodes, which count for each step of an unrolled loop",
      withSequence("Loop", {"thousand", "", "s"}, {{"body", body}}));
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_CASE("A model of ONNX for which there is no memory is refused", "[onnx]") {
  const TemporaryFolder folder;
  TensorProto tensor = external({{"location", "w.bin"}});
  tensor.set_data_type(TensorProto::UINT8);
  tensor.set_dims(0, 3 << 10);
  tensor.set_dims(1, 1 << 20);
  const std::string path = folder.write("net.onnx", withTensor(tensor).SerializeAsString());
  // Of holes.
  fs::resize_file(folder.write("w.bin", ""), uint64_t(3) << 30);
  const LimitedRun run = runLimited([&] {
    try {
      K::load_onnx(path);
    } catch (const MemoryError &error) {
      return std::string(error.what()).find("load_onnx: out of memory for '") == 0 ? 0 : 2;
    }
    return 1;
  });
  INFO(run.text());
  CHECK((run.ended && run.code == 0));
}
#endif

TEST_CASE("Names from a model of ONNX are printable in messages", "[onnx]") {
  ModelProto model = modelOf("Softmax", 17, {fed({2, 3})}, {{"axis", 7}});
  model.mutable_graph()->mutable_node(0)->set_name("a\nb\x1b" + std::string(1000, 'c'));
  refuses<ValueError>("node 'a?b?" + std::string(76, 'c') + " …' (Softmax)", model);
  model = modelOf("Relu", 17, {fed({2, 3})});
  model.mutable_graph()->mutable_output(0)->set_name("late\n");
  refuses<ValueError>("has an output 'late?' that nothing computes", model);
}

TEST_CASE("Messages about new tensors of ONNX", "[onnx]") {
  refusesEach<NotImplementedError>({
      {"a constant that is no tensor of numbers", "Constant", 17, {}, {{"value_string", text("")}}},
      {"elements of type STRING",
       "EyeLike",
       17,
       {fed({2, 3})},
       {{"dtype", int(TensorProto::STRING)}}},
  });
  refusesEach<ValueError>({
      {"has 2 values; needed one",
       "ConstantOfShape",
       17,
       {known({2, 3})},
       {{"value", tensorProto("", {2}, {1, 2})}}},
      {"needs a depth and a vector of two values",
       "OneHot",
       17,
       {fed({2}, kInt64), known({}), fed({2})}},
      {"has an input of rank 1; needed 2", "EyeLike", 17, {fed({2})}},
  });
}

TEST_CASE("Messages about indices of ONNX", "[onnx]") {
  const Argument x = fed({2, 3});
  refusesEach<ValueError>({
      {"has indices of rank 1; needed 2", "GatherElements", 17, {x, fed({2}, kInt64)}},
      {"has a condition of rank 0; needed 1", "Compress", 17, {x, fed({}, kBool)}},
      {"needs a vector of lengths, and two axes", "ReverseSequence", 17, {x, fed({}, kInt64)}},
      {"has reduction 'mean'; needed none, add, mul, max or min",
       "ScatterND",
       17,
       {x, fed({1, 2}, kInt64), fed({1})},
       {{"reduction", text("mean")}}},
      {"has data and updates of dtypes float32 and int32; needed numbers of one dtype for "
       "reduction mul",
       "ScatterND",
       17,
       {x, fed({1, 2}, kInt64), fed({1}, kInt32)},
       {{"reduction", text("mul")}}},
      {"has boxes and scores of rank 2 and 3; needed 3",
       "NonMaxSuppression",
       11,
       {x, fed({1, 2, 3})}},
      {"has an input 2 of rank 2; needed one number",
       "NonMaxSuppression",
       11,
       {fed({1, 3, 4}), fed({1, 2, 3}), fed({1, 1}, kInt64)}},
      {"has axis 2; needed one in [-2, 2)", "Unique", 11, {x}, {{"axis", 2}}},
      {"has batch_dims 2", "GatherND", 17, {x, fed({2, 1}, kInt64)}, {{"batch_dims", 2}}},
  });
  refusesEach<NotImplementedError>({
      {"indices whose last size is not known, or 0", "GatherND", 17, {x, fed({2, -1}, kInt64)}},
      {"NonZero of a scalar", "NonZero", 17, {fed({})}},
  });
}

TEST_CASE("Messages about losses of ONNX", "[onnx]") {
  refusesEach<ValueError>({
      {"has inputs of rank 2 and 2",
       "SoftmaxCrossEntropyLoss",
       17,
       {fed({2, 3}), fed({2, 3}, kInt64)}},
      {"has scores of rank 1; needed 2 at least",
       "SoftmaxCrossEntropyLoss",
       17,
       {fed({2}), fed({2}, kInt64)}},
      {"load_onnx: the scores and the weights of classes",
       "NegativeLogLikelihoodLoss",
       17,
       {fed({2, 3}), fed({2}, kInt64), fed({4})}},
      {"has reduction 'max'; needed none, sum or mean",
       "NegativeLogLikelihoodLoss",
       17,
       {fed({2, 3}), fed({2}, kInt64)},
       {{"reduction", text("max")}}},
  });
}

TEST_CASE("Messages about normalisation of ONNX", "[onnx]") {
  const Argument x = fed({2, 3}), v = fed({3});
  refusesEach<ValueError>({
      {"has x of rank 1; needed 2 at least", "BatchNormalization", 15, {v, v, v, v, v}},
      {"numbers of channels have rank 0; needed 1",
       "BatchNormalization",
       15,
       {x, fed({}), fed({}), fed({}), fed({})}},
      {"a scale or a bias has rank 3, x 2", "LayerNormalization", 17, {x, fed({1, 2, 3})}},
      {"has x of rank 2; needed 3 at least", "InstanceNormalization", 17, {x, v, v}},
      {"needs x of rank 3 at least, and a group",
       "GroupNormalization",
       18,
       {x, v, v},
       {{"num_groups", 1}}},
      {"needs x of rank 2 at least, and a size of 1 or more", "LRN", 17, {x}, {{"size", 0}}},
      {"has p 3; needed 1 or 2", "LpNormalization", 17, {x}, {{"p", 3}}},
  });
  refusesEach<NotImplementedError>({
      {"BatchNormalization in training, of opset 6", "BatchNormalization", 6, {x, v, v, v, v}},
      {"BatchNormalization that is not spatial",
       "BatchNormalization",
       7,
       {x, v, v, v, v},
       {{"spatial", 0}}},
  });
}

TEST_CASE("Messages about products and quantised ops of ONNX", "[onnx]") {
  const Argument x = fed({2, 3}), scale = fed({});
  refusesEach<ValueError>({
      {"has operands of rank 1 and 2; needed 2", "Gemm", 17, {fed({3}), x}},
      {"needs matrices of floats", "Det", 11, {fed({3})}},
      {"needs matrices of floats", "Det", 11, {fed({3, 3}, kInt32)}},
      {"a matrix is square", "Det", 11, {fed({2, 3})}},
      {"has scales along an axis that x has not", "QuantizeLinear", 17, {fed({}), fed({3})}},
      {"has zero points of rank 2 beside integers of rank 4",
       "ConvInteger",
       10,
       {fed({1, 1, 4, 4}, kInt8), fed({1, 1, 2, 2}, kInt8), fed({1, 2}, kInt8)}},
      {"quantised to int32; needed integers of 16 bits at most",
       "QuantizeLinear",
       17,
       {x, scale, fed({}, kInt32)}},
      {"has scales of rank 2 beside x of rank 2; needed 0, 1, or with a block_size the same",
       "QuantizeLinear",
       21,
       {x, fed({2, 3}), fed({2, 3}, kInt8)}},
      {"has blocks of -2", "QuantizeLinear", 21, {x, fed({2, 3})}, {{"block_size", -2}}},
      {"the scales and the blocks of x",
       "QuantizeLinear",
       21,
       {x, fed({2, 3})},
       {{"block_size", 2}}},
      {"has a zero point of dtype int4 and an output_dtype of uint4",
       "QuantizeLinear",
       21,
       {x, scale, known({0}, kInt4)},
       {{"output_dtype", int(TensorProto::UINT4)}}},
      {"has scales of dtype int32; needed floats", "QuantizeLinear", 17, {x, fed({}, kInt32)}},
      {"has the precision int32; needed floats",
       "QuantizeLinear",
       23,
       {x, scale},
       {{"precision", kInt32}}},
      {"has an output_dtype of int32; needed floats",
       "DequantizeLinear",
       23,
       {fed({2}, kInt8), scale},
       {{"output_dtype", kInt32}}},
  });
  refusesEach<NotImplementedError>({
      {"integers of type FLOAT8E4M3FN",
       "QuantizeLinear",
       21,
       {x, scale},
       {{"output_dtype", int(TensorProto::FLOAT8E4M3FN)}}},
  });
}

TEST_CASE("Messages about narrow integers of ONNX", "[onnx]") {
  GraphProto branch = graphOf({}, {"w"});
  *branch.add_initializer() = tensorProto("w", {1}, {3}, kInt4);
  refusesEach<NotImplementedError>({
      {"the op on int4", "Relu", 17, {fed({2}, kInt4)}},
      {"the op on uint2", "Add", 17, {fed({2}), fed({2}, TensorProto::UINT2)}},
      {"a graph with an output 'w' of 4 bits an element",
       "If",
       21,
       {fed({}, kBool)},
       {{"then_branch", branch}, {"else_branch", branch}}},
      {"elements of type INT4", "EyeLike", 21, {fed({2, 2})}, {{"dtype", kInt4}}},
  });
  // Two a byte.
  refuses<ValueError>("has 3 elements in initializer 'w'; its shape needs 2",
                      withTensor(tensorProto("w", {3}, {1, 2, 3}, kInt4)));
  TensorProto raw = tensorProto("w", {3}, {}, kInt4);
  raw.set_raw_data("abc");
  refuses<ValueError>("has 3 bytes in initializer 'w'; its shape needs 2", withTensor(raw));
}

TEST_CASE("Messages about recurrent layers of ONNX", "[onnx]") {
  const Argument x = fed({5, 2, 3}), w = fed({1, 4, 3}), r = fed({1, 4, 4});
  refusesEach<ValueError>({
      {"has x of rank 2; needed 3", "RNN", 14, {fed({2, 3}), w, r}},
      {"has direction 'up'", "RNN", 14, {x, w, r}, {{"direction", text("up")}}},
      {"has 2 activations; needed 1",
       "RNN",
       14,
       {x, w, r},
       {{"activations", Names{"Tanh", "Tanh"}}}},
  });
  refusesEach<NotImplementedError>({
      {"the activation Cosine", "RNN", 14, {x, w, r}, {{"activations", Names{"Cosine"}}}},
      {"recurrent weights whose sizes only a call knows", "RNN", 14, {x, w, fed({1, 4, -1})}},
  });
}

TEST_CASE("Messages about reductions of ONNX", "[onnx]") {
  refusesEach<ValueError>({
      {"has 2 axes; needed one", "CumSum", 17, {fed({2, 3}), known({0, 1})}},
  });
}

TEST_CASE("Messages about resizing of ONNX", "[onnx]") {
  const Argument x = fed({2, 3}), scales = known({2, 2}, kFloat);
  refusesEach<ValueError>({
      {"has the unknown coordinate_transformation_mode 'quarter'",
       "Resize",
       17,
       {x, none(), scales},
       {{"coordinate_transformation_mode", text("quarter")}}},
      {"has the unknown mode 'best'", "Resize", 17, {x, none(), scales}, {{"mode", text("best")}}},
      {"has a scale of -2", "Resize", 17, {x, none(), known({2, -2}, kFloat)}},
      {"has a size of -2", "Resize", 17, {x, none(), none(), known({2, -2})}},
      {"needs a scale or a size for each of 2 axes", "Resize", 17, {x, none(), known({2}, kFloat)}},
      {"has keep_aspect_ratio_policy 'wide'; needed stretch, not_larger or not_smaller",
       "Resize",
       18,
       {x, none(), none(), known({4, 4})},
       {{"keep_aspect_ratio_policy", text("wide")}}},
      {"keeps the ratio of an empty axis",
       "Resize",
       18,
       {fed({0, 3}), none(), none(), known({4, 4})},
       {{"keep_aspect_ratio_policy", text("not_larger")}}},
      {"has a scale of -2", "Resize", 17, {fed({-1, 3}), none(), known({-2, 2}, kFloat)}},
      {"needs a scale for each of 2 axes", "Upsample", 9, {x, known({2}, kFloat)}},
  });
  refusesEach<NotImplementedError>({
      {"Resize of sizes that only a call knows, with tf_crop_and_resize",
       "Resize",
       17,
       {fed({-1, 3}), known({0, 0, 1, 1}, kFloat), scales},
       {{"coordinate_transformation_mode", text("tf_crop_and_resize")}}},
      {"Resize with antialias of sizes that only a call knows",
       "Resize",
       18,
       {fed({-1, 3}), none(), scales},
       {{"antialias", 1}, {"mode", text("linear")}}},
      {"scales that only a call knows", "Resize", 17, {x, none(), fed({2})}},
      {"Resize with antialias by more than 4194304 weights",
       "Resize",
       18,
       {fed({1 << 20, 3}), none(), none(), known({1 << 10, 3})},
       {{"antialias", 1}, {"mode", text("linear")}}},
      {"Resize of sizes that only a call knows, which keeps their ratio",
       "Resize",
       18,
       {fed({-1, 3}), none(), none(), known({4, 4})},
       {{"keep_aspect_ratio_policy", text("not_larger")}}},
  });
}

TEST_CASE("Messages about attention of ONNX", "[onnx]") {
  const Argument x = fed({2, 3, 5, 8}), angles = fed({2, 5, 4}), numbers = fed({2, 5}, kInt64);
  refusesEach<ValueError>({
      {"has num_heads 0 for x of shape (2, 5, 24)",
       "RotaryEmbedding",
       23,
       {fed({2, 5, 24}), angles, angles}},
      {"has x of rank 2; needed 3 or 4", "RotaryEmbedding", 23, {fed({2, 5}), angles, angles}},
      {"has rotary_embedding_dim 3 of 8 features",
       "RotaryEmbedding",
       23,
       {x, angles, angles},
       {{"rotary_embedding_dim", 3}}},
      {"has a table of angles of rank 3; needed 2",
       "RotaryEmbedding",
       23,
       {x, angles, angles, numbers}},
  });
  const Argument two = fed({2, 2, 5, 8}), gone = none();
  refusesEach<ValueError>({
      {"has an operand of rank 2; needed 3 or 4", "Attention", 23, {fed({5, 8}), x, x}},
      {"has q_num_heads 0 for shape (2, 5, 24)", "Attention", 23, {fed({2, 5, 24}), x, x}},
      {"has 3 heads of queries for 2 of keys", "Attention", 23, {x, two, two}},
      {"has keys of before without values, or values without keys",
       "Attention",
       23,
       {x, x, x, gone, x}},
      {"has keys and values of before of rank 3 and 3; needed 4",
       "Attention",
       23,
       {x, x, x, gone, angles, angles}},
  });
  refusesEach<NotImplementedError>({
      {"Attention with lengths of keys",
       "Attention",
       24,
       {x, x, x, gone, gone, gone, fed({2}, kInt64)}},
      {"Attention in windows", "Attention", 26, {x, x, x}, {{"left_window_size", 3}}},
      {"Attention that gives its scores", "Attention", 23, {x, x, x}, {}, 4},
      {"features whose number only a call knows", "Attention", 23, {fed({2, 3, 5, -1}), x, x}},
      {"numbers of heads that only a call knows", "Attention", 23, {x, fed({2, -1, 5, 8}), x}},
  });
  refusesEach<NotImplementedError>({
      {"features whose number only a call knows",
       "RotaryEmbedding",
       23,
       {fed({2, 3, 5, -1}), angles, angles}},
  });
}

TEST_CASE("Messages about sampling of ONNX", "[onnx]") {
  const Argument x = fed({1, 2, 3, 4}), grid = fed({1, 5, 6, 2});
  refusesEach<ValueError>({
      {"has mode 'area'; needed nearest, linear or cubic",
       "GridSample",
       20,
       {x, grid},
       {{"mode", text("area")}}},
      {"has padding_mode 'wrap'; needed zeros, border or reflection",
       "GridSample",
       20,
       {x, grid},
       {{"padding_mode", text("wrap")}}},
      {"needs x of rank 3 at least, and a grid of this rank with a coordinate for each spatial "
       "axis "
       "in its last",
       "GridSample",
       20,
       {x, fed({1, 5, 6, 3})}},
      {"has x, regions and numbers of images of rank 4, 1 and 1; needed 4, 2 and 1",
       "RoiAlign",
       16,
       {x, fed({4}), fed({5}, kInt64)}},
      {"has mode 'min'; needed avg or max",
       "RoiAlign",
       16,
       {x, fed({5, 4}), fed({5}, kInt64)},
       {{"mode", text("min")}}},
      {"has coordinate_transformation_mode 'pixel'; needed half_pixel or output_half_pixel",
       "RoiAlign",
       16,
       {x, fed({5, 4}), fed({5}, kInt64)},
       {{"coordinate_transformation_mode", text("pixel")}}},
      {"has 0 by 1 bins with a sampling ratio of 0",
       "RoiAlign",
       16,
       {x, fed({5, 4}), fed({5}, kInt64)},
       {{"output_height", 0}}},
      {"needs a shape of three sizes at least, and matrices of floats",
       "AffineGrid",
       20,
       {fed({1, 2, 3}), known({1, 1})}},
      {"has a grid of dtype int32; needed floats",
       "GridSample",
       20,
       {x, fed({1, 5, 6, 2}, kInt32)}},
  });
  refusesEach<NotImplementedError>({
      {"GridSample of more than 64 elements for each place",
       "GridSample",
       20,
       {fed({1, 1, 2, 2, 2, 2}), fed({1, 1, 1, 1, 1, 4})},
       {{"mode", text("cubic")}}},
  });
}

TEST_CASE("Messages about shapes of ONNX", "[onnx]") {
  const Argument x = fed({2, 3}), unknown = fed({-1}, kInt64);
  refusesEach<ValueError>({
      {"keeps size 2 of an input of rank 2", "Reshape", 17, {x, known({2, 3, 0})}},
      {"has -2 in its shape; needed sizes, and one -1", "Reshape", 17, {x, known({0, -2})}},
      {"has 1 sizes for 2 axes", "CenterCropPad", 18, {x, known({2})}},
      {"has an axis twice", "Unsqueeze", 17, {x, known({1, 1})}},
      {"has other numbers of starts and ends",
       "Slice",
       9,
       {x},
       {{"starts", Dims{0, 1}}, {"ends", Dims{1}}}},
      {"has starts that are no short vector", "Slice", 17, {x, unknown, unknown}},
      {"has other numbers of starts, axes and steps",
       "Slice",
       17,
       {x, known({0}), known({1}), known({0, 1})}},
      {"has sizes of dtype float32; needed integers", "Expand", 17, {x, fed({2})}},
      {"has a step of 0", "Slice", 17, {x, known({0}), known({1}), known({0}), known({0})}},
      {"expands to a negative size", "Expand", 17, {x, known({2, -3})}},
      {"has a pad of 4611686018427387904", "Pad", 17, {x, known({int64_t(1) << 62, 0, 0, 0})}},
      {"has pads that are no short vector", "Pad", 17, {x, unknown}},
      {"has 2 pads for 2 axes", "Pad", 17, {x, known({1, 1})}},
      {"needs an input of rank 4 and a block of 1 or more",
       "DepthToSpace",
       17,
       {x},
       {{"blocksize", 2}}},
      {"has an input of rank 1; needed 2 at least", "Trilu", 17, {fed({3})}},
  });
  refusesEach<NotImplementedError>({
      {"Tile of opset 1", "Tile", 5, {x, known({1, 2})}},
      {"pads that only a call knows, with mode wrap",
       "Pad",
       19,
       {x, fed({4}, kInt64)},
       {{"mode", text("wrap")}}},
  });
}

TEST_CASE("Messages about windows of ONNX", "[onnx]") {
  const Argument x = fed({1, 2, 8}), w = fed({3, 2, 3});
  refusesEach<ValueError>({
      {"has auto_pad 'SAME'; needed NOTSET, VALID, SAME_UPPER or SAME_LOWER",
       "Conv",
       17,
       {x, w},
       {{"auto_pad", text("SAME")}}},
      {"has 0 for a window, stride or dilation", "Conv", 17, {x, w}, {{"strides", Dims{0}}}},
      {"has 2 strides; needed 1", "Conv", 17, {x, w}, {{"strides", Dims{1, 1}}}},
      {"has a pad of -1", "Conv", 17, {x, w}, {{"pads", Dims{-1, 0}}}},
      {"has a filter of rank 2; needed 3 at least", "Conv", 17, {x, fed({3, 2})}},
      {"has a kernel_shape that the filter has not",
       "Conv",
       17,
       {x, w},
       {{"kernel_shape", Dims{3, 3}}}},
      {"has x of rank 2; needed 3", "Conv", 17, {fed({1, 2}), w}},
      {"has x of rank 2; needed 3 at least", "MaxPool", 17, {fed({1, 2})}},
      {"has x of rank 2; needed 3 at least", "MaxUnpool", 11, {fed({1, 2}), fed({1, 2}, kInt64)}},
      {"has x of rank 3; needed 4",
       "MaxUnpool",
       11,
       {x, fed({1, 2, 8}, kInt64)},
       {{"kernel_shape", Dims{2, 2}}}},
      {"has 2 sizes of its output; needed 3",
       "MaxUnpool",
       11,
       {x, fed({1, 2, 8}, kInt64), known({1, 2})},
       {{"kernel_shape", Dims{2}}}},
      {"needs blocks of rank 3, and as many sizes of a block as of the image",
       "Col2Im",
       18,
       {fed({2, 3}), known({3}), known({2})}},
      {"has a bias of rank 2; needed 1", "Conv", 17, {x, w, fed({3, 3})}},
      {"has 0 groups", "Conv", 17, {x, w}, {{"group", 0}}},
      {"has an output_padding of -1",
       "ConvTranspose",
       17,
       {x, fed({2, 3, 3})},
       {{"output_padding", Dims{-1}}}},
      {"has an output_shape with -9",
       "ConvTranspose",
       17,
       {x, fed({2, 3, 3})},
       {{"output_shape", Dims{-9}}}},
      {"has 2 entries of output_shape",
       "ConvTranspose",
       17,
       {x, fed({2, 3, 3})},
       {{"output_shape", Dims{9, 9}}}},
  });
  refusesEach<NotImplementedError>({
      {"blocks of more than 1048576 places",
       "Col2Im",
       18,
       {fed({1, -1, 3}), known({9000, 9000}), known({2000, 2000})}},
      {"transposed filters whose sizes only a call knows",
       "ConvTranspose",
       17,
       {x, fed({2, 3, -1})}},
      {"convolutions of more than three axes",
       "Conv",
       17,
       {fed({1, 2, 3, 3, 3, 3}), fed({1, 2, 3, 3, 3, 3})}},
      {"AveragePool with dilations",
       "AveragePool",
       19,
       {x},
       {{"kernel_shape", Dims{2}}, {"dilations", Dims{2}}}},
      {"MaxPool with dilations over more than 4096 places of an axis",
       "MaxPool",
       17,
       {fed({1, 2, 10000})},
       {{"kernel_shape", Dims{4097}}, {"dilations", Dims{2}}}},
      {"MaxPool with indices over more than 4096 places",
       "MaxPool",
       17,
       {fed({1, 2, 5000})},
       {{"kernel_shape", Dims{4097}}},
       2},
  });
}

TEST_CASE("Messages about signals, random numbers and training of ONNX", "[onnx]") {
  const Argument x = fed({2, 8, 1}), rate = fed({}), count = fed({}, kInt64);
  const Argument yes = known({1}, kBool);
  refusesEach<ValueError>({
      {"has a window of size -1", "HannWindow", 17, {known({-1})}},
      {"has 0 bins over 8 samples at a rate of 0",
       "MelWeightMatrix",
       17,
       {known({0}), known({8}), known({0}), known({0}, kFloat), known({4}, kFloat)}},
      {"has 2 numbers for the upper edge; needed one",
       "MelWeightMatrix",
       17,
       {known({2}), known({8}), known({8}), known({0}, kFloat), known({4, 4}, kFloat)}},
      {"has edges of bands at 0.000000 and 90.000000; needed some from 0 to half the sample rate",
       "MelWeightMatrix",
       17,
       {known({2}), known({8}), known({8}), known({0}, kFloat), known({90}, kFloat)}},
      {"has a signal whose last size is not 1 or 2", "DFT", 17, {fed({2, 8, 3})}},
      {"has frames of 9 each 1", "STFT", 17, {x, known({1}), none(), known({9})}},
      {"has a ratio of 1.000000; needed one from 0 to below 1",
       "Dropout",
       17,
       {x, known({1}, kFloat), yes}},
  });
  refusesEach<NotImplementedError>({
      {"the lower edge that only a call knows",
       "MelWeightMatrix",
       17,
       {known({2}), known({8}), known({8}), fed({}), known({4}, kFloat)}},
      {"weights of more than 16777216 numbers",
       "MelWeightMatrix",
       17,
       {known({1 << 16}), known({1 << 16}), known({8}), known({0}, kFloat), known({4}, kFloat)}},
      {"transforms of more than 65536 numbers", "DFT", 17, {x, known({100000})}},
      {"inverse transforms of one side", "DFT", 17, {x}, {{"inverse", 1}, {"onesided", 1}}},
      {"transforms of sizes that only a call knows", "DFT", 17, {fed({2, -1, 1})}},
      {"Dropout whose mode only a call knows", "Dropout", 17, {x, none(), fed({}, kBool)}},
      {"Dropout whose ratio only a call knows", "Dropout", 17, {x, fed({}), yes}},
  });
  auto training = [](const std::string &op, const Names &inputs, const Attributes &attributes) {
    ModelProto model = emptyModel();
    onnx::OperatorSetIdProto *set = model.add_opset_import();
    set->set_domain("ai.onnx.preview.training");
    set->set_version(1);
    GraphProto &graph = *model.mutable_graph();
    for (const char *name : {"r", "x", "g"})
      addInput(graph, name, {});
    addNode(graph, op, inputs, {"y"}, attributes)->set_domain("ai.onnx.preview.training");
    graph.add_output()->set_name("y");
    return model;
  };
  refuses<ValueError>("has 3 inputs; needed a rate, a count and 3 for each tensor",
                      training("Adagrad", {"r", "r", "x"}, {}));
  refuses<ValueError>("has mode 'fast'; needed standard or nesterov",
                      training("Momentum", {"r", "r", "x", "g", "g"}, {{"mode", text("fast")}}));
  refuses<ValueError>("differentiates 'w', which nothing computes",
                      training("Gradient", {"x"}, {{"xs", Names{"w"}}, {"y", text("x")}}));
  refuses<NotImplementedError>("gradients where other values stand for 'x'",
                               training("Gradient", {"g"}, {{"xs", Names{"x"}}, {"y", text("x")}}));
}

// y = f(x) with functions of the model's own.
static ModelProto withFunctions(const std::vector<std::pair<std::string, GraphProto>> &functions,
                                const Names &inputs = {"x"}) {
  ModelProto model = emptyModel();
  onnx::OperatorSetIdProto *own = model.add_opset_import();
  own->set_domain("own");
  own->set_version(1);
  for (const auto &[name, graph] : functions) {
    onnx::FunctionProto *function = model.add_functions();
    function->set_name(name);
    function->set_domain("own");
    *function->mutable_opset_import() = model.opset_import();
    function->add_input("a");
    function->add_output("b");
    *function->mutable_node() = graph.node();
    function->add_attribute("slope");
  }
  addInput(*model.mutable_graph(), "x", {2});
  addNode(*model.mutable_graph(), "f", inputs, {"y"}, {{"slope", 0.5f}})->set_domain("own");
  model.mutable_graph()->add_output()->set_name("y");
  return model;
}

TEST_CASE("Messages about functions of models of ONNX", "[onnx]") {
  GraphProto twice, endless, negative, nothing;
  for (const char *to : {"b", "c"})
    addNode(endless, "f", {"a"}, {to})->set_domain("own");
  refuses<ValueError>("has graphs in graphs, or functions that call functions, more than 64 deep",
                      withFunctions({{"f", endless}}));
  // Each calls the next one twice: 2^40 nodes.
  std::vector<std::pair<std::string, GraphProto>> bomb;
  for (int i = 0; i < 41; ++i) {
    GraphProto graph;
    const std::string next = "f" + std::to_string(i + 1);
    for (const char *to : {"b", "c"})
      addNode(graph, i == 40 ? "Neg" : next, {"a"}, {to})->set_domain(i == 40 ? "" : "own");
    bomb.push_back({i ? "f" + std::to_string(i) : "f", graph});
  }
  refuses<NotImplementedError>("functions with more than 500000 nodes, which count in each call",
                               withFunctions(bomb));
  addNode(negative, "Neg", {"a"}, {"b"});
  refuses<ValueError>("calls function 'f' with 2 inputs; it has 1",
                      withFunctions({{"f", negative}}, {"x", "x"}));
  refuses<ValueError>("has a function 'f' with an output 'b' that nothing computes",
                      withFunctions({{"f", nothing}}));
}

TEST_CASE("Functions of models of ONNX are called with their attributes", "[onnx]") {
  GraphProto leaky, caller;
  onnx::AttributeProto *alpha = addNode(leaky, "LeakyRelu", {"a"}, {"b"})->add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_ref_attr_name("slope");
  NodeProto *inner = addNode(caller, "g", {"a"}, {"b"});
  inner->set_domain("own");
  onnx::AttributeProto *slope = inner->add_attribute();
  slope->set_name("slope");
  slope->set_type(onnx::AttributeProto::FLOAT);
  slope->set_ref_attr_name("slope");
  const TemporaryFolder folder;
  const std::string path =
      folder.write("net.onnx", withFunctions({{"f", caller}, {"g", leaky}}).SerializeAsString());
  const keratin::Results y = K::load_onnx(path).function({Array(std::vector<float>{-2, 3})});
  CHECK(y[0].toVector<float>() == std::vector<float>{-1, 3});
}
