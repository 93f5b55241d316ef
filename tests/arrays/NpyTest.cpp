// .npy files, good ones and hostile ones.
#include "compiler/arrays/Npy.h"

#include "tests/arrays/Zip.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace keratin::compiler;
using namespace keratin::tests;

namespace {

std::string messageOf(const std::string &bytes) {
  auto array = parseNpy(bytes);
  return array.ok() ? "it was read" : std::string(array.status().message());
}

} // namespace

TEST_CASE("arrays of all dtypes survive writing and reading") {
  struct {
    keratin_dtype_t dtype;
    size_t size;
  } dtypes[] = {{KERATIN_DTYPE_BOOL, 1},    {KERATIN_DTYPE_INT8, 1},    {KERATIN_DTYPE_INT16, 2},
                {KERATIN_DTYPE_INT32, 4},   {KERATIN_DTYPE_INT64, 8},   {KERATIN_DTYPE_UINT8, 1},
                {KERATIN_DTYPE_UINT16, 2},  {KERATIN_DTYPE_UINT32, 4},  {KERATIN_DTYPE_UINT64, 8},
                {KERATIN_DTYPE_FLOAT16, 2}, {KERATIN_DTYPE_FLOAT32, 4}, {KERATIN_DTYPE_FLOAT64, 8}};
  std::vector<std::vector<int64_t>> shapes = {{}, {1}, {0}, {5}, {2, 3}, {4, 0, 2}, {1, 2, 3, 4}};
  std::vector<NamedArray> all;
  for (auto [dtype, size] : dtypes)
    for (const auto &dims : shapes) {
      size_t count = 1;
      for (int64_t dim : dims)
        count *= size_t(dim);
      Array array{dtype, dims, std::vector<char>(count * size)};
      for (size_t i = 0; i < array.data.size(); ++i)
        array.data[i] = dtype == KERATIN_DTYPE_BOOL ? char(i % 2) : char(37 * i + size);
      std::string text = formatNpy(array);
      CHECK((text.size() - array.data.size()) % 64 == 0);
      auto read = parseNpy(text);
      REQUIRE(read.ok());
      CHECK(read->dtype == dtype);
      CHECK(read->dims == dims);
      CHECK(read->data == array.data);
      all.push_back({"array" + std::to_string(all.size()), std::move(array)});
    }
  const std::string archive = archiveOf(all);
  CHECK(archive == archiveOf(all));
  auto read = parseNpz(archive);
  REQUIRE(read.ok());
  REQUIRE(read->size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK((*read)[i].name == all[i].name);
    CHECK((*read)[i].array.data == all[i].array.data);
    CHECK((*read)[i].array.dims == all[i].array.dims);
  }
}

