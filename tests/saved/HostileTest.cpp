// Files made to do harm: each is refused with one clear error.
#include "ir/saved/GraphReader.h"
#include "ir/saved/GraphWriter.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/graph.pb.h"
#include "ir/shapes/DimExpr.h"
#include "tests/saved/Mutation.h"
#include "tests/support/SavedSamples.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <functional>

#include <sys/resource.h>

using namespace keratin;
using namespace keratin::tests;

// Values: 0 = x, 1 = w, 2 = constant, 3 = broadcast, 4 = sum, 5 = slice.
static const char *const sampleText = R"(
  func.func @step(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input"},
                  %w: tensor<2xf32> {keratin.kind = "variable"})
      -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output"},
          tensor<2xf32> {keratin.kind = "update", keratin.variable = 0}) {
    %c = keratin.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = keratin.broadcast %c dims = [1]
        : (tensor<2xf32>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
    %y = keratin.add %x, %b
        : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?x2xf32, #keratin.dims<d0, 2>>)
          -> tensor<?x2xf32, #keratin.dims<d0, 2>> loc("net.py":57:3)
    %z = keratin.slice %w starts = #keratin.dims<0> strides = [1] : (tensor<2xf32>) -> tensor<2xf32>
    return %y, %z : tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<2xf32>
  })";

static std::string bytesOf(const char *text) {
  auto context = makeSavedContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  std::vector<ir::SavedFunction> functions(1);
  std::vector<ir::SavedVariable> variables;
  describeForSaving(*module->getOps<mlir::func::FuncOp>().begin(), 1, functions[0], variables);
  return ir::writeGraph(*module, functions, variables).value();
}

static const std::string &sampleBytes() {
  static const std::string bytes = bytesOf(sampleText);
  return bytes;
}

static v1::Graph sample() {
  v1::Graph graph;
  REQUIRE(graph.ParseFromString(sampleBytes()));
  return graph;
}

// What the reader says.
static std::string refusal(std::string_view bytes) {
  auto context = makeSavedContext();
  auto graph = ir::readGraph(bytes, *context);
  CHECK(complaint(bytes, *context) == "");
  return graph.ok() ? "accepted" : std::string(graph.status().message());
}

static v1::Op *opOf(v1::Graph &graph, int index) {
  return graph.mutable_functions(0)->mutable_ops(index);
}
static v1::Dense *constantOf(v1::Graph &graph) {
  return opOf(graph, 0)->mutable_attributes(0)->mutable_dense();
}
static v1::Function *functionOf(v1::Graph &graph) { return graph.mutable_functions(0); }
static uint32_t addType(v1::Graph &graph, v1::DType dtype, std::vector<int64_t> sizes) {
  v1::TensorType *type = graph.add_types();
  type->set_dtype(dtype);
  for (int64_t size : sizes)
    type->add_dims()->set_size(size);
  return uint32_t(graph.types_size()) - 1;
}

namespace {
struct Evil {
  const char *name;
  std::function<void(v1::Graph &)> damage;
  const char *message;
};
} // namespace

