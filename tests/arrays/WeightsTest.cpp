// Files of weights, by the names and dtypes of variables.
#include "compiler/arrays/Weights.h"

#include "compiler/arrays/Npz.h"
#include "compiler/arrays/SafetensorsSet.h"
#include "tests/arrays/Zip.h"
#include "tests/support/TemporaryFile.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace keratin::compiler;
using namespace keratin::tests;

namespace {

struct WeightsFile : TemporaryFile {
  explicit WeightsFile(const char *end) { path += end; }

  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

template <class T> Array arrayOf(keratin_dtype_t dtype, std::initializer_list<T> values) {
  const std::string bytes = raw<T>(values);
  return {dtype, {int64_t(values.size())}, {bytes.begin(), bytes.end()}};
}

// What the file's only array becomes for a variable of the dtype.
absl::StatusOr<Array> readAs(keratin_dtype_t dtype, const Array &array, const char *end) {
  WeightsFile file(end);
  REQUIRE(writeWeights(file.path, {{"w", array}}).ok());
  auto values = readWeights(file.path, {{"w", dtype, array.dims}});
  if (!values.ok())
    return values.status();
  return std::move(values->front());
}

} // namespace

TEST_CASE("weights go to both files and back, in any order, with any names") {
  const Array matrix{KERATIN_DTYPE_FLOAT32, {2, 1}, std::vector<char>(8, 3)},
      flags = arrayOf<uint8_t>(KERATIN_DTYPE_BOOL, {1, 0, 1}),
      half = arrayOf<uint16_t>(KERATIN_DTYPE_BFLOAT16, {0x3FC0, 0xFF80, 0x7FC0, 0x0001});
  const std::vector<NamedView> views = {
      {"dense/kernel", matrix}, {"flags\n../etc", flags}, {"flags%0A", half}};
  for (const char *end : {".npz", ".safetensors"}) {
    INFO(end);
    WeightsFile file(end);
    REQUIRE(writeWeights(file.path, views).ok());
    const std::string bytes = file.read();
    REQUIRE(writeWeights(file.path, views).ok());
    CHECK(bytes == file.read());
    auto values = readWeights(file.path, {{"flags%0A", KERATIN_DTYPE_BFLOAT16, {4}},
                                          {"absent", KERATIN_DTYPE_INT64, {}, true},
                                          {"flags\n../etc", KERATIN_DTYPE_BOOL, {3}},
                                          {"dense/kernel", KERATIN_DTYPE_FLOAT32, {2, 1}}});
    INFO(values.status());
    REQUIRE(values.ok());
    CHECK((*values)[0].data == half.data);
    CHECK((*values)[1].dtype == KERATIN_DTYPE_INVALID);
    CHECK((*values)[2].data == flags.data);
    CHECK((*values)[3].data == matrix.data);
  }
}

TEST_CASE("names that NumPy was given are found where ours are not") {
  WeightsFile file(".npz");
  const Array one = arrayOf<float>(KERATIN_DTYPE_FLOAT32, {1}),
              two = arrayOf<float>(KERATIN_DTYPE_FLOAT32, {2});
  std::ofstream(file.path, std::ios::binary) << archiveOf({{"a b", one}, {"a%20b", two}});
  auto values = readWeights(file.path, {{"a b", KERATIN_DTYPE_FLOAT32, {1}}});
  REQUIRE(values.ok());
  CHECK(values->front().data == two.data); // as we write it
  std::ofstream(file.path, std::ios::binary) << archiveOf({{"a b", one}});
  values = readWeights(file.path, {{"a b", KERATIN_DTYPE_FLOAT32, {1}}});
  REQUIRE(values.ok());
  CHECK(values->front().data == one.data);
}

TEST_CASE("floats are rounded to a variable's dtype, integers must fit it") {
  const Array doubles = arrayOf<double>(KERATIN_DTYPE_FLOAT64, {1.0 / 3, -0.0, INFINITY, 1e300});
  for (const char *end : {".npz", ".safetensors"}) {
    INFO(end);
    CHECK(readAs(KERATIN_DTYPE_FLOAT32, doubles, end)->data ==
          arrayOf<float>(KERATIN_DTYPE_FLOAT32, {1.0f / 3, -0.0f, INFINITY, INFINITY}).data);
    CHECK(readAs(KERATIN_DTYPE_FLOAT16, doubles, end)->data ==
          arrayOf<uint16_t>(KERATIN_DTYPE_FLOAT16, {0x3555, 0x8000, 0x7C00, 0x7C00}).data);
    CHECK(readAs(KERATIN_DTYPE_BFLOAT16, doubles, end)->data ==
          arrayOf<uint16_t>(KERATIN_DTYPE_BFLOAT16, {0x3EAB, 0x8000, 0x7F80, 0x7F80}).data);
    const Array halves = arrayOf<uint16_t>(KERATIN_DTYPE_FLOAT16, {0x3C00, 0xC000});
    CHECK(readAs(KERATIN_DTYPE_FLOAT64, halves, end)->data ==
          arrayOf<double>(KERATIN_DTYPE_FLOAT64, {1, -2}).data);
    const Array integers = arrayOf<int32_t>(KERATIN_DTYPE_INT32, {-1, 127});
    CHECK(readAs(KERATIN_DTYPE_INT8, integers, end)->data ==
          arrayOf<int8_t>(KERATIN_DTYPE_INT8, {-1, 127}).data);
    CHECK(readAs(KERATIN_DTYPE_INT64, integers, end)->data ==
          arrayOf<int64_t>(KERATIN_DTYPE_INT64, {-1, 127}).data);
    CHECK(readAs(KERATIN_DTYPE_UINT8, integers, end).status().message() ==
          "'w' is int32 with an element that the variable, uint8, does not hold");
    const Array large = arrayOf<uint64_t>(KERATIN_DTYPE_UINT64, {uint64_t(1) << 63});
    CHECK(readAs(KERATIN_DTYPE_INT64, large, end).status().message() ==
          "'w' is uint64 with an element that the variable, int64, does not hold");
    CHECK(readAs(KERATIN_DTYPE_FLOAT32, integers, end).status().message() ==
          "'w' is int32; needed the variable's dtype float32");
    CHECK(readAs(KERATIN_DTYPE_INT8, arrayOf<uint8_t>(KERATIN_DTYPE_BOOL, {1}), end)
              .status()
              .message() == "'w' is bool; needed the variable's dtype int8");
  }
}

TEST_CASE("what does not fit, or is no file of weights, is refused") {
  WeightsFile file(".npz");
  const Array one = arrayOf<float>(KERATIN_DTYPE_FLOAT32, {1});
  auto message = [&](const std::vector<WeightSlot> &slots) {
    return std::string(readWeights(file.path, slots).status().message());
  };
  CHECK(readWeights(file.path, {}).status() == absl::UnavailableError("No such file or directory"));
  REQUIRE(writeWeights(file.path, {{"w", one}}).ok());
  CHECK(message({{"w", KERATIN_DTYPE_FLOAT32, {}}}) ==
        "'w' has shape (1,); needed the variable's shape ()");
  CHECK(message({{"a", KERATIN_DTYPE_FLOAT32, {1}}, {"w", KERATIN_DTYPE_FLOAT32, {1}}}) ==
        "it has no 'a'");
  CHECK(message({{"a", KERATIN_DTYPE_FLOAT32, {1}}, {"b", KERATIN_DTYPE_FLOAT32, {1}}}) ==
        "it has no 'a', nor 1 other variables");
  std::ofstream(file.path, std::ios::binary) << "no archive";
  CHECK(message({}) == "this is no .npz file: it is too short for a zip archive");
  CHECK(readWeights("weights.txt", {}).status().message() ==
        "'weights.txt' ends in no known way; needed .safetensors, .safetensors.index.json, .npz or "
        ".h5");
  CHECK(writeWeights("weights.h5", {}).code() == absl::StatusCode::kInvalidArgument);
  CHECK(writeWeights("/nonexistent/w.npz", {}).code() == absl::StatusCode::kUnavailable);
}

TEST_CASE("the index of a set is written behind its parts") {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("keratin-set-" + std::to_string(getpid()) + ".safetensors.index.json");
  const SafetensorsSet set(path, {{"w", 4}, {"v", 4}, {"u", 8}}, 2);
  REQUIRE(set.numParts() == 2);
  // The largest, and the other two.
  CHECK((set.partOf(2) == 0 && set.partOf(0) == 1 && set.partOf(1) == 1));
  CHECK(set.freeTurn() == 0);
  const absl::Status missing = set.writeIndex(0);
  CHECK(missing.code() == absl::StatusCode::kUnavailable);
  CHECK_THAT(std::string(missing.message()),
             Catch::Matchers::Contains("-00001-of-00002.safetensors' of rank 0 is not beside it: "
                                       "all ranks need the same folder"));
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("a .npz file takes names of 65,531 bytes and 100,000 arrays") {
  const Array one = arrayOf<float>(KERATIN_DTYPE_FLOAT32, {1});
  auto write = [](const std::vector<NamedView> &views) {
    return std::string(writeNpz(views, [](std::string_view) {}).message());
  };
  CHECK(write({{std::string(65531, 'a'), one}}) == "");
  CHECK(write({{std::string(65532, 'a'), one}}) ==
        "a name of 65532 bytes is too long for a .npz file");
  CHECK(write(std::vector<NamedView>(100'001, {"a", one})) ==
        "a .npz file of 100001 arrays; at most 100000 are written");
}

// Inputs/: numpy.savez and numpy.savez_compressed of NumPy 1.26.
TEST_CASE("files that NumPy has written are read") {
  const Array kernel = arrayOf<float>(KERATIN_DTYPE_FLOAT32, {1.5f, -2.0f, 0.25f, 3.0f});
  for (const char *name : {"numpy.npz", "numpy_compressed.npz"}) {
    INFO(name);
    auto values = readWeights(std::filesystem::path(__FILE__).parent_path() / "Inputs" / name,
                              {{"dense/kernel", KERATIN_DTYPE_FLOAT32, {2, 2}},
                               {"half", KERATIN_DTYPE_FLOAT16, {2}},
                               {"steps", KERATIN_DTYPE_INT64, {}},
                               {"mask", KERATIN_DTYPE_BOOL, {3}}});
    INFO(values.status());
    REQUIRE(values.ok());
    CHECK((*values)[0].data == kernel.data);
    CHECK((*values)[1].data == arrayOf<uint16_t>(KERATIN_DTYPE_FLOAT16, {0x3800, 0x7BFF}).data);
    CHECK((*values)[2].data == arrayOf<int64_t>(KERATIN_DTYPE_INT64, {-7}).data);
    CHECK((*values)[3].data == arrayOf<uint8_t>(KERATIN_DTYPE_BOOL, {1, 0, 1}).data);
  }
}
