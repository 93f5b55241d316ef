// keratin-dump before text that is cut off, changed, or full of hostile names: an error or a dump,
// never a crash.
#include "compiler/driver/ModelFile.h"
#include "tests/support/TemporaryFile.h"
#include "tools/keratin-dump/Dot.h"
#include "tools/keratin-dump/GraphReader.h"
#include "tools/keratin-dump/Html.h"
#include "tools/keratin-dump/Json.h"
#include "tools/keratin-dump/Stages.h"
#include "tools/keratin-dump/Stats.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <random>

using namespace keratin;
using namespace keratin::dump;

namespace {

const std::string kModel = R"(
func.func @step(%x: tensor<?x8xf32, #keratin.dims<d0, 8>> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"},
        tensor<8x4xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %rate = keratin.constant dense<0.1> : tensor<8x4xf32>
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x8xf32, #keratin.dims<d0, 8>>, tensor<8x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> loc("net.cc":10:3)
  %1 = keratin.tanh %0 : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> loc("net.cc":11:3)
  %loss = keratin.reduce_sum %1 axes = [0, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<f32>
  %g = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = keratin.mul %g, %rate : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %new = keratin.sub %w, %s : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %loss, %new : tensor<f32>, tensor<8x4xf32>
}
)";

struct Dumps {
  std::string json, dot, stats, html;
};

// All formats of all stages; nullopt if the model is refused somewhere.
std::optional<Dumps> dumpAll(const std::string &text) {
  static const tests::TemporaryFile file;
  std::ofstream(file.path, std::ios::binary) << text;
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto graph = compiler::readModel(file.path, context);
  if (!graph.ok())
    return std::nullopt;
  compiler::CompileOptions options;
  options.writeReproducer = false;
  HtmlPage page;
  std::vector<GraphView> views;
  for (auto function : graph->module->getOps<mlir::func::FuncOp>()) {
    mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(function.getLoc());
    alone->getBody()->push_back(function->clone());
    page.functions.emplace_back();
    for (Stage stage : pageStages) {
      auto module = moduleAt(*alone, stage, options);
      if (!module.ok())
        return std::nullopt;
      mlir::func::FuncOp op = *(*module)->getOps<mlir::func::FuncOp>().begin();
      views.push_back(viewOf(op, compiler::stageName(stage), {}));
      page.functions.back().stages.push_back(views.back());
      OpSet near = opsAround(op, "tanh", 1);
      if (!near.empty()) {
        views.push_back(viewOf(op, compiler::stageName(stage), {}, &near));
        CHECK(cutOut(op, near));
      }
    }
  }
  return Dumps{toJson(views), toDot(views), toStats(views), toHtml(page)};
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  text.replace(text.find(what), what.size(), by);
  return text;
}

} // namespace

TEST_CASE("the model itself is dumped") {
  std::optional<Dumps> dumps = dumpAll(kModel);
  REQUIRE(dumps);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(dumps->json);
  REQUIRE(bool(json));
  const llvm::json::Array &functions = *json->getAsObject()->getArray("functions");
  for (const llvm::json::Value &function : functions) {
    const llvm::json::Array &nodes = *function.getAsObject()->getArray("nodes");
    for (size_t id = 0; id < nodes.size(); ++id) {
      const llvm::json::Object &node = *nodes[id].getAsObject();
      CHECK(node.getInteger("id") == int64_t(id));
      for (const llvm::json::Value &operand : *node.getArray("operands"))
        CHECK(*operand.getAsInteger() < int64_t(id));
    }
  }
}

TEST_CASE("names with control characters are refused") {
  for (std::string name : {R"(\00\01)", R"(\0A)"}) {
    INFO(name);
    CHECK(!dumpAll(replaced(kModel, "\"x\"", "\"" + name + "\"")));
  }
}

TEST_CASE("names are text in every format") {
  for (std::string name : {R"(</script><script>alert(1)</script>)", R"(\22]; a -> b; \22)", R"(\\)",
                           R"(\FF\FE\C3)", R"(<!--)"}) {
    INFO(name);
    std::optional<Dumps> dumps = dumpAll(replaced(kModel, "\"x\"", "\"" + name + "\""));
    REQUIRE(dumps);
    CHECK(dumps->html.find("<script>alert") == std::string::npos);
    CHECK(dumps->html.find("<!--") == std::string::npos);
    CHECK(dumps->dot.find("\n]; a") == std::string::npos);
    CHECK(dumps->dot.find("[^\\]\"]; a -> b") == std::string::npos);
    CHECK(llvm::json::isUTF8(dumps->html));
    CHECK(llvm::json::isUTF8(dumps->dot));
    CHECK(bool(llvm::json::parse(dumps->json)));
    size_t begin = dumps->html.find("id=\"data\">") + 10;
    size_t end = dumps->html.find("</script>", begin);
    CHECK(bool(llvm::json::parse(dumps->html.substr(begin, end - begin))));
  }
}

TEST_CASE("text that is cut off") {
  for (size_t length = 0; length < kModel.size() - 4; length += 7)
    CHECK_FALSE(dumpAll(kModel.substr(0, length)));
}

TEST_CASE("text that is changed") {
  std::mt19937 random(5);
  int accepted = 0;
  for (int round = 0; round < 600; ++round) {
    std::string text = kModel;
    for (unsigned changes = 1 + random() % 3; changes; --changes) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = char(32 + random() % 95);
        break;
      case 1: // another digit
        if (size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
          text[digit] = char('0' + random() % 10);
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 24));
        break;
      }
    }
    INFO(text);
    accepted += dumpAll(text).has_value();
  }
  CHECK(accepted > 0);
}