static const std::vector<Evil> &evils() {
  using G = v1::Graph &;
  static const std::vector<Evil> all = {
      {"nothing", [](G) {}, "accepted"},
      // Versions.
      {"newer minor", [](G g) { g.set_version(1 << 16 | 7); },
       "1.7 is newer; this Keratin reads up to 1.6"},
      {"newer major", [](G g) { g.set_version(2 << 16); },
       "format version 2.0 is another major version; this Keratin reads 1.x up to 1.6"},
      {"major 0", [](G g) { g.set_version(5); }, "does not exist"},
      {"other magic", [](G g) { g.set_magic(1); }, "not a saved graph: it does not begin like one"},
      // Types.
      {"dtype 0", [](G g) { g.mutable_types(0)->set_dtype(v1::DTYPE_INVALID); }, "unknown dtype 0"},
      {"dtype 16", [](G g) { g.mutable_types(0)->set_dtype(v1::DType(16)); }, "unknown dtype 16"},
      {"dtype -1", [](G g) { g.mutable_types(0)->set_dtype(v1::DType(-1)); }, "unknown dtype -1"},
      {"negative size", [](G g) { addType(g, v1::DTYPE_INT8, {2, -1}); }, "size -1 is negative"},
      {"dynamic marker", [](G g) { addType(g, v1::DTYPE_INT8, {INT64_MIN}); }, "is negative"},
      {"huge product", [](G g) { addType(g, v1::DTYPE_INT8, {1ll << 32, 1ll << 32}); },
       "does not fit 64 bits"},
      {"huge product with 0", [](G g) { addType(g, v1::DTYPE_INT8, {0, 1ll << 32, 1ll << 32}); },
       "does not fit 64 bits"},
      {"huge bytes", [](G g) { addType(g, v1::DTYPE_FLOAT64, {1ll << 61}); },
       "does not fit 64 bits"},
      {"rank 33", [](G g) { addType(g, v1::DTYPE_INT8, std::vector<int64_t>(33, 1)); }, "rank 33"},
      {"wild size code",
       [](G g) {
         g.add_types()->set_dtype(v1::DTYPE_INT8);
         auto *dim = g.mutable_types(g.types_size() - 1)->add_dims();
         for (int64_t n : {INT64_MAX, INT64_MIN, int64_t(5)})
           dim->add_code(n);
       },
       "one encoding"},
      {"long size code",
       [](G g) {
         g.add_types()->set_dtype(v1::DTYPE_INT8);
         auto *dim = g.mutable_types(g.types_size() - 1)->add_dims();
         for (int i = 0; i < 5000; ++i)
           dim->add_code(1);
       },
       "one encoding"},
      {"constant as code",
       [](G g) {
         g.add_types()->set_dtype(v1::DTYPE_INT8);
         auto *dim = g.mutable_types(g.types_size() - 1)->add_dims();
         for (int64_t n : ir::DimExpr(7).encode())
           dim->add_code(n);
       },
       "one encoding"},
      // Elements.
      {"data too short", [](G g) { constantOf(g)->mutable_data()->pop_back(); },
       "7 bytes of elements; needed 8"},
      {"data too long", [](G g) { constantOf(g)->mutable_data()->push_back(0); },
       "9 bytes of elements; needed 8"},
      {"elements of unknown sizes",
       [](G g) { constantOf(g)->set_type(functionOf(g)->inputs(0).type()); }, "unknown sizes"},
      {"elements of no type", [](G g) { constantOf(g)->set_type(99); }, "there is no type 99"},
      {"splat bomb",
       [](G g) {
         constantOf(g)->set_type(addType(g, v1::DTYPE_FLOAT32, {1 << 30}));
         constantOf(g)->set_splat(true);
         constantOf(g)->mutable_data()->resize(4);
       },
       "splats stand for more"},
      {"splat of one",
       [](G g) {
         constantOf(g)->set_type(addType(g, v1::DTYPE_FLOAT32, {1}));
         constantOf(g)->set_splat(true);
         constantOf(g)->mutable_data()->resize(4);
       },
       "less than two"},
      {"a bool of 2",
       [](G g) {
         constantOf(g)->set_type(addType(g, v1::DTYPE_BOOL, {2}));
         *constantOf(g)->mutable_data() = std::string("\1\2", 2);
       },
       "neither 0 nor 1"},
      // Ops.
      {"undefined operand", [](G g) { opOf(g, 1)->set_operands(0, 77); },
       "operand 77 is not defined"},
      {"itself as operand", [](G g) { opOf(g, 1)->set_operands(0, 3); },
       "operand 3 is not defined"},
      {"a later operand", [](G g) { opOf(g, 2)->set_operands(1, 5); },
       "function 'step': op 2 ('add'): operand 5 is not defined before it; at net.py:57"},
      {"unknown op", [](G g) { opOf(g, 2)->set_name("frobnicate"); }, "op 2 ('frobnicate')"},
      {"an op of a newer format", [](G g) { opOf(g, 2)->set_name("check_range"); },
       "needs format version 1.1, which the file does not state"},
      {"kernel", [](G g) { opOf(g, 2)->set_name("kernel"); }, "no op of a saved graph"},
      {"yield", [](G g) { opOf(g, 2)->set_name("yield"); }, "no op of a saved graph"},
      {"variable", [](G g) { opOf(g, 2)->set_name("variable"); }, "no op of a saved graph"},
      {"gradients", [](G g) { opOf(g, 2)->set_name("gradients"); }, "no op of a saved graph"},
      {"another dialect", [](G g) { opOf(g, 2)->set_name("x.y"); }, "no op of a saved graph"},
      {"with NUL", [](G g) { opOf(g, 2)->set_name(std::string("add\0", 4)); },
       "no op of a saved graph"},
      {"too few operands", [](G g) { opOf(g, 2)->mutable_operands()->RemoveLast(); },
       "function 'step': op 2 ('add')"},
      {"too many operands", [](G g) { opOf(g, 2)->add_operands(0); }, "op 2 ('add')"},
      {"no operands", [](G g) { opOf(g, 2)->clear_operands(); }, "op 2 ('add')"},
      {"no result", [](G g) { opOf(g, 2)->clear_results(); }, "there is no value 5"},
      {"two results", [](G g) { opOf(g, 2)->add_results(0); }, "op 2 ('add')"},
      {"wrong result type", [](G g) { opOf(g, 2)->set_results(0, constantOf(g)->type()); },
       "op 2 ('add')"},
      {"no such type", [](G g) { opOf(g, 2)->set_results(0, 1u << 31); }, "there is no type"},
      {"no such location", [](G g) { opOf(g, 2)->set_location(99); }, "there is no location 99"},
      {"a region", [](G g) { opOf(g, 2)->add_regions(); }, "has no regions"},
      // Attributes.
      {"unknown attribute", [](G g) { opOf(g, 1)->mutable_attributes(0)->set_name("axis"); },
       "has no attribute 'axis'"},
      {"attribute twice", [](G g) { *opOf(g, 1)->add_attributes() = opOf(g, 1)->attributes(0); },
       "not in order"},
      {"missing attribute", [](G g) { opOf(g, 1)->clear_attributes(); }, "an attribute is missing"},
      {"wrong kind", [](G g) { opOf(g, 1)->mutable_attributes(0)->set_text("1"); },
       "must be a list of integers"},
      {"value of no kind", [](G g) { opOf(g, 1)->mutable_attributes(0)->clear_value(); },
       "must be a list of integers"},
      {"long list",
       [](G g) {
         for (int i = 0; i < 100; ++i)
           opOf(g, 1)->mutable_attributes(0)->mutable_integers()->add_values(i);
       },
       "must be a list of integers"},
      {"wild integer",
       [](G g) { opOf(g, 1)->mutable_attributes(0)->mutable_integers()->set_values(0, INT64_MIN); },
       "op 1 ('broadcast')"},
      {"flags of 2",
       [](G g) {
         g.set_version(1 << 16 | 1); // which brought the op
         v1::Op *op = opOf(g, 2);
         op->set_name("convolution");
         for (const char *name : {"dilation", "dims", "low", "reversed"})
           op->add_attributes()->set_name(name);
         op->mutable_attributes(0)->mutable_integers()->add_values(1);
         op->mutable_attributes(1)->set_text("0,0->0");
         op->mutable_attributes(2)->mutable_dims();
         op->mutable_attributes(3)->mutable_integers()->add_values(2);
       },
       "must be a list of flags"},
      {"wrong enum",
       [](G g) {
         opOf(g, 2)->set_name("compare");
         auto *a = opOf(g, 2)->add_attributes();
         a->set_name("direction");
         a->set_choice("huge");
       },
       "must be the name of a comparison"},
      {"wild start",
       [](G g) {
         opOf(g, 3)->mutable_attributes(0)->mutable_dims()->mutable_dims(0)->set_size(INT64_MAX);
       },
       "op 3 ('slice')"},
      {"wild stride",
       [](G g) { opOf(g, 3)->mutable_attributes(1)->mutable_integers()->set_values(0, 0); },
       "op 3 ('slice')"},
      // Functions, arguments, results.
      {"no function", [](G g) { g.clear_functions(); }, "no function"},
      {"function twice", [](G g) { *g.add_functions() = g.functions(0); }, "two functions"},
      {"no name", [](G g) { functionOf(g)->clear_name(); }, "has no name"},
      {"variable twice", [](G g) { *g.add_variables() = g.variables(0); }, "two variables"},
      {"variable used twice",
       [](G g) { *functionOf(g)->add_variables() = functionOf(g)->variables(0); }, "listed twice"},
      {"no such variable", [](G g) { functionOf(g)->mutable_variables(0)->set_variable(9); },
       "there is no variable 9"},
      {"input twice", [](G g) { *functionOf(g)->add_inputs() = functionOf(g)->inputs(0); },
       "two inputs"},
      {"variable of unknown size",
       [](G g) {
         g.mutable_variables(0)->mutable_value()->set_type(functionOf(g)->inputs(0).type());
       },
       "variable 'v1'"},
      {"splat variable", [](G g) { g.mutable_variables(0)->mutable_value()->set_splat(true); },
       "all its elements"},
      {"draws of floats", [](G g) { g.mutable_variables(0)->set_counts_draws(true); },
       "int64 scalar"},
      {"unbound symbol", [](G g) { functionOf(g)->add_symbols("n"); },
       "nothing gives the symbol d1 a value"},
      {"symbol not declared", [](G g) { functionOf(g)->clear_symbols(); },
       "which the function has not"},
      {"symbol of a matrix", [](G g) { functionOf(g)->mutable_inputs(0)->set_value_symbol(1); },
       "only an integer scalar"},
      {"part of a matrix",
       [](G g) { functionOf(g)->mutable_inputs(0)->set_positive_part_symbol(1); },
       "only an integer scalar"},
      {"part of nothing",
       [](G g) { functionOf(g)->mutable_inputs(0)->set_negative_part_symbol(9); },
       "there is no symbol 8"},
      {"names of sizes in an older format", [](G g) { functionOf(g)->add_named_symbols(0); },
       "needs format version 1.4"},
      {"name of no symbol",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_named_symbols(1);
       },
       "the named symbols are not in order, or none of the function's"},
      {"name that is no word",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->set_symbols(0, "batch size");
         functionOf(g)->add_named_symbols(0);
       },
       "a size cannot be named 'batch size'"},
      {"limits of sizes in an older format", [](G g) { functionOf(g)->add_size_limits(); },
       "needs format version 1.4"},
      {"limits of no dimension",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_size_limits()->set_symbol(1);
       },
       "the limits of sizes are not in order, or of no dimension of an input"},
      {"limits twice",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_size_limits()->set_max(4);
         functionOf(g)->add_size_limits()->set_max(4);
       },
       "the limits of sizes are not in order, or of no dimension of an input"},
      {"limits that no size keeps",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_size_limits()->set_min(-1);
       },
       "no size keeps the limits of d0"},
      {"shards in an older format", [](G g) { functionOf(g)->add_sharded_symbols(0); },
       "needs format version 1.4"},
      {"shards of a size without a name",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_sharded_symbols(0);
       },
       "the sharded sizes are not in order, or no named dimensions of an input"},
      {"shards of no size",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_sharded_symbols(9);
       },
       "the sharded sizes are not in order, or no named dimensions of an input"},
      {"axes of no sizes", [](G g) { functionOf(g)->add_shard_axes("data"); },
       "the axes of the sharded sizes are not one for each, or have no names"},
      {"variable shards in an older format", [](G g) { functionOf(g)->add_variable_shards(); },
       "needs format version 1.4"},
      {"shards of no variable",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_variable_shards()->set_variable(9);
       },
       "the sharded variables are not in order, or none of the function's"},
      {"shards of a variable twice",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_variable_shards();
         functionOf(g)->add_variable_shards();
       },
       "the sharded variables are not in order, or none of the function's"},
      {"shards along no dimension",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_variable_shards()->set_dimension(UINT32_MAX);
       },
       "is sharded along no dimension, or along no axis of a mesh"},
      {"shards along an axis without a name",
       [](G g) {
         g.set_version(ir::kSavedMajor << 16 | ir::kSavedMinorOfSizeNames);
         functionOf(g)->add_variable_shards()->set_axis("da\nta");
       },
       "is sharded along no dimension, or along no axis of a mesh"},
      {"parts of no size", [](G g) { functionOf(g)->set_gathers_parts(true); },
       "gathers parts, but no size is sharded"},
      {"statistics of no size", [](G g) { functionOf(g)->set_local_statistics(true); },
       "has local statistics, but no size is sharded"},
      {"states of no size", [](G g) { functionOf(g)->set_shards_states(true); },
       "has states in parts, but no size is sharded"},
      {"output of nothing", [](G g) { functionOf(g)->mutable_outputs(0)->set_value(99); },
       "there is no value 99"},
      {"update of nothing", [](G g) { functionOf(g)->mutable_updates(0)->set_variable(1); },
       "there is no variable 1"},
      {"update twice", [](G g) { *functionOf(g)->add_updates() = functionOf(g)->updates(0); },
       "updated twice"},
      {"update of another type", [](G g) { functionOf(g)->mutable_updates(0)->set_value(4); },
       "has another type"},
      {"no such file", [](G g) { g.mutable_locations(0)->set_file(9); }, "there is no such file"},
      {"no such scope", [](G g) { g.mutable_locations(0)->add_scopes(9); }, "no such scope"},
      {"control characters", [](G g) { functionOf(g)->set_name("a\nb"); },
       "a function has no name, or one with control characters"},
      {"variable without a name", [](G g) { g.mutable_variables(0)->clear_name(); },
       "a variable has no name, or one with control characters"},
  };
  return all;
}

