// Descriptions and whole files as bytes: what was written is read, for other texts too, and bytes
// that may be anything do no harm.
#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/store/CodeFile.h"
#include "tests/store/GraphText.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace keratin;
using namespace keratin::compiler;
using keratin::tests::GraphText;

// Unknown sizes, a value that is a size, a check, a variable with an update, a constant.
static std::string graphText(const std::string &x, const std::string &scope, int line) {
  const std::string place = " loc(\"" + scope + "/\"(\"net.py\":" + std::to_string(line) + ":1))";
  return R"mlir(
func.func @f(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = ")mlir" +
         x + R"mlir("},
             %y: tensor<?x4xf32, #keratin.dims<d1, 4>> {keratin.kind = "input", keratin.name = "y"},
             %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<?x4xf32, #keratin.dims<d1, 4>> {keratin.kind = "output"},
        tensor<4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %c = keratin.constant dense<[1.0, 2.0, 3.0, 4.5]> : tensor<4xf32>
  %z = keratin.require equal #keratin.dims<d0> #keratin.dims<d1> "the rows must be as many" %y
      : (tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>)mlir" +
         place + R"mlir(
  %0 = keratin.exp %z : (tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>)mlir" +
         place + R"mlir(
  %1 = keratin.add %w, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<4xf32>
})mlir";
}

namespace {
struct Made {
  explicit Made(const std::string &text) : graph(text), key(graph.key()) {
    options.profile = true;
    std::string error;
    std::shared_ptr<const codegen::Target> target = codegen::makeTarget({}, &error);
    compiler.emplace(*graph.module, target, options, std::chrono::steady_clock::now(), &key.said);
    REQUIRE(compiler->plan().ok());
    auto generated = compiler->generate(*target, "entry");
    REQUIRE(generated.ok());
    code = *std::move(generated);
  }

  GraphText graph;
  GraphKey key;
  CompileOptions options;
  std::optional<FunctionCompiler> compiler;
  FunctionCode code;
};
} // namespace

static std::string textOf(const keratin_function_desc_t &d) {
  std::ostringstream out;
  auto numbers = [&](const int64_t *values, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      out << ' ' << values[i];
    out << '\n';
  };
  auto tensors = [&](const keratin_tensor_desc_t *list, int32_t count) {
    for (const auto &t : llvm::ArrayRef(list, size_t(count))) {
      out << "tensor " << t.name << ' ' << t.dtype << ' ' << t.location;
      numbers(t.dims, t.rank);
      if (t.capacity)
        numbers(t.capacity, t.rank);
    }
  };
  out << d.abi_version << ' ' << d.name << ' ' << d.arena_slot << ' ' << d.scratch_bytes << '\n';
  tensors(d.inputs, d.num_inputs);
  tensors(d.variables, d.num_variables);
  tensors(d.outputs, d.num_outputs);
  for (int32_t i = 0; i < d.num_updates; ++i)
    out << "update " << d.updates[i].variable << ' ' << d.updates[i].in_place << '\n';
  for (int32_t i = 0; i < d.num_constants; ++i)
    out << "constant " << d.constants[i].bytes << ' '
        << *static_cast<const float *>(d.constants[i].data) << '\n';
  for (int64_t i = 0; i < d.num_symbols; ++i)
    out << "symbol " << d.symbols[i].source << ' ' << d.symbols[i].input << ' '
        << d.symbols[i].index << ' ' << d.symbols[i].name << '\n';
  for (int64_t i = 0; i < d.num_programs; ++i)
    numbers(d.programs[i].code, d.programs[i].length);
  for (int64_t i = 0; i < d.num_checks; ++i)
    out << "check " << d.checks[i].kind << ' ' << d.checks[i].status << ' ' << d.checks[i].lhs
        << ' ' << d.checks[i].rhs << ' ' << d.checks[i].message << '\n';
  for (int64_t i = 0; i < d.num_sites; ++i)
    out << "site " << d.sites[i].status << ' ' << d.sites[i].message << '\n';
  for (int64_t i = 0; i < d.num_kernels; ++i)
    out << "kernel " << d.kernels[i].name << " at " << d.kernels[i].location << '\n';
  return out.str();
}

TEST_CASE("A description is read as it was written") {
  Made made(graphText("x", "block", 3));
  REQUIRE(made.code.description->isForOtherTexts());
  auto read = loadDescription(saveDescription(*made.code.description), made.key.said,
                              made.code.description->constantElements());
  REQUIRE(read);
  const std::string text = textOf(read->descriptor);
  CHECK(text == textOf(made.code.description->descriptor));
  CHECK_THAT(text, Catch::Contains("the rows must be as many; at net.py:3"));
  CHECK_THAT(text, Catch::Contains("kernel block: "));
}

TEST_CASE("A description and a memory plan say the texts of another function") {
  Made made(graphText("x", "block", 3)), other(graphText("images", "head", 41));
  REQUIRE(made.key == other.key);
  auto read = loadDescription(saveDescription(*made.code.description), other.key.said,
                              made.code.description->constantElements());
  REQUIRE(read);
  CHECK(textOf(read->descriptor) == textOf(other.code.description->descriptor));
  REQUIRE(made.compiler->memoryPlanPattern());
  CHECK(made.compiler->memoryPlanPattern() == other.compiler->memoryPlanPattern());
}

TEST_CASE("Bytes that are no description are refused or read as one, and do no harm") {
  Made made(graphText("x", "block", 3));
  const std::string bytes = saveDescription(*made.code.description);
  const auto &constants = made.code.description->constantElements();
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(loadDescription(bytes.substr(0, length), made.key.said, constants));
  CHECK_FALSE(loadDescription(bytes + "x", made.key.said, constants));
  CHECK_FALSE(loadDescription(bytes, made.key.said, {}));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      (void)loadDescription(damaged, made.key.said, constants);
    }
}

TEST_CASE("A file is read as it was written, and nothing that is not whole") {
  CodeFile file;
  file.producer = "p";
  file.structure = "structure";
  file.description = "d";
  file.memoryPlanPattern = "m";
  file.kernels = 3;
  file.maxLiveBytes = -1;
  file.constants = {"abc", ""};
  file.objects = {"object"};
  const std::string bytes = file.head() + "abcobject";
  auto read = CodeFile::of(bytes);
  REQUIRE(read);
  CHECK(read->structure == "structure");
  CHECK(read->kernels == 3);
  CHECK(read->maxLiveBytes == -1);
  CHECK(read->constants == file.constants);
  CHECK(read->objects == file.objects);
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(CodeFile::of(llvm::StringRef(bytes).take_front(length)));
  CHECK_FALSE(CodeFile::of(bytes + "x"));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      (void)CodeFile::of(damaged);
    }
}
