// Graphs through bytes and back.
#include "ir/dialect/Keratin.h"
#include "ir/reference/Interpreter.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/GraphWriter.h"
#include "ir/saved/SavedOps.h"
#include "tests/support/RandomGraph.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/SavedSamples.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <set>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

// The results of one call, or the error, as text that differs where a bit differs.
static std::string run(func::FuncOp function, uint64_t seed) {
  EvaluationContext context;
  context.symbols = randomSymbols(seed, seed % 3 == 0);
  std::vector<HostTensor> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(cast<RankedTensorType>(type)))
      dims.push_back(context.evaluate(dim).value_or(-1));
    auto tensor = randomTensor(dtypeOf(cast<RankedTensorType>(type).getElementType()), dims,
                               seed + (uint64_t(i) << 32));
    if (!tensor)
      return "arguments are too large";
    arguments.push_back(*std::move(tensor));
  }
  auto results = interpret(function, arguments, context);
  if (failed(results))
    return context.error;
  std::string text;
  for (const HostTensor &tensor : *results) {
    text += dtypeName(tensor.dtype);
    for (int64_t dim : tensor.dims)
      text += " " + std::to_string(dim);
    text.append(reinterpret_cast<const char *>(tensor.floats.data()), tensor.floats.size() * 8);
    text.append(reinterpret_cast<const char *>(tensor.ints.data()), tensor.ints.size() * 8);
  }
  return text;
}

TEST_CASE("random graphs compute the same after a round trip", "[saved]") {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    auto context = makeSavedContext();
    RandomFunction random = makeRandomFunction(context.get(), {seed, seed + 1000}, 20);
    expandGradients(*random.module);
    std::vector<SavedFunction> functions(1);
    std::vector<SavedVariable> variables;
    describeForSaving(random.function, seed, functions[0], variables);
    auto bytes = writeGraph(*random.module, functions, variables);
    INFO(bytes.status().ToString());
    REQUIRE(bytes.ok());

    auto other = makeSavedContext();
    auto graph = readGraph(*bytes, *other);
    INFO(graph.status().ToString());
    REQUIRE(graph.ok());
    REQUIRE(graph->variables.size() == variables.size());
    for (size_t i = 0; i < variables.size(); ++i) {
      CHECK(graph->variables[i].name == variables[i].name);
      CHECK(graph->variables[i].bytes == variables[i].bytes);
      CHECK(graph->variables[i].dims == variables[i].dims);
      CHECK(graph->variables[i].trainable == variables[i].trainable);
    }
    auto function = *graph->module->getOps<func::FuncOp>().begin();
    CHECK(run(function, seed) == run(random.function, seed));
    auto again = writeGraph(*graph->module, graph->functions, graph->variables);
    REQUIRE(again.ok());
    CHECK(*again == *bytes);
  }
}

// What the reader made of the bytes that the writer made of this text.
static std::string roundTrip(const char *text) {
  auto context = makeSavedContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  REQUIRE(module);
  std::vector<SavedFunction> functions;
  std::vector<SavedVariable> variables;
  for (auto function : module->getOps<func::FuncOp>())
    describeForSaving(function, 1, functions.emplace_back(), variables);
  auto bytes = writeGraph(*module, functions, variables);
  if (!bytes.ok())
    return std::string(bytes.status().message());
  auto graph = readGraph(*bytes, *context);
  INFO(graph.status().ToString());
  REQUIRE(graph.ok());
  std::string result;
  llvm::raw_string_ostream stream(result);
  graph->module->print(stream, OpPrintingFlags().enableDebugInfo());
  return result;
}