TEST_CASE("evil messages are refused with what is wrong", "[hostile]") {
  for (const Evil &evil : evils()) {
    INFO(evil.name);
    v1::Graph graph = sample();
    evil.damage(graph);
    CHECK_THAT(refusal(graph.SerializeAsString()), Catch::Contains(evil.message));
  }
}

// Op 0 is a loop, in which op 0 is a branch. Inside the loop: 0 = t, 1 = s, 2 = e, 3 = the branch.
static const std::string &loopBytes() {
  static const std::string bytes = bytesOf(R"(
    func.func @loop(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input"},
                    %h: tensor<2xf32> {keratin.kind = "input"}, %p: tensor<i1> {keratin.kind = "input"})
        -> (tensor<2xf32> {keratin.kind = "output"}) {
      %y = keratin.scan length = <d0> init(%h) over(%x) with(%p)
          : (tensor<2xf32>, tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<i1>) -> tensor<2xf32> {
      ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %e: tensor<2xf32>, %c: tensor<i1>):
        %z = keratin.if %c with(%s, %e) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
        ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
          %0 = keratin.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("net.py":7:1)
          keratin.yield %0 : tensor<2xf32>
        } else {
        ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
          keratin.yield %a : tensor<2xf32>
        }
        keratin.yield %z : tensor<2xf32>
      }
      return %y : tensor<2xf32>
    })");
  return bytes;
}