TEST_CASE("what NumPy lays out in other ways is converted") {
  auto fortran = parseNpy(npy(dictionary("<i4", "(2, 3)", true), raw<int32_t>({1, 4, 2, 5, 3, 6})));
  REQUIRE(fortran.ok());
  CHECK(valuesOf<int32_t>(*fortran) == std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  auto cube =
      parseNpy(npy(dictionary("|i1", "(2, 2, 2)", true), raw<int8_t>({0, 4, 2, 6, 1, 5, 3, 7})));
  REQUIRE(cube.ok());
  CHECK(valuesOf<int8_t>(*cube) == std::vector<int8_t>{0, 1, 2, 3, 4, 5, 6, 7});
  auto big = parseNpy(npy(dictionary(">i4", "(2,)"), raw<int32_t>({0x01000000, 0x02000000})));
  REQUIRE(big.ok());
  CHECK(valuesOf<int32_t>(*big) == std::vector<int32_t>{1, 2});
  // 1 + 2i: each part has its bytes the other way round.
  auto complex = parseNpy(npy(dictionary(">c8", "(1,)"), raw<int32_t>({0x0000803F, 0x00000040})));
  REQUIRE(complex.ok());
  CHECK(complex->dtype == KERATIN_DTYPE_COMPLEX64);
  CHECK(valuesOf<float>(*complex) == std::vector<float>{1, 2});
  for (int version : {1, 2, 3}) {
    auto array = parseNpy(npy(dictionary("<f8", "()"), raw<double>({2.5}), version));
    REQUIRE(array.ok());
    CHECK(array->dims.empty());
    CHECK(valuesOf<double>(*array) == std::vector<double>{2.5});
  }
  // Keys in another order, double quotes, long integers.
  auto other = parseNpy(
      npy("{\"shape\":(2L,),\"descr\":\"=u2\",'fortran_order':False}", raw<uint16_t>({7, 9})));
  REQUIRE(other.ok());
  CHECK(valuesOf<uint16_t>(*other) == std::vector<uint16_t>{7, 9});
  // bfloat16 1.5 is written as float32.
  Array half{KERATIN_DTYPE_BFLOAT16, {1}, {char(0xC0), char(0x3F)}};
  auto wide = parseNpy(formatNpy(half));
  REQUIRE(wide.ok());
  CHECK(wide->dtype == KERATIN_DTYPE_FLOAT32);
  CHECK(valuesOf<float>(*wide) == std::vector<float>{1.5f});
}

TEST_CASE("a .npy file cut anywhere is refused") {
  std::string good = npy(dictionary("<f4", "(2, 2)"), raw<float>({1, 2, 3, 4}));
  REQUIRE(parseNpy(good).ok());
  for (size_t length = 0; length < good.size(); ++length)
    CHECK(!parseNpy(good.substr(0, length)).ok());
  // No byte may end the process, whatever else it does.
  for (size_t i = 0; i < good.size(); ++i)
    for (int value : {0, 1, 0x27, 0x28, 0x39, 0x7F, 0xFF}) {
      std::string damaged = good;
      damaged[i] = char(value);
      (void)parseNpy(damaged);
    }
}

TEST_CASE("hostile .npy files are refused") {
  std::string data = raw<float>({1, 2, 3, 4});
  std::string deep(4000, '(');
  const Hostile files[] = {
      {"empty", "", "does not begin with \\x93NUMPY"},
      {"wrong magic", "PK" + npy(dictionary("<f4", "(4,)"), data), "this is no .npy file"},
      {"a later version", npy(dictionary("<f4", "(4,)"), data, 9), "version 9.0"},
      {"version 0", npy(dictionary("<f4", "(4,)"), data, 0), "version 0.0"},
      {"a header beyond the file", "\x93NUMPY" + bytesOf(1, 2) + bytesOf(5000, 2) + "{}",
       "ends within its header"},
      {"a header too long", "\x93NUMPY" + bytesOf(2, 2) + bytesOf(0xFFFFFFFF, 4) + "{}",
       "the header has 4294967295 bytes"},
      {"a long header of spaces", npy(dictionary("<f4", "(4,)") + std::string(20000, ' '), data),
       "at most 10000"},
      {"Python objects", npy(dictionary("|O", "(4,)"), data), "pickled Python objects"},
      {"a raw type", npy(dictionary("<V2", "(8,)"), data), "bfloat16"},
      {"long complex numbers", npy(dictionary("<c32", "(1,)"), data), "'<c32' is not supported"},
      {"text", npy(dictionary("<U4", "(1,)"), data), "'<U4' is not supported"},
      {"a structured dtype",
       npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}", data),
       "structured dtypes"},
      {"no dtype", npy(dictionary("", "(4,)"), data), "'' is not supported"},
      {"a dtype with strange bytes", npy(dictionary("<f4\x01\xFF", "(4,)"), data), "'<f4?"},
      {"a negative size", npy(dictionary("<f4", "(-4,)"), data), "negative"},
      {"a huge size", npy(dictionary("<f4", "(99999999999999999999,)"), data), "64 bits"},
      {"sizes whose product overflows", npy(dictionary("<f4", "(4294967296, 4294967296)"), data),
       "do not fit in 64 bits"},
      {"sizes whose bytes overflow", npy(dictionary("<f4", "(4611686018427387905,)"), data),
       "do not fit in 64 bits"},
      {"far more than there is", npy(dictionary("<f4", "(1000000000000,)"), data),
       "needs 4000000000000 bytes"},
      {"one element too few", npy(dictionary("<f4", "(5,)"), data), "needs 20 bytes"},
      {"one element too many", npy(dictionary("<f4", "(3,)"), data), "needs 12 bytes"},
      {"too many axes",
       npy(dictionary("<f4",
                      "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                      "1, 1, 1, 1, 1, 1, 1, 1, 1, 4)"),
           data),
       "more than 32 sizes"},
      {"nested parentheses", npy("{'descr': '<f4', 'shape': " + deep, data), "not a tuple"},
      {"nested dictionaries", npy(std::string(4000, '{'), data), "a key is missing"},
      {"a size that is an expression", npy(dictionary("<f4", "(2**2,)"), data), "not a tuple"},
      {"a call", npy(dictionary("<f4", "__import__('os')"), data), "not a tuple"},
      {"a shape that is a number", npy(dictionary("<f4", "(4)"), data), "not a tuple"},
      {"a comma alone", npy(dictionary("<f4", "(,)"), data), "not a tuple"},
      {"a key twice",
       npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", data),
       "there twice"},
      {"an unknown key", npy("{'descr': '<f4', 'order': 1}", data), "no key 'order'"},
      {"a key missing", npy("{'descr': '<f4', 'shape': (4,)}", data), "it must have"},
      {"an order that is neither", npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (4,)}", data),
       "neither True nor False"},
      {"text after the header", npy(dictionary("<f4", "(4,)") + "x", data), "after '}'"},
      {"a string without end", npy("{'descr: <f4", data), "a key is missing"},
      {"bytes that are no bools", npy(dictionary("|b1", "(4,)"), raw<int8_t>({0, 1, 2, 1})),
       "element 2 of a bool array is 2"}};
  CHECK(std::size(files) >= 30);
  for (const Hostile &file : files) {
    INFO(file.what);
    CHECK_THAT(messageOf(file.bytes), Catch::Contains(file.message));
  }
}

TEST_CASE("only regular files are read") {
  auto folder = std::filesystem::temp_directory_path() / "keratin-npy-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "x.npy", std::ios::binary) << "content";
  CHECK(*readArrayFile(folder / "x.npy") == "content");
  CHECK(!readArrayFile(folder).ok());
  CHECK(!readArrayFile("/dev/zero").ok());
  CHECK(!readArrayFile(folder / "none.npy").ok());
  std::filesystem::remove_all(folder);
}
