// K::distributed in one process, and FunctionOptions::shard; several processes are
// tests/distributed's.
#include "tests/frontend/FrontendTest.h"

#include "keratin/distributed.h"
#include "keratin/layers/normalization.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using Catch::Matchers::Contains;

namespace {

template <typename Exception, typename Work>
void checkRefused(const std::string &message, Work work) {
  try {
    work();
    FAIL("nothing was thrown; expected: " << message);
  } catch (const Exception &error) {
    CHECK_THAT(error.what(), Contains(message));
  }
}

} // namespace

TEST_CASE("a sharded function of one rank computes the whole") {
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  K::Function f = K::function(x, {K::sum(x), x * 2.0}, {}, {.shard = {{"batch"}}});
  K::Results results = f({Array{{1.0, 2.0}, {3.0, 4.0}}});
  CHECK(results[0].item() == 10);
  CHECK(results[1].shape() == std::vector<int64_t>{2, 2});
}

TEST_CASE("an op that needs all parts gets them where it may") {
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  Tensor y = K::cumsum(x, 0);
  K::Function f = K::function(x, y, {}, {.shard = {{"batch"}}, .gatherParts = true});
  checkArray(f({Array{{1.0, 2.0}, {3.0, 4.0}}})[0], {{1.0, 2.0}, {4.0, 6.0}});
  if (std::getenv("KERATIN_TEST_PROGRAM")) // what passes refuse has no kind there
    return;
  checkRefused<K::ValueError>(
      "cumsum along 'batch', of which each rank has a part; needed gather_parts, with which each "
      "rank gets all parts",
      [&] { K::function(x, y, {}, {.shard = {{"batch"}}}); });
}

TEST_CASE("a process that has joined no ranks has none to lose") {
  K::distributed::shrink();
  CHECK(K::distributed::size() == 1);
}

TEST_CASE("shards that a function cannot have") {
  Tensor x = K::placeholder({K::Dim("batch"), K::Dim("time")});
  checkRefused<K::ValueError>(
      "no input has a dimension of the size 'rows', of which each rank is to "
      "have a part; needed the name of a K::Dim",
      [&] { K::function(x, K::sum(x), {}, {.shard = {{"rows"}}}); });
  checkRefused<K::NotImplementedError>(
      "parts of an input along two of its dimensions, 'batch' and 'time'",
      [&] { K::function(x, K::sum(x), {}, {.shard = {{"batch"}, {"time"}}}); });
}

TEST_CASE("a variable in parts is whole on one rank") {
  Tensor x = K::placeholder({1, 2});
  Tensor w = K::variable(Array{{1.0, 2.0}, {3.0, 4.0}});
  Tensor loss = K::sum(K::dot(x, w));
  K::Function step =
      K::function(x, loss, {{w, w - *K::gradients(loss, {w})[0]}}, {.shard = {{w, -1}}});
  CHECK(step({Array{{1.0, 1.0}}})[0].item() == 10);
  checkArray(K::get_value(w), {{0.0, 1.0}, {2.0, 3.0}});
  checkArray(K::function(x, K::dot(x, w))({Array{{1.0, 1.0}}})[0], {{2.0, 4.0}});
}

TEST_CASE("variables in parts that a function cannot have") {
  Tensor x = K::placeholder({1, 2}, {.name = "x"});
  Tensor w = K::variable(Array{{1.0, 2.0}, {3.0, 4.0}}, {.name = "w"});
  Tensor other = K::variable(Array{1.0, 2.0}, {.name = "other"});
  auto shard = [&](const std::vector<keratin::Shard> &shards) {
    K::function(x, K::dot(x, w), {}, {.shard = shards});
  };
  checkRefused<K::ValueError>("each rank is to have a part of 'x:0'; needed a variable",
                              [&] { shard({{x, 0}}); });
  checkRefused<K::ValueError>("axis 2 is outside the rank", [&] { shard({{w, 2}}); });
  checkRefused<K::ValueError>(
      "each rank is to have a part of variable 'other:0'; needed one of the function's",
      [&] { shard({{other, 0}}); });
  checkRefused<K::ValueError>(
      "variable 'w:0' is to be in parts twice, along dimensions 0 and 1; needed once",
      [&] { shard({{w, 0}, {w, 1}}); });
}