static v1::Region *bodyOf(v1::Graph &graph) { return opOf(graph, 0)->mutable_regions(0); }
static v1::Op *branchOf(v1::Graph &graph) { return bodyOf(graph)->mutable_ops(0); }

TEST_CASE("evil loops and branches are refused with what is wrong", "[hostile]") {
  using G = v1::Graph &;
  const std::vector<Evil> all = {
      {"nothing", [](G) {}, "accepted"},
      {"an older format", [](G g) { g.set_version(1 << 16); },
       "op 0 ('scan'): needs format version 1.1, which the file does not state"},
      {"no body", [](G g) { opOf(g, 0)->clear_regions(); },
       "op 0 ('scan'): needs 1 regions, found 0"},
      {"two bodies", [](G g) { *opOf(g, 0)->add_regions() = *bodyOf(g); },
       "needs 1 regions, found 2"},
      {"one branch", [](G g) { branchOf(g)->mutable_regions()->RemoveLast(); },
       "op 0 ('scan'): op 0 ('if'): needs 2 regions, found 1"},
      {"an empty body", [](G g) { bodyOf(g)->Clear(); },
       "the arguments of the body must be 4 values, found 0"},
      {"no arguments", [](G g) { bodyOf(g)->clear_arguments(); }, "is not defined before it"},
      {"an argument of no type", [](G g) { bodyOf(g)->set_arguments(0, 99); },
       "there is no type 99"},
      {"another argument", [](G g) { bodyOf(g)->set_arguments(0, bodyOf(g)->arguments(1)); },
       "the arguments of the body: value 0 must have type 'tensor<i64>'"},
      {"an outer value", [](G g) { branchOf(g)->set_operands(1, 5); },
       "operand 5 is not defined before it"},
      {"an inner value", [](G g) { functionOf(g)->mutable_outputs(0)->set_value(4); },
       "there is no value 4"},
      {"no such result", [](G g) { bodyOf(g)->set_results(0, 9); },
       "op 0 ('scan'): there is no value 9 in the region"},
      {"no result", [](G g) { bodyOf(g)->clear_results(); },
       "the yield of the body must be 1 values, found 0"},
      {"a result of another type", [](G g) { bodyOf(g)->set_results(0, 0); },
       "the yield of the body: value 0 must have type"},
      {"an op that is wrong inside",
       [](G g) { branchOf(g)->mutable_regions(0)->mutable_ops(0)->add_operands(0); },
       "op 0 ('scan'): op 0 ('if'): op 0 ('add'): "},
      {"where it is wrong",
       [](G g) { branchOf(g)->mutable_regions(0)->mutable_ops(0)->add_operands(0); },
       "; at net.py:7"},
      {"a yield inside", [](G g) { branchOf(g)->set_name("yield"); },
       "no op of a saved graph has this name"},
      {"two counts of operands",
       [](G g) {
         opOf(g, 0)->mutable_attributes(1)->mutable_integers()->mutable_values()->RemoveLast();
       },
       "attribute 'operandSegmentSizes' must have 3 entries"},
      {"a negative count of operands",
       [](G g) { opOf(g, 0)->mutable_attributes(1)->mutable_integers()->set_values(0, -1); },
       "must be a count for each list of operands"},
      {"too many operands of a kind",
       [](G g) { opOf(g, 0)->mutable_attributes(1)->mutable_integers()->set_values(0, 2); },
       "op 0 ('scan'): "},
      {"no length", [](G g) { opOf(g, 0)->mutable_attributes(0)->mutable_dims()->clear_dims(); },
       "needs one length, found 0"},
      {"an unknown length",
       [](G g) {
         auto *dim = opOf(g, 0)->mutable_attributes(0)->mutable_dims()->mutable_dims(0);
         dim->clear_code();
         dim->set_size(7);
       },
       "sequence 0 must have 7 elements"},
  };
  for (const Evil &evil : all) {
    INFO(evil.name);
    v1::Graph graph;
    REQUIRE(graph.ParseFromString(loopBytes()));
    evil.damage(graph);
    CHECK_THAT(refusal(graph.SerializeAsString()), Catch::Contains(evil.message));
  }
}

