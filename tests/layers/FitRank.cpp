// A rank of a training that tests/distributed/fit_test.py starts: what it is given that the others
// are not, and how it ends.
//
//   fit_rank plain|rows|data|stops|throws|file
#include "keratin/backend.h"
#include "keratin/distributed.h"
#include "keratin/training.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

using namespace keratin;
namespace K = keratin::backend;

int main(int, char **arguments) try {
  const std::string kind = arguments[1];
  K::distributed::init();
  const int rank = K::distributed::rank();
  const bool isOther = rank == 1;
  K::Tensor x = K::placeholder({"batch", 1});
  // Each process would begin elsewhere.
  K::Tensor total = K::variable(double(100 * rank), {.name = "total"});
  K::Tensor sum = K::sum(x);
  K::Function step = K::function(x, {{"mean", K::mean(x)}, {"total", total}},
                                 K::update_add(total, sum), {.shard = {{"batch"}}});
  int fed = 0;
  auto rowsOf = [&](const std::vector<int64_t> &rows) {
    if (++fed == 3 && isOther && kind == "data")
      throw std::runtime_error("the disk is gone");
    std::printf("fed");
    std::vector<float> values;
    for (int64_t row : rows) {
      std::printf(" %d", int(row));
      values.push_back(float(row));
    }
    std::printf("\n");
    return std::vector<K::Array>{K::Array(values, {int64_t(values.size()), 1})};
  };
  const int64_t count = 7 + (isOther && kind == "rows");
  auto afterEpoch = [&](const training::Epoch &epoch) {
    if (isOther && kind == "throws")
      throw std::runtime_error("the plotter is out of paper");
    std::printf("epoch %d mean %g\n", int(epoch.number), epoch["mean"]);
    return !(isOther && kind == "stops");
  };
  training::fit(step, training::Dataset(count, rowsOf),
                {.epochs = 2,
                 .batch_size = 4,
                 .shuffle = false,
                 .callbacks = {afterEpoch},
                 .checkpoint = kind == "file" ? "net.safetensors" : "",
                 .progress = training::Progress::Silent});
  std::printf("total %g\n", K::get_value(total).item());
  return 0;
} catch (const RankError &error) {
  std::printf("RankError: %s\n", error.what());
  return 1;
} catch (const ValueError &error) {
  const bool isRight =
      std::strstr(error.what(), "fit: the checkpoint of several ranks is 'net.safetensors'; needed "
                                "a set of files, .safetensors.index.json; at ");
  std::printf("%s\n", isRight ? "as expected" : error.what());
  return 3;
} catch (const std::exception &error) {
  std::printf("%s\n", error.what());
  return 2;
}