TEST_CASE("states in parts that a function cannot have") {
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  checkRefused<K::ValueError>(
      "states are to be in parts, and no size is; needed one that is sharded",
      [&] { K::function(x, K::sum(x), {}, {.shardStates = true}); });
  checkRefused<K::NotImplementedError>("states in parts with lazy updates", [&] {
    K::function(x, K::sum(x), {}, {.lazyUpdates = true, .shard = {{"batch"}}, .shardStates = true});
  });
}

TEST_CASE("parts that there are not") {
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  checkRefused<K::ValueError>("function: gather_parts, and no size is sharded; needed shard",
                              [&] { K::function(x, K::cumsum(x, 0), {}, {.gatherParts = true}); });
}

TEST_CASE("statistics of one rank are those of the batch") {
  keratin::layers::BatchNorm normal(2);
  Tensor x = K::placeholder({K::Dim("batch"), 2}), training = K::placeholder({});
  Tensor y = normal(x, training), loss = K::sum(y * y * y), dx = K::gradients(loss, {x})[0];
  const Array rows{{1.0, 2.0}, {3.0, -4.0}, {0.5, 1.0}};
  K::Function whole = K::function({x, training}, {y, loss, dx}, {}, {.shard = {{"batch"}}});
  K::Function own = K::function({x, training}, {y, loss, dx}, {},
                                {.shard = {{"batch"}}, .localStatistics = true});
  for (float phase : {1.0f, 0.0f}) {
    K::Results expected = whole({rows, phase}), found = own({rows, phase});
    for (size_t i = 0; i < 3; ++i)
      CHECK(found[i].toVector<float>() == expected[i].toVector<float>());
  }
  checkRefused<K::ValueError>("function: local_statistics, and no size is sharded; needed shard",
                              [&] { K::function(x, K::sum(x), {}, {.localStatistics = true}); });
}

TEST_CASE("a process joins its ranks once") {
  CHECK_FALSE(K::distributed::isInitialized());
  CHECK(K::distributed::engine() == "one rank");
  K::distributed::barrier();
  checkRefused<K::ValueError>("distributed.init: there is no engine; needed a keratin_comm_t",
                              [] { K::distributed::init(nullptr); });
  checkRefused<K::ValueError>(
      "distributed.init: a mesh of data 2 x model 2 is 4 ranks; there are 1",
      [] { K::distributed::init({{"data", 2}, {"model", 2}}); });
  checkRefused<K::ValueError>("distributed.init: an axis 'data' of 0 ranks; needed at least 1",
                              [] { K::distributed::init({{"data", 0}}); });
  for (const char *name : {"", "model-1", "2d"})
    checkRefused<K::ValueError>("distributed.init: an axis is named '" + std::string(name) +
                                    "'; needed letters, digits and _, a letter first, 64 at most",
                                [&] { K::distributed::init({{name, 1}}); });
  checkRefused<K::ValueError>("distributed.init: two axes are named 'data'",
                              [] { K::distributed::init({{"data", 1}, {"data", 1}}); });
  checkRefused<K::ValueError>("distributed.rank: the mesh has no axis 'data'; the ranks are in "
                              "none (distributed.init)",
                              [] { K::distributed::rank("data"); });
  CHECK_FALSE(K::distributed::isInitialized());
  K::distributed::init({{"data", 1}, {"model", 1}});
  CHECK((K::distributed::rank() == 0 && K::distributed::size() == 1));
  CHECK((K::distributed::rank("model") == 0 && K::distributed::size("data") == 1));
  checkRefused<K::ValueError>("distributed.size: the mesh has no axis 'rows'; there are 'data', "
                              "'model'",
                              [] { K::distributed::size("rows"); });
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  checkRefused<K::ValueError>(
      "'batch' is to be sharded, and the mesh has no axis 'rows'; there are 'data', 'model'",
      [&] { K::function(x, K::sum(x), {}, {.shard = {{"batch", K::mesh("rows")}}}); });
  checkRefused<K::RuntimeError>("distributed.init: this process has joined its ranks already",
                                [] { K::distributed::init(); });
  checkArray(K::distributed::allGather(Array{1.0, 2.0}), Array{1.0, 2.0});
  checkRefused<K::ValueError>(
      "distributed.all_gather: found a number; needed an array with a dimension at least",
      [] { K::distributed::allGather(3.0); });
  Tensor w = K::variable(3.0);
  K::distributed::broadcast({w});
  CHECK(K::get_value(w).item() == 3);
}