TEST_CASE("truncation at every byte is refused", "[hostile]") {
  for (const std::string &bytes : {sampleBytes(), loopBytes()})
    for (size_t length = 0; length < bytes.size(); ++length) {
      INFO(length);
      CHECK(refusal(std::string_view(bytes).substr(0, length)) != "accepted");
    }
}

TEST_CASE("every byte changed in every way gives a graph or an error", "[hostile]") {
  auto context = makeSavedContext();
  for (const std::string &whole : {sampleBytes(), loopBytes()})
    for (size_t at = 0; at < whole.size(); ++at)
      for (int value = 0; value < 256; ++value) {
        std::string bytes = whole;
        bytes[at] = char(value);
        std::string wrong = complaint(bytes, *context);
        if (!wrong.empty())
          FAIL("byte " << at << " = " << value << ": " << wrong);
      }
}

// A field of a message: tag, length, contents.
static std::string field(unsigned number, const std::string &contents) {
  std::string bytes(1, char(number << 3 | 2));
  for (size_t length = contents.size();; length >>= 7) {
    bytes.push_back(char(length < 128 ? length : (length & 127) | 128));
    if (length < 128)
      return bytes + contents;
  }
}

TEST_CASE("what the schema does not have is refused before it is parsed", "[hostile]") {
  const std::string &bytes = sampleBytes();
  CHECK_THAT(refusal(bytes + field(15, "x")),
             Catch::Contains("unknown field 15 in Graph") &&
                 Catch::Contains(": the file is damaged, or of a newer format"));
  CHECK_THAT(refusal(bytes + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
             Catch::Contains("damaged at byte"));
  CHECK_THAT(refusal(bytes + field(4, "\xff\xfe")), Catch::Contains("UTF-8"));
  CHECK_THAT(refusal(bytes + std::string("\x20\x01")), Catch::Contains("wire type"));
  CHECK_THAT(refusal(bytes + sampleBytes()), Catch::Contains("two variables"));
}

TEST_CASE("nesting is counted before protobuf sees it", "[hostile]") {
  // An op in a region in an op …; each level is two messages.
  for (unsigned levels : {1u, 48u, 49u, 50u, 5000u, 20000u}) {
    INFO(levels);
    std::string op;
    for (unsigned i = 0; i < levels; ++i)
      op = field(6, field(2, op));
    std::string message = refusal(sampleBytes() + field(9, field(5, op)));
    bool deep = levels >= 49;
    CHECK((message.find("messages are nested more than") != std::string::npos) == deep);
  }
}

// The most memory that the process has had.
static size_t peakBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return size_t(usage.ru_maxrss) << 10;
}