TEST_CASE("many small ops can be read again", "[saved]") {
  auto context = makeSavedContext();
  auto module = parseSourceString<ModuleOp>(R"(
    func.func @f(%x: tensor<4x4xf32> {keratin.kind = "input"}) -> (tensor<4x4xf32> {keratin.kind = "output"}) {
      %0 = keratin.dot_general %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    })",
                                            context.get());
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation *end = function.getBody().front().getTerminator(), *last = end->getPrevNode();
  OpBuilder builder(end);
  for (int i = 0; i < 100'000; ++i) {
    Operation *next = builder.clone(*last);
    next->setOperand(0, last->getResult(0));
    last = next;
  }
  end->setOperand(0, last->getResult(0));
  std::vector<SavedFunction> functions(1);
  std::vector<SavedVariable> variables;
  describeForSaving(function, 1, functions[0], variables);
  auto bytes = writeGraph(*module, functions, variables);
  REQUIRE(bytes.ok());
  auto other = makeSavedContext();
  auto graph = readGraph(*bytes, *other);
  INFO(graph.status().ToString());
  CHECK(graph.ok());
}

TEST_CASE("symbols are numbered as the inputs bind them, and locations stay", "[saved]") {
  std::string text = roundTrip(R"(
    func.func @f(%x: tensor<?x4xf32, #keratin.dims<d7, 4>> {keratin.kind = "input"},
                 %n: tensor<i32> {keratin.kind = "input", keratin.symbol = 3})
        -> (tensor<?x4xf32, #keratin.dims<d3, 4>> {keratin.kind = "output", keratin.name = "out"}) {
      %y = keratin.slice %x starts = #keratin.dims<d7 + -1*d3, 0> strides = [1, 1]
          : (tensor<?x4xf32, #keratin.dims<d7, 4>>) -> tensor<?x4xf32, #keratin.dims<d3, 4>>
          loc("scope"("net.py":57:3))
      return %y : tensor<?x4xf32, #keratin.dims<d3, 4>>
    })");
  CHECK_THAT(text, Catch::Contains("keratin.symbol = 1"));
  CHECK_THAT(text, Catch::Contains("starts = <d0 + -1*d1, 0>"));
  CHECK_THAT(text, Catch::Contains("keratin.name = \"out\""));
  CHECK_THAT(text, Catch::Contains("\"net.py\":57:3"));
  CHECK_THAT(text, Catch::Contains("\"scope\""));
}

TEST_CASE("limits are of the sizes that they were of", "[saved]") {
  auto text = [](const std::string &limits, const std::string &size) {
    return roundTrip((R"(
    func.func @f(%x: tensor<?x?xf32, #keratin.dims<d5, )" +
                      size + R"(>> {keratin.kind = "input"})
        -> (tensor<?x?xf32, #keratin.dims<d5, )" +
                      size + R"(>> {keratin.kind = "output"}) attributes {keratin.limits = )" +
                      limits + R"(} {
      return %x : tensor<?x?xf32, #keratin.dims<d5, )" +
                      size + R"(>>
    })")
                         .c_str());
  };
  CHECK_THAT(text("{d3 = {max = 512, min = 4, multiple_of = 8}, d5 = {max = 0}}", "d3"),
             Catch::Contains("keratin.limits = {d0 = {max = 0 : i64}, d1 = {max = 512 : i64, min = "
                             "4 : i64, multiple_of = 8 : i64}}"));
  CHECK_THAT(text("{d3 = {multiple_of = 8, unit = 8}}", "8*d3"),
             Catch::Contains("d3 counts a size by 8; needed the function before "
                             "keratin-divide-sizes"));
}

TEST_CASE("shards are of the sizes that they were of", "[saved]") {
  auto text = [](const std::string &sizes) {
    return roundTrip((R"(
    func.func @f(%x: tensor<4x?xf32, #keratin.dims<4, d3>>
                     {keratin.kind = "input", keratin.name = "x", keratin.sharded = 1 : i64},
                 %y: tensor<?x2xf32, #keratin.dims<d5, 2>> {keratin.kind = "input", keratin.name = "y"})
        -> (tensor<4x?xf32, #keratin.dims<4, d3>> {keratin.kind = "output"}) attributes {keratin.gathers_parts, keratin.local_statistics, keratin.shards_states, keratin.sizes = )" +
                      sizes + R"(} {
      return %x : tensor<4x?xf32, #keratin.dims<4, d3>>
    })")
                         .c_str());
  };
  std::string saved = text(R"(["", "", "", "batch", "", "rows"])");
  CHECK_THAT(saved, Catch::Contains("keratin.sharded = 1 : i64"));
  CHECK(saved.find("keratin.sharded") == saved.rfind("keratin.sharded"));
  CHECK_THAT(saved, Catch::Contains("keratin.gathers_parts"));
  CHECK_THAT(saved, Catch::Contains("keratin.local_statistics"));
  CHECK_THAT(saved, Catch::Contains("keratin.shards_states"));
  CHECK_THAT(text(R"(["", "", "", "", "", "rows"])"),
             Catch::Contains("function 'f': dimension 1 of argument 0 is sharded and cannot be "
                             "saved; needed a size with a name"));
}

TEST_CASE("shards are along the axes that they were along, and of variables, too", "[saved]") {
  std::string saved = roundTrip(R"(
    func.func @f(%x: tensor<?x4xf32, #keratin.dims<d3, 4>>
                     {keratin.kind = "input", keratin.name = "x", keratin.mesh_axis = "data", keratin.sharded = 0 : i64},
                 %y: tensor<?xf32, #keratin.dims<d5>> {keratin.kind = "input", keratin.name = "y", keratin.sharded = 0 : i64},
                 %b: tensor<4xf32> {keratin.kind = "variable", keratin.name = "b"},
                 %w: tensor<4x6xf32> {keratin.kind = "variable", keratin.name = "w", keratin.mesh_axis = "model", keratin.sharded = 1 : i64},
                 %v: tensor<6x4xf32> {keratin.kind = "variable", keratin.name = "v", keratin.sharded = 0 : i64})
        -> (tensor<?xf32, #keratin.dims<d5>> {keratin.kind = "output"}) attributes {keratin.sizes = ["", "", "", "batch", "", "rows"]} {
      return %y : tensor<?xf32, #keratin.dims<d5>>
    })");
  for (
      const char *text :
      {R"("input", keratin.mesh_axis = "data", keratin.name = "x0", keratin.sharded = 0 : i64})",
       R"("input", keratin.name = "x1", keratin.sharded = 0 : i64})",
       R"("variable", keratin.name = "v2"})",
       R"("variable", keratin.mesh_axis = "model", keratin.name = "v3", keratin.sharded = 1 : i64})",
       R"("variable", keratin.name = "v4", keratin.sharded = 0 : i64})"})
    CHECK_THAT(saved, Catch::Contains(text));
}

TEST_CASE("symbols for parts of a value stay, in the version that has them", "[saved]") {
  std::string text = roundTrip(R"(
    func.func @f(%n: tensor<i32> {keratin.kind = "input", keratin.negative_part = 5,
                                  keratin.positive_part = 3})
        -> (tensor<?xi32, #keratin.dims<d3 + d5>> {keratin.kind = "output"}) {
      %y = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d3 + d5>>
      return %y : tensor<?xi32, #keratin.dims<d3 + d5>>
    })");
  CHECK_THAT(text, Catch::Contains("keratin.positive_part = 0"));
  CHECK_THAT(text, Catch::Contains("keratin.negative_part = 1"));
}

// `depth` branches inside each other, the innermost with sizes in its ops.
static std::string nestedBranches(unsigned depth) {
  const std::string type = "tensor<?xf32, #keratin.dims<d0>>";
  auto name = [](const char *letter, unsigned level) { return letter + std::to_string(level); };
  std::string text = "func.func @f(%p0: tensor<i1> {keratin.kind = \"input\"}, %a0: " + type +
                     " {keratin.kind = \"input\"}) -> (" + type +
                     " {keratin.kind = \"output\"}) {\n";
  std::string end = "return %y0 : " + type + "\n}\n";
  for (unsigned i = 0; i < depth; ++i) {
    std::string p = name("%p", i), a = name("%a", i), q = name("%p", i + 1), b = name("%a", i + 1);
    text += name("%y", i) + " = keratin.if " + p + " with(" + p + ", " + a +
            ") : (tensor<i1>, tensor<i1>, " + type + ") -> " + type + " {\n^bb0(" + q +
            ": tensor<i1>, " + b + ": " + type + "):\n";
    end = "keratin.yield " + name("%y", i + 1) + " : " + type + "\n} else {\n^bb0(" + q +
          ": tensor<i1>, " + b + ": " + type + "):\nkeratin.yield " + b + " : " + type + "\n}\n" +
          end;
  }
  return text + name("%y", depth) + " = keratin.slice " + name("%a", depth) +
         " starts = #keratin.dims<0> strides = [1] : (" + type + ") -> " + type + "\n" + end;
}

TEST_CASE("loops and branches are saved as deep as messages nest", "[saved]") {
  CHECK_THAT(roundTrip(nestedBranches(47).c_str()), Catch::Contains("keratin.slice"));
  CHECK_THAT(roundTrip(nestedBranches(48).c_str()),
             Catch::Contains("function 'f': if: more than 47 loops and branches inside each other "
                             "cannot be saved"));
}

TEST_CASE("what cannot be saved is refused by name", "[saved]") {
  CHECK_THAT(roundTrip(R"(
    func.func @f(%x: tensor<4xf32> {keratin.kind = "input"})
        -> (tensor<4xf32> {keratin.kind = "output"}) {
      %l = keratin.reduce_sum %x axes = [0] : (tensor<4xf32>) -> tensor<f32>
      %y = keratin.gradients %l wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    })"),
             Catch::Contains("function 'f': gradients: this op cannot be saved"));
  CHECK_THAT(roundTrip(R"(
    func.func @f(%x: tensor<4xf32> {keratin.kind = "input"})
        -> (tensor<?xf32, #keratin.dims<d5>> {keratin.kind = "output"}) {
      %y = keratin.slice %x starts = #keratin.dims<0> strides = [1]
          : (tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d5>>
      return %y : tensor<?xf32, #keratin.dims<d5>>
    })"),
             Catch::Contains("nothing binds a size"));
}

// As tests/saved/format.txt has it.
static std::string textOf(const SavedOp &op) {
  std::string text = op.name + std::string(" 1.") + std::to_string(op.minor);
  if (op.regions)
    text += ", regions " + std::to_string(op.regions);
  if (op.segments)
    text += ", lists of operands " + std::to_string(op.segments);
  for (const SavedAttribute &attribute : op.attributes)
    text += "; " + std::string(attribute.name) + ": " + kindName(attribute.kind) +
            (attribute.optional ? ", optional" : "");
  return text;
}

// A record that is changed must not change what files mean. A line is never changed or taken out.
TEST_CASE("what the format has had it has for ever", "[saved]") {
  std::set<std::string> present;
  for (const SavedOp &op : savedOps())
    present.insert(textOf(op));
  std::ifstream file(KERATIN_SAVED_FORMAT);
  size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    INFO(line);
    CHECK(present.count(line));
  }
  CHECK(lines >= 79);
}

TEST_CASE("the attributes of saved ops are those that the ops have", "[saved]") {
  auto context = makeSavedContext();
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    const SavedOp *entry =
        op.getDialectNamespace() == "keratin" ? findSavedOp(op.stripDialect()) : nullptr;
    if (!entry)
      continue;
    INFO(entry->name);
    std::set<std::string> ours, theirs;
    for (const SavedAttribute &attribute : entry->attributes)
      ours.insert(attribute.name);
    for (StringAttr attribute : op.getAttributeNames())
      theirs.insert(attribute.str());
    CHECK(ours == theirs);
  }
}