// tests/distributed/collectives_test.py has several.
TEST_CASE("what ranks do together, of one rank") {
  namespace D = K::distributed;
  const Array given = {{1.0, 2.0}, {3.0, 4.0}};
  Tensor x = K::placeholder({2, 2});
  for (const char *reduction : {"sum", "max", "min", "mean"}) {
    checkArray(K::function(x, D::allReduce(x, reduction))({given})[0], given);
    checkArray(K::function(x, D::reduceScatter(x, 1, reduction))({given})[0], given);
  }
  checkArray(K::function(x, D::allGather(x, 0))({given})[0], given);
  checkArray(K::function(x, D::broadcastFrom(x, 0))({given})[0], given);
  checkArray(K::function(x, D::allToAll(x, 0, 1))({given})[0], given);
  checkArray(K::function(x, D::permute(x, {{0, 0}}))({given})[0], given);
  checkArray(K::function(x, D::permute(x, {}))({given})[0], {{0.0, 0.0}, {0.0, 0.0}});
  K::Results numbers = K::function({}, {D::rankIndex(), D::rankCount()})(std::vector<Array>());
  CHECK((numbers[0].item<int64_t>() == 0 && numbers[1].item<int64_t>() == 1));
  Tensor loss = K::sum(K::square(D::allToAll(D::allReduce(x, "mean"), 1, 0)));
  checkArray(K::function(x, *K::gradients(loss, {x})[0])({given})[0], {{2.0, 4.0}, {6.0, 8.0}});
}

TEST_CASE("what ranks cannot do together") {
  namespace D = K::distributed;
  Tensor x = K::placeholder({2, 2});
  checkRefused<K::ValueError>("distributed.all_reduce: there is no reduction 'before'; needed sum, "
                              "max, min or mean; at",
                              [&] { D::allReduce(x, "before"); });
  checkRefused<K::ValueError>("distributed.reduce_scatter: the mean of int32; needed floats; at",
                              [&] { D::reduceScatter(K::cast(x, DType::Int32), 0, "mean"); });
  checkRefused<K::ValueError>(
      "distributed.broadcast_from: there is no rank 1; needed one of 1, from 0 on; at",
      [&] { D::broadcastFrom(x, 1); });
  checkRefused<K::ValueError>("distributed.permute: the pair (0, 0) has the sender or the receiver "
                              "of an earlier one; needed others; at",
                              [&] { D::permute(x, {{0, 0}, {0, 0}}); });
  checkRefused<K::ValueError>("distributed.all_gather: axis 2 is outside the rank",
                              [&] { D::allGather(x, 2); });
}

TEST_CASE("the axis that has a size") {
  Tensor x = K::placeholder({K::Dim("batch"), 2});
  CHECK(K::distributed::axisOf(K::transpose(x), "batch") == 1);
  CHECK(K::distributed::axisOf(x, "rows") == -1);
}

TEST_CASE("a checkpoint of one rank is a set of one part") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("keratin-checkpoint-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "net.safetensors.index.json";
  Tensor w = K::variable(Array{1.0, 2.0}, {.name = "w"});
  // Twice: the parts have other names then.
  for (const char *part : {"net-00001-of-00001.safetensors", "net-b-00001-of-00001.safetensors"}) {
    K::distributed::saveCheckpoint({w}, path);
    CHECK(std::filesystem::exists(folder / part));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "net-00001-of-00001.safetensors"));
  K::set_value(w, Array{0.0, 0.0});
  K::distributed::loadCheckpoint({w}, path);
  checkArray(K::get_value(w), Array{1.0, 2.0});
  checkRefused<K::ValueError>("distributed.save_checkpoint: 'net.npz' ends in no known way; needed "
                              ".safetensors.index.json",
                              [&] { K::distributed::saveCheckpoint({w}, "net.npz"); });
  std::filesystem::remove_all(folder);
}