TEST_CASE("small files cannot ask for much memory", "[hostile]") {
  std::string emptyOps, emptyTypes, operands(8 << 20, '\1');
  for (int i = 0; i < 1 << 20; ++i) {
    emptyOps += std::string("\x2a\x00", 2);
    emptyTypes += std::string("\x3a\x00", 2);
  }
  for (const std::string &bomb :
       {field(9, emptyOps), emptyTypes, field(9, field(5, field(2, operands)))}) {
    size_t before = peakBytes();
    CHECK_THAT(refusal(sampleBytes() + bomb), Catch::Contains("memory"));
    CHECK(peakBytes() < before + (64 << 20) + 32 * bomb.size());
  }
}

TEST_CASE("reading a long chain takes the memory that is promised", "[hostile]") {
  v1::Graph graph = sample();
  for (uint32_t i = 0; i < 60000; ++i) {
    *functionOf(graph)->add_ops() = graph.functions(0).ops(2);
    functionOf(graph)->mutable_ops()->rbegin()->set_operands(0, 5 + i);
  }
  opOf(graph, 4)->set_operands(0, 4);
  for (uint32_t i = 1; i < 60000; ++i)
    opOf(graph, int(4 + i))->set_operands(1, 4);
  std::string bytes = graph.SerializeAsString();
  graph.Clear();
  auto context = makeSavedContext();
  size_t before = peakBytes();
  auto read = ir::readGraph(bytes, *context);
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CHECK(peakBytes() < before + (64 << 20) + 32 * bytes.size());
}

