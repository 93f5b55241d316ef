// Contractions of sizes around the edges of tiles, as compiled code against the reference
// interpreter: by whatever target is tested, the device "cuda" above all.
#include "tests/execution/SweepHarness.h"

#include "ir/builder/GraphMath.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Axes = llvm::SmallVector<int64_t>;
using Values = std::vector<Value>;

namespace {

struct Sizes {
  DimExpr m, n, k, batch = 1;
};

// What is made of a product of the operands, and of others behind them.
using Epilogue = std::function<Values(GraphMath &, Value product, ValueRange others)>;

DimExpr d(int64_t symbol) { return DimExpr::symbol(symbol); }

// "nt": A as it is, B with its columns in rows. With a dtype of B, narrow integers are summed in
// int32.
SweepCase product(const std::string &form, const Sizes &sizes, keratin_dtype_t dtype,
                  std::vector<SweepInput> others = {}, Epilogue epilogue = nullptr,
                  Elements elements = Elements::Any,
                  std::optional<keratin_dtype_t> dtypeOfB = std::nullopt) {
  bool isABatched = sizes.batch != DimExpr(1);
  Shape a = form[0] == 't' ? Shape{sizes.k, sizes.m} : Shape{sizes.m, sizes.k};
  Shape b = form[1] == 't' ? Shape{sizes.n, sizes.k} : Shape{sizes.k, sizes.n};
  int64_t first = isABatched ? 1 : 0;
  if (isABatched) {
    a.insert(a.begin(), sizes.batch);
    b.insert(b.begin(), sizes.batch);
  }
  std::vector<SweepInput> inputs = {{a, dtype, elements}, {b, dtypeOfB.value_or(dtype), elements}};
  inputs.insert(inputs.end(), others.begin(), others.end());
  std::string label = form + " " + dtypeName(dtype) + " " + toString(a) + " " +
                      dtypeName(inputs[1].dtype) + " " + toString(b);
  return {label, inputs, [=](GraphMath &math, ValueRange xs) -> Values {
            Axes batch;
            if (isABatched)
              batch.push_back(0);
            Axes aContract = {first + (form[0] == 't' ? 0 : 1)};
            Axes bContract = {first + (form[1] == 't' ? 1 : 0)};
            Value x = xs[0], w = xs[1];
            if (dtypeOfB) {
              Type sum = IntegerType::get(x.getContext(), 32);
              x = math.cast(x, sum);
              w = math.cast(w, sum);
            }
            Value y = math.dotGeneral(x, w, batch, batch, aContract, bContract);
            return epilogue ? epilogue(math, y, xs.drop_front(2)) : Values{y};
          }};
}

const char *const forms[] = {"nn", "nt", "tn", "tt"};

// Two of the four, others for the next.
void addForms(std::vector<SweepCase> &cases, size_t number, const Sizes &sizes) {
  for (size_t form : {number % 2, 3 - number % 2})
    cases.push_back(product(forms[form], sizes, KERATIN_DTYPE_FLOAT32));
}

// Tiles and groups that are whole, that lack one, and that have one too many.
const Sizes edges[] = {{32, 32, 16}, {31, 33, 15}, {65, 36, 17}, {33, 68, 32},
                       {4, 100, 40}, {130, 20, 3}, {1, 5, 33},   {128, 64, 48}};

} // namespace

