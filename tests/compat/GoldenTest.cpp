// Files that earlier versions wrote are read and compute what they did.
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/LocalStatistics.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/SavedFile.h"
#include "ir/saved/SavedOps.h"
#include "keratin/backend.h"
#include "tests/support/SavedSamples.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace keratin;
namespace K = keratin::backend;

namespace {
struct Golden {
  std::vector<Array> inputs, outputs, updates;
};
} // namespace

static Array readArray(std::istringstream &stream) {
  std::string dtype, dims, number;
  stream >> dtype >> dims;
  std::vector<int64_t> shape;
  std::istringstream sizes(dims.substr(1, dims.size() - 2));
  while (std::getline(sizes, number, ','))
    shape.push_back(std::stoll(number));
  DType type = dtypeFromName(dtype);
  std::vector<double> floats;
  std::vector<int64_t> integers;
  while (stream >> number) {
    if (isFloating(type))
      floats.push_back(std::stod(number));
    else
      integers.push_back(int64_t(std::stoll(number)));
  }
  return isFloating(type) ? Array(floats, shape).astype(type) : Array(integers, shape).astype(type);
}

static Golden readGolden(const std::filesystem::path &path) {
  std::ifstream file(path);
  REQUIRE(file);
  Golden golden;
  for (std::string line, kind; std::getline(file, line);) {
    std::istringstream stream(line);
    stream >> kind;
    (kind == "in"    ? golden.inputs
     : kind == "out" ? golden.outputs
                     : golden.updates)
        .push_back(readArray(stream));
  }
  return golden;
}

// Compiled code rounds where the interpreter, which wrote the files, does not.
static void checkEqual(const Array &found, const Array &expected) {
  REQUIRE(found.dtype() == expected.dtype());
  REQUIRE(found.shape() == expected.shape());
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.item<double>(i), b = expected.item<double>(i);
    INFO("element " << i << ": " << a << ", " << b << " in the file");
    CHECK((std::isnan(a) ? std::isnan(b)
                         : a == b || std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b))));
  }
}

TEST_CASE("golden files are read and executed", "[golden]") {
  for (const auto &version : std::filesystem::directory_iterator(KERATIN_GOLDEN_FOLDER)) {
    std::set<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(version.path())) {
      if (entry.path().extension() != ".ktg")
        continue;
      std::string op = entry.path().stem().string();
      INFO(entry.path());
      found.insert(op);
      Golden golden = readGolden(std::filesystem::path(entry.path()).replace_extension(".txt"));
      Function f = K::load_function(entry.path().string());
      auto outputs = f(golden.inputs);
      REQUIRE(outputs.size() == golden.outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i)
        checkEqual(outputs[i], golden.outputs[i]);

      // The file has the op that it is named after.
      auto context = tests::makeSavedContext();
      auto graph = ir::readGraph(*ir::readFileBytes(entry.path().string()), *context);
      REQUIRE(graph.ok());
      bool hasOp = op == "update" || op == "local_sizes" || op == "value_parts";
      graph->module->walk(
          [&](mlir::Operation *inner) { hasOp |= inner->getName().stripDialect() == op; });
      for (auto function : graph->module->getOps<mlir::func::FuncOp>()) {
        hasOp |= op == "size_names" && ir::SizeNames::given(function, 0) == "batch";
        hasOp |= op == "size_limits" && function->hasAttr("keratin.limits");
        hasOp |= op == "shards" && ir::Signature(function).sharded(0) == 0 &&
                 ir::Signature(function).sharded(1) == 1;
        hasOp |= op == "variable_shards" && ir::Signature(function).sharded(0) == 0 &&
                 ir::Signature(function).meshAxis(0) == "data" &&
                 ir::Signature(function).sharded(1) == 1 &&
                 ir::Signature(function).meshAxis(1) == "model";
        hasOp |= op == "mesh_axis" && ir::meshAxesIn(function).size() == 2;
        hasOp |= op == "gathered_parts" && function->hasAttr(ir::kGathersPartsAttr);
        hasOp |= op == "local_statistics" && function->hasAttr(ir::kLocalStatisticsAttr);
        hasOp |= op == "shards_states" && function->hasAttr(ir::kShardsStatesAttr);
      }
      CHECK(hasOp);
    }
    // Each op has a file of the version that brought it.
    for (const ir::SavedOp &op : ir::savedOps())
      if (version.path().filename() == "1." + std::to_string(op.minor)) {
        INFO(op.name);
        CHECK(found.count(op.name));
      }
  }
}

TEST_CASE("a golden update, default and location come back", "[golden]") {
  std::string path = std::string(KERATIN_GOLDEN_FOLDER) + "/1.0/update.ktg";
  Golden golden = readGolden(std::string(KERATIN_GOLDEN_FOLDER) + "/1.0/update.txt");
  Function f = K::load_function(path);
  CHECK(f.inputs()[0].name().substr(0, 1) == "x");
  // y = x . w, and w becomes what the file says: seen through the next call with unit rows.
  f(golden.inputs);
  Array rows = Array({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}).astype(DType::Float32);
  checkEqual(f({rows, None})[0], golden.updates[0]);
  // The default rate is 0.5.
  Array expected = golden.updates[0];
  for (int64_t i = 0; i < 3; ++i)
    expected.data<float>()[i] -= 0.5f;
  checkEqual(f({rows, None})[0], expected);
  auto context = tests::makeSavedContext();
  auto graph = ir::readGraph(*ir::readFileBytes(path), *context);
  REQUIRE(graph.ok());
  std::string text;
  llvm::raw_string_ostream stream(text);
  graph->module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  CHECK_THAT(text, Catch::Contains("\"dense/\"") && Catch::Contains("\"net.py\":57:0"));
}