TEST_CASE("long size expressions cannot keep the reader busy", "[hostile]") {
  // d0 + d0^2 + …, in a type that every op names again.
  v1::Graph graph = sample();
  ir::DimExpr power = ir::DimExpr::symbol(0), sum = power;
  for (int i = 0; i < 40; ++i) {
    power = ir::mul(power, ir::DimExpr::symbol(0)).value();
    sum = ir::add(sum, power).value();
  }
  v1::TensorType *type = graph.add_types();
  type->set_dtype(v1::DTYPE_FLOAT32);
  std::vector<int64_t> code = sum.encode();
  type->add_dims()->mutable_code()->Assign(code.begin(), code.end());
  uint32_t index = uint32_t(graph.types_size()) - 1;
  v1::Input *input = functionOf(graph)->add_inputs();
  input->set_name("long");
  input->set_type(index);
  // The variable's and all later values have moved on by one.
  functionOf(graph)->clear_ops();
  functionOf(graph)->clear_updates();
  functionOf(graph)->clear_outputs();
  for (uint32_t i = 0; i < 100000; ++i) {
    v1::Op *op = functionOf(graph)->add_ops();
    op->set_name("neg");
    op->add_operands(1);
    op->add_results(index);
  }
  // The processor's time: that of the wall is the neighbours' too.
  std::clock_t start = std::clock();
  CHECK_THAT(refusal(graph.SerializeAsString()), Catch::Contains("too long to check"));
  // As many as are allowed.
  size_t allowed = ir::kMaxSavedSizeWork / (2 * code.size());
  functionOf(graph)->mutable_ops()->DeleteSubrange(int(allowed), 100000 - int(allowed));
  CHECK(refusal(graph.SerializeAsString()) == "accepted");
  double elapsed = double(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(elapsed < 40); // two readings and their checks, with sanitizers
}