TEST_CASE("products whose sizes are known", "[contraction]") {
  std::vector<SweepCase> cases;
  size_t number = 0;
  for (const Sizes &sizes : edges)
    addForms(cases, number++, sizes);
  Sweep sweep;
  sweep.calls.resize(1);
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("products whose sizes are not known", "[contraction]") {
  std::vector<SweepCase> cases;
  size_t number = 0;
  for (const Sizes &sizes : {Sizes{d(0), 36, d(1)}, Sizes{d(0), d(1), 20}, Sizes{d(0), d(1), d(2)},
                             Sizes{64, d(2), 24}, Sizes{5, 7, d(0)}, Sizes{d(0), d(1), d(2), 2}})
    addForms(cases, number++, sizes);
  Sweep sweep;
  sweep.calls = {{{0, 64}, {1, 128}, {2, 32}}, {{0, 65}, {1, 127}, {2, 31}},
                 {{0, 4}, {1, 4}, {2, 4}},     {{0, 129}, {1, 3}, {2, 20}},
                 {{0, 0}, {1, 5}, {2, 7}},     {{0, 7}, {1, 6}, {2, 0}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("large tiles", "[contraction]") {
  std::vector<SweepCase> cases;
  cases.push_back(product("nn", {256, 8196, 20}, KERATIN_DTYPE_FLOAT32));
  cases.push_back(product("tt", {8200, 250, 5}, KERATIN_DTYPE_FLOAT32));
  cases.push_back(product("nt", {256, 8200, 8}, KERATIN_DTYPE_FLOAT16));
  Sweep sweep;
  sweep.calls.resize(1);
  sweep.check(cases, 1);
  CHECK(sweep.refused.empty());
}

TEST_CASE("batches of products", "[contraction]") {
  std::vector<SweepCase> cases;
  for (const char *form : forms)
    for (const Sizes &sizes : {Sizes{33, 20, 17, 3}, Sizes{32, 36, 32, d(1)}, Sizes{3, 5, 7, d(2)}})
      cases.push_back(product(form, sizes, KERATIN_DTYPE_FLOAT32));
  Sweep sweep;
  sweep.calls = {{{0, 1}, {1, 5}, {2, 11}}, {{0, 1}, {1, 0}, {2, 1}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

// Blocks share a depth of 256 and more.
TEST_CASE("products of few tiles", "[contraction]") {
  std::vector<SweepCase> cases;
  for (const char *form : forms) {
    cases.push_back(product(form, {33, 40, 1100}, KERATIN_DTYPE_FLOAT32));
    cases.push_back(product(form, {36, 20, d(0)}, KERATIN_DTYPE_FLOAT32));
    cases.push_back(product(form, {40, 33, d(0)}, KERATIN_DTYPE_FLOAT16));
    cases.push_back(product(form, {20, 24, d(0)}, KERATIN_DTYPE_INT32));
  }
  Sweep sweep;
  sweep.calls = {{{0, 1}, {1, 1}, {2, 1}},
                 {{0, 777}, {1, 1}, {2, 1}},
                 {{0, 1024}, {1, 1}, {2, 1}},
                 {{0, 0}, {1, 1}, {2, 1}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

// How few the call alone knows: one and two have code of their own on a CPU.
TEST_CASE("products of rows that are few in some calls", "[contraction]") {
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype :
       {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_INT32})
    for (const char *form : forms)
      for (const Sizes &sizes : {Sizes{d(0), 36, 300}, Sizes{d(0), 130, d(1)},
                                 Sizes{d(0), d(1), 70}, Sizes{d(0), 21, 64, d(2)}})
        cases.push_back(product(form, sizes, dtype));
  Sweep sweep;
  sweep.calls = {{{0, 1}, {1, 257}, {2, 2}}, {{0, 2}, {1, 64}, {2, 3}}, {{0, 3}, {1, 33}, {2, 1}},
                 {{0, 0}, {1, 5}, {2, 2}},   {{0, 40}, {1, 1}, {2, 1}}, {{0, 1}, {1, 0}, {2, 1}},
                 {{0, 2}, {1, 1}, {2, 0}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("products of a matrix and a few vectors", "[contraction]") {
  std::vector<SweepCase> cases;
  for (const char *form : forms)
    for (const Sizes &sizes :
         {Sizes{70, 1, 130}, Sizes{1, 64, 1100}, Sizes{3, 33, 65}, Sizes{d(0), 4, 128},
          Sizes{1, d(0), d(1)}, Sizes{1, 40, d(1)}, Sizes{2, 36, d(1)}, Sizes{5, 1, 68, 3},
          Sizes{1, 1, 200, d(2)}, Sizes{d(0), 1, 10}, Sizes{10, 1, d(0)}, Sizes{37, 1, 33, d(2)},
          Sizes{4, 100, 65}, Sizes{9, 10, d(1), d(2)}, Sizes{12, 40, 7}})
      cases.push_back(product(form, sizes, KERATIN_DTYPE_FLOAT32));
  for (const char *form : forms)
    cases.push_back(product(form, {68, 2, 72}, KERATIN_DTYPE_FLOAT16));
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_INT8})
    for (const char *form : {"nn", "tn"})
      cases.push_back(product(form, {70, 2, 68}, dtype));
  Sweep sweep;
  sweep.calls = {{{0, 33}, {1, 129}, {2, 2}}, {{0, 4}, {1, 700}, {2, 1}}, {{0, 0}, {1, 0}, {2, 3}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("products of all dtypes", "[contraction]") {
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype :
       {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_FLOAT64})
    for (const char *form : forms)
      for (const Sizes &sizes : {Sizes{64, 72, 40}, Sizes{35, 67, 19}})
        cases.push_back(product(form, sizes, dtype));
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT8, KERATIN_DTYPE_UINT16, KERATIN_DTYPE_INT64})
    for (const char *form : {"nn", "tt"})
      cases.push_back(product(form, {36, 40, 20}, dtype));
  Sweep sweep;
  sweep.calls.resize(1);
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("products of narrow integers", "[contraction]") {
  std::vector<SweepCase> cases;
  for (auto [dtype, dtypeOfB] : {std::pair{KERATIN_DTYPE_UINT8, KERATIN_DTYPE_INT8},
                                 {KERATIN_DTYPE_INT8, KERATIN_DTYPE_INT8},
                                 {KERATIN_DTYPE_UINT8, KERATIN_DTYPE_UINT8},
                                 {KERATIN_DTYPE_INT8, KERATIN_DTYPE_UINT8},
                                 {KERATIN_DTYPE_INT16, KERATIN_DTYPE_UINT8},
                                 {KERATIN_DTYPE_UINT16, KERATIN_DTYPE_INT16}})
    for (const char *form : forms)
      for (const Sizes &sizes :
           {Sizes{64, 72, 40}, Sizes{35, 67, 19}, Sizes{d(0), 48, 130}, Sizes{d(0), d(1), d(1), 2},
            Sizes{1, 64, 300}, Sizes{40, 1, 300}, Sizes{4, 600, 1030}, Sizes{129, 80, 2100}})
        cases.push_back(product(form, sizes, dtype, {}, nullptr, Elements::Any, dtypeOfB));
  Sweep sweep;
  sweep.calls = {{{0, 1}, {1, 65}, {2, 1}}, {{0, 40}, {1, 3}, {2, 1}}, {{0, 2}, {1, 0}, {2, 1}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

// Tiles of 64 and 128 rows and columns, which are chosen where sizes are not known: tensor cores of
// a warp make them, or of four warps together.
TEST_CASE("products of halves in large tiles", "[contraction]") {
  std::vector<SweepCase> cases;
  size_t number = 0;
  for (const char *form : forms)
    for (const Sizes &sizes : {Sizes{d(0), d(1), d(2), 2}, Sizes{d(0), d(1), d(2)},
                               Sizes{64, d(1), d(2)}, Sizes{64, d(1), d(2), 16}})
      cases.push_back(
          product(form, sizes, number++ % 2 ? KERATIN_DTYPE_BFLOAT16 : KERATIN_DTYPE_FLOAT16));
  Sweep sweep;
  sweep.calls = {{{0, 130}, {1, 136}, {2, 72}},
                 {{0, 63}, {1, 65}, {2, 131}},
                 {{0, 3}, {1, 0}, {2, 64}},
                 {{0, 8}, {1, 8}, {2, 0}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("what follows from products", "[contraction]") {
  // A bias for each column, an activation, something to add; the product itself besides.
  Epilogue layer = [](GraphMath &math, Value y, ValueRange others) -> Values {
    Shape shape = getShape(y);
    Value bias = math.broadcast(others[0], shape, {int64_t(shape.size()) - 1});
    Value active = math.tanh(math.add(y, bias));
    return {math.add(active, others[1]), y};
  };
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype :
       {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_FLOAT64})
    for (const Sizes &sizes :
         {Sizes{40, 36, 20}, Sizes{33, 17, 9}, Sizes{d(0), 64, 24}, Sizes{d(0), d(1), 24},
          Sizes{20, 12, 8, d(1)}, Sizes{40, 1, 10}, Sizes{d(0), 1, 40, d(1)}}) {
      Shape result = {sizes.m, sizes.n};
      if (sizes.batch != DimExpr(1))
        result.insert(result.begin(), sizes.batch);
      cases.push_back(product("nn", sizes, dtype,
                              {{{sizes.n}, dtype, Elements::Small}, {result, dtype, Elements::Any}},
                              layer));
    }
  Sweep sweep;
  sweep.calls = {{{0, 64}, {1, 8}, {2, 1}}, {{0, 33}, {1, 7}, {2, 1}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

TEST_CASE("products in tf32", "[contraction]") {
  std::vector<SweepCase> cases;
  for (const char *form : forms) {
    auto add = [&](const Sizes &sizes) {
      cases.push_back(product(form, sizes, KERATIN_DTYPE_FLOAT32, {}, nullptr, Elements::Fine));
    };
    for (const Sizes &sizes :
         {Sizes{32, 32, 16}, Sizes{31, 33, 15}, Sizes{130, 72, 36}, Sizes{d(0), 36, d(1)},
          Sizes{d(0), d(1), d(2)}, Sizes{33, 20, 17, 3}, Sizes{36, 40, 1100}, Sizes{3, 64, 72}})
      add(sizes);
  }
  Sweep sweep;
  sweep.hasTf32Products = true;
  sweep.calls = {
      {{0, 64}, {1, 128}, {2, 32}}, {{0, 65}, {1, 127}, {2, 31}}, {{0, 4}, {1, 0}, {2, 3}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

// Tiles of 64 and 128 rows and columns: rows of 16 bytes and others, depths of less
// than a stage and of more, blocks that share a depth, and what is not finite.
TEST_CASE("products in tf32 in large tiles", "[contraction]") {
  std::vector<SweepCase> cases;
  auto add = [&](const char *form, const Sizes &sizes, Elements elements) {
    cases.push_back(product(form, sizes, KERATIN_DTYPE_FLOAT32, {}, nullptr, elements));
  };
  for (const char *form : forms)
    add(form, {d(0), d(1), d(2)}, Elements::Fine);
  add("nn", {64, d(1), d(2), 2}, Elements::Fine);
  add("tt", {64, d(1), d(2)}, Elements::Special);
  add("nn", {384, 260, 2048}, Elements::Fine);
  Sweep sweep;
  sweep.hasTf32Products = true;
  sweep.calls = {{{0, 132}, {1, 136}, {2, 104}},
                 {{0, 63}, {1, 65}, {2, 131}},
                 {{0, 3}, {1, 0}, {2, 64}},
                 {{0, 8}, {1, 8}, {2, 0}}};
  sweep.check(cases);
  CHECK(sweep.refused.empty());
}

// By large tiles; and the largest numbers, of which some round up to infinity.
TEST_CASE("large products in tf32", "[contraction]") {
  std::vector<SweepCase> cases;
  for (auto [form, sizes] : {std::pair{"nn", Sizes{256, 8196, 20}}, {"tt", Sizes{8200, 250, 12}}})
    cases.push_back(product(form, sizes, KERATIN_DTYPE_FLOAT32, {}, nullptr, Elements::Fine));
  cases.push_back(
      product("nt", {40, 48, 24}, KERATIN_DTYPE_FLOAT32, {}, nullptr, Elements::Special));
  Sweep sweep;
  sweep.hasTf32Products = true;
  sweep.calls.resize(1);
  sweep.check(cases, 1);
  CHECK(sweep.refused.empty());
}
