#include "tests/support/RankRuns.h"

#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "tests/runtime/comm/Ranks.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/InterpretedRanks.h"

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

HostTensor keratin::tests::partOf(const HostTensor &whole, unsigned dimension, int64_t begin,
                                  int64_t end) {
  std::vector<int64_t> dims = whole.dims;
  dims[dimension] = end - begin;
  HostTensor result = *makeHostTensor(whole.dtype, dims);
  int64_t inner = 1, outer = 1;
  for (size_t i = 0; i < dims.size(); ++i)
    (i < dimension ? outer : inner) *= i == dimension ? 1 : dims[i];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < (end - begin) * inner; ++k) {
      int64_t from = (o * whole.dims[dimension] + begin) * inner + k;
      int64_t to = o * (end - begin) * inner + k;
      if (whole.isFloat())
        result.floats[to] = whole.floats[from];
      else
        result.ints[to] = whole.ints[from];
    }
  return result;
}

std::vector<Tensors> keratin::tests::partsOf(const Tensors &arguments,
                                             ArrayRef<std::optional<unsigned>> dimensions,
                                             ArrayRef<int64_t> sizes) {
  std::vector<Tensors> parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    Tensors &own = parts.emplace_back();
    for (auto [tensor, dimension] : llvm::zip_equal(arguments, dimensions))
      own.push_back(dimension ? partOf(tensor, *dimension, begin, begin + size) : tensor);
    begin += size;
  }
  return parts;
}

static std::string firstOf(ArrayRef<std::string> errors) {
  for (const std::string &error : errors)
    if (!error.empty())
      return error;
  return "";
}

// What each rank makes of its parts, on threads; the first error.
template <typename Results, typename Interpret>
static std::string runEach(ArrayRef<Tensors> parts, const Mesh &mesh, std::vector<Results> &results,
                           Interpret interpret) {
  InterpretedRanks ranks(int(parts.size()), mesh);
  results.resize(parts.size());
  std::vector<std::string> errors(parts.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < parts.size(); ++rank)
    threads.emplace_back([&, rank] {
      InterpretedRanks::Rank own(ranks, int(rank));
      EvaluationContext evaluation;
      evaluation.ranks = &own;
      if (FailureOr<Results> found = interpret(parts[rank], evaluation); succeeded(found))
        results[rank] = *std::move(found);
      errors[rank] = evaluation.error;
    });
  for (std::thread &thread : threads)
    thread.join();
  return firstOf(errors);
}

RankRun keratin::tests::interpretOnRanks(func::FuncOp function, ArrayRef<Tensors> parts,
                                         const Mesh &mesh) {
  RankRun run;
  run.error =
      runEach(parts, mesh, run.results, [&](const Tensors &own, EvaluationContext &evaluation) {
        return interpret(function, own, evaluation);
      });
  return run;
}

RankBounds keratin::tests::boundsOnRanks(func::FuncOp function, ArrayRef<Tensors> parts,
                                         const BoundOptions &options, const Mesh &mesh) {
  RankBounds bounds;
  bounds.error =
      runEach(parts, mesh, bounds.results, [&](const Tensors &own, EvaluationContext &evaluation) {
        return interpretWithBounds(function, own, evaluation, options);
      });
  return bounds;
}

std::string keratin::tests::deviceOfRank(size_t rank) {
  const char *devices = std::getenv("KERATIN_TEST_DEVICES");
  return devices && std::strcmp(devices, "each") == 0 ? testedTarget() + ":" + std::to_string(rank)
                                                      : "";
}

RankRun keratin::tests::runOnRanks(func::FuncOp function, ArrayRef<Tensors> parts,
                                   const Mesh &mesh) {
  std::vector<keratin_mesh_axis_t> axes;
  for (const auto &[name, count] : mesh)
    axes.push_back({name.c_str(), count});
  RankRun run;
  std::vector<std::unique_ptr<CompiledRunner>> runners;
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    runners.push_back(
        std::make_unique<CompiledRunner>(function, compiler::CompileOptions(), deviceOfRank(rank)));
    if (run.error = runners.back()->error; !run.error.empty())
      return run;
  }
  std::vector<std::string> errors(parts.size(), "this rank cannot join");
  run.results = onRanks<Tensors>(int(parts.size()), [&](keratin_group_t *group, int rank) {
    if (!axes.empty())
      keratin_group_arrange(group, axes.data(), int32_t(axes.size()), nullptr);
    runners[rank]->callWith(group);
    auto found = runners[rank]->run(parts[rank]);
    errors[rank] = runners[rank]->error;
    return found ? *found : Tensors();
  });
  run.error = firstOf(errors);
  return run;
}
