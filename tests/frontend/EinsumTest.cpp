// K::einsum, K::matmul, K::diag and K::trace, against what NumPy makes of the same numbers.
#include "frontend/backend/ContractionOrder.h"
#include "tests/frontend/GradientCheck.h"

#include <algorithm>

using keratin::frontend::contractionOrder;
using Dims = std::vector<int64_t>;

// -5 to 5 in an order of their own for each operand of a product.
static Array numbers(const Dims &dims, size_t operand) {
  Array array = Array::zeros(DType::Float32, dims);
  for (int64_t i = 0; i < array.size(); ++i)
    array.data<float>()[i] = float((i * 7 + int64_t(operand) * 3) % 11 - 5);
  return array;
}

static Array ones(const Dims &dims) {
  Array array = Array::zeros(DType::Float32, dims);
  std::fill_n(array.data<float>(), array.size(), 1.0f);
  return array;
}

namespace {

struct Example {
  std::string equation;
  std::vector<Dims> operands;
  Dims dims;
  std::vector<double> elements;
};

} // namespace

// All of them in one function, of known sizes and of unknown ones.
static void
checkExamples(const std::vector<Example> &examples,
              const std::function<Tensor(const Example &, std::vector<Tensor>)> &build) {
  for (bool known : {true, false}) {
    std::vector<Tensor> inputs, outputs;
    std::vector<Array> fed;
    for (const Example &example : examples) {
      std::vector<Tensor> operands;
      for (const Dims &dims : example.operands) {
        fed.push_back(numbers(dims, operands.size()));
        StaticShape shape(dims.size(), None);
        operands.push_back(K::placeholder(known ? StaticShape(dims.begin(), dims.end()) : shape));
      }
      inputs.insert(inputs.end(), operands.begin(), operands.end());
      outputs.push_back(build(example, operands));
    }
    K::Results results = K::function(inputs, outputs)(fed);
    for (size_t i = 0; i < examples.size(); ++i) {
      INFO(examples[i].equation << " case " << i << (known ? "" : ", unknown sizes"));
      CHECK(results[i].shape() == examples[i].dims);
      CHECK(results[i].toVector() == examples[i].elements);
    }
  }
}

TEST_CASE("einsum is numpy.einsum") {
  checkExamples(
      {
          {"ij,jk->ik", {{2, 3}, {3, 2}}, {2, 2}, {4, -31, -21, 22}},
          {"ij,jk", {{2, 3}, {3, 2}}, {2, 2}, {4, -31, -21, 22}},
          {"ij,kj->ki", {{2, 3}, {4, 3}}, {4, 2}, {18, -8, 23, -11, 28, -14, 33, -17}},
          {"bij,bjk->bik", {{2, 2, 3}, {2, 3, 2}}, {2, 2, 2}, {4, -31, -21, 22, -24, 20, -21, 24}},
          {"bhqd,bhkd->bhqk",
           {{1, 2, 2, 3}, {1, 2, 3, 3}},
           {1, 2, 2, 3},
           {18, 23, 28, -8, -11, -14, -12, 32, 32, -7, 29, 32}},
          {"ij->ji", {{2, 3}}, {3, 2}, {-5, 5, 2, 1, -2, -3}},
          {"ba", {{2, 3}}, {3, 2}, {-5, 5, 2, 1, -2, -3}},
          {"ij->", {{2, 3}}, {}, {-2}},
          {"ij->j", {{2, 3}}, {3}, {0, 3, -5}},
          {"ii", {{3, 3}}, {}, {-8}},
          {"ii->i", {{3, 3}}, {3}, {-5, 1, -4}},
          {"bii->b", {{2, 3, 3}}, {2}, {-8, 5}},
          {"iji->j", {{2, 3, 2}}, {3}, {-5, 1, -4}},
          {"iii->i", {{2, 2, 2}}, {2}, {-5, 0}},
          {"i,i", {{4}, {4}}, {}, {3}},
          {"i,j->ij", {{2}, {3}}, {2, 3}, {10, -25, -5, -4, 10, 2}},
          {"i,j->ji", {{2}, {3}}, {3, 2}, {10, -4, -25, 10, -5, 2}},
          {"ij,ij->ij", {{2, 3}, {2, 3}}, {2, 3}, {10, 10, -2, -15, 4, 0}},
          {"ij,j->ij", {{2, 3}, {3}}, {2, 3}, {10, 10, -2, -10, 5, -3}},
          {",ij->ij", {{}, {2, 3}}, {2, 3}, {10, -25, -5, 15, -20, 0}},
          {"...ij,...jk->...ik",
           {{2, 1, 2, 3}, {2, 3, 2}},
           {2, 2, 2, 2},
           {4, -31, -21, 22, 14, -21, -27, 16, -24, 20, -27, 18, -24, 20, -21, 24}},
          {"...i,...i", {{2, 3}, {1, 3}}, {2}, {18, -8}},
          {"i...->...i", {{2, 3, 2}}, {3, 2, 2}, {-5, 4, 2, 0, -2, -4, 5, 3, 1, -1, -3, -5}},
          {"b...i,i->b...", {{2, 2, 3}, {3}}, {2, 2}, {18, -8, -12, -16}},
          {"ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 2}}, {2, 2}, {-120, -12, 67, 63}},
          {"i,ij,j", {{2}, {2, 3}, {3}}, {}, {35}},
          {"ab,bc,cd,de->ae", {{2, 2}, {2, 3}, {3, 2}, {2, 2}}, {2, 2}, {-68, -81, 40, 81}},
          {"ij,ik->ijk",
           {{2, 3}, {2, 2}},
           {2, 3, 2},
           {10, -25, -4, 10, 4, -10, 5, -15, 1, -3, -3, 9}},
          {"ii,ij->j", {{2, 2}, {2, 3}}, {3}, {-5, -5, -5}},
          {"ij,kl->", {{2, 2}, {2, 3}}, {}, {0}},
          {"aB,aC->BC", {{2, 2}, {2, 2}}, {2, 2}, {8, -19, 1, -5}},
          {"a,B", {{2}, {2}}, {2, 2}, {10, -4, -25, 10}},
          {"ij , jk -> ik", {{2, 3}, {3, 2}}, {2, 2}, {4, -31, -21, 22}},
      },
      [](const Example &example, const std::vector<Tensor> &xs) {
        return K::einsum(example.equation, {xs.begin(), xs.end()});
      });
}

TEST_CASE("matmul is numpy.matmul") {
  std::vector<Example> examples;
  for (const auto &[x, y, dims, elements] :
       std::vector<std::tuple<Dims, Dims, Dims, std::vector<double>>>{
           {{2, 3}, {3, 2}, {2, 2}, {4, -31, -21, 22}},
           {{3}, {3}, {}, {18}},
           {{3}, {3, 2}, {2}, {4, -31}},
           {{2, 3}, {3}, {2}, {18, -8}},
           {{2, 2, 3}, {3, 2}, {2, 2, 2}, {4, -31, -21, 22, -24, 20, -27, 18}},
           {{2, 3}, {2, 3, 2}, {2, 2, 2}, {4, -31, -21, 22, 14, -21, -27, 16}},
           {{2, 2, 3}, {2, 3, 2}, {2, 2, 2}, {4, -31, -21, 22, -24, 20, -21, 24}},
           {{2, 1, 2, 3},
            {2, 3, 2},
            {2, 2, 2, 2},
            {4, -31, -21, 22, 14, -21, -27, 16, -24, 20, -27, 18, -24, 20, -21, 24}},
           {{2, 2, 3}, {3}, {2, 2}, {18, -8, -12, -16}},
           {{3}, {2, 3, 2}, {2, 2}, {4, -31, 14, -21}},
           {{1, 2, 3}, {2, 3, 1}, {2, 2, 1}, {18, -8, 23, -11}},
       })
    examples.push_back({"", {x, y}, dims, elements});
  checkExamples(examples, [](const Example &, const std::vector<Tensor> &xs) {
    return K::matmul(xs[0], xs[1]);
  });
}

TEST_CASE("einsum and matmul of bools are or of and") {
  Tensor x = K::constant(Array{{true, false}, {false, false}}, "bool");
  Tensor y = K::constant(Array{{true, true}, {true, false}}, "bool");
  for (const Tensor &product : {K::matmul(x, y), K::einsum("ij,jk->ik", {x, y})}) {
    CHECK(product.dtype() == DType::Bool);
    checkValue(product, Array{{true, true}, {false, false}});
  }
}

TEST_CASE("einsum takes numbers and the widest dtype") {
  Tensor x = K::constant(Array{{1, 2}, {3, 4}}, "int32");
  CHECK(K::einsum("ij,->j", {x, 2}).dtype() == DType::Int32);
  checkValue(K::einsum("ij,->j", {x, 2}), Array{8, 12});
  CHECK(K::einsum("ij,j", {x, K::constant(Array{0.5, 1.0})}).dtype() == DType::Float32);
}

TEST_CASE("einsum: a 1 that is known is broadcast") {
  checkValue(K::einsum("ij,jk->ik", {K::constant(Array{{2.0}}), K::constant(Array{{1.0}, {3.0}})}),
             Array{{8.0}});
}

TEST_CASE("einsum: unknown sizes of an ellipsis are broadcast at the call") {
  Tensor x = K::placeholder({None, None, 2}), y = K::placeholder({None, 2});
  K::Function f = K::function({x, y}, K::einsum("...i,...i->...", {x, y}));
  Array grid = ones({3, 4, 2});
  CHECK(f({grid, Array{{1.0, 2.0}}})[0].shape() == Dims{3, 4});
  CHECK(f({ones({3, 1, 2}), ones({5, 2})})[0].shape() == Dims{3, 5});
  CHECK(has(errorOf<keratin::ValueError>([&] { f({grid, ones({3, 2})}); }),
            "einsum: shapes cannot be broadcast"));
}

TEST_CASE("gradients of einsum and matmul") {
  Array matrix{{0.5, -1.0}, {2.0, 0.3}, {-0.7, 1.1}},
      square{{0.5, -1.0, 2.0}, {2.0, 0.3, 1.0}, {-0.7, 1.1, 3.0}};
  Tensor m = K::constant(matrix, "float64");
  for (const GradientCase &test : std::vector<GradientCase>{
           {"product", [&](auto &x) { return K::einsum("ij,jk->ki", {x, m}); }},
           {"squares", [](auto &x) { return K::einsum("ij,kj->ik", {x, x}); }},
           {"three",
            [&](auto &x) { return K::einsum("ij,jk,ik->j", {x, m, K::square(K::dot(x, m))}); }},
           {"outer", [](auto &x) { return K::einsum("ij,kl->ikl", {x, x}); }},
           {"sums", [](auto &x) { return K::einsum("ij->j", {K::square(x)}); }},
           {"diagonal", [](auto &x) { return K::square(K::einsum("ii->i", {x})); }, square},
           {"trace", [](auto &x) { return K::square(K::trace(x, 1)); }, square},
           {"diag", [](auto &x) { return K::square(K::diag(x, -1)); }, square},
           {"diag of matrices", [](auto &x) { return K::square(K::diag(K::stack({x, x}), 1)); },
            square},
           {"matrix of a diagonal", [](auto &x) { return K::square(K::diag(x, 1)); },
            Array{0.5, -1.0, 2.0}},
           {"ellipsis", [&](auto &x) { return K::einsum("...j,jk->k...", {x, m}); }},
           {"matmul",
            [&](auto &x) { return K::matmul(K::expand_dims(x, 0), K::stack({m, K::square(m)})); }},
           {"vector", [](auto &x) { return K::matmul(x, K::sum(x, 0)); }},
       })
    checkGradient(test);
}

TEST_CASE("contractions in the order of least work") {
  using Steps = std::vector<std::pair<size_t, size_t>>;
  enum { i, j, k, l };
  // A row, a column and a large matrix: the small ones first.
  CHECK(contractionOrder({{i, j}, {j, k}, {k, l}}, {i, l}, {{i, 1}, {j, 100}, {k, 1}, {l, 100}}) ==
        Steps{{0, 1}, {2, 3}});
  CHECK(contractionOrder({{i, j}, {j, k}, {k}}, {i}, {{i, 100}, {j, 100}, {k, 100}}) ==
        Steps{{1, 2}, {0, 3}});
  CHECK(contractionOrder({{i, j}}, {i}, {{i, 2}, {j, 2}}).empty());
  // A chain of more than are ordered at once.
  std::vector<std::set<int>> chain;
  std::map<int, double> sizes;
  for (int link = 0; link < 40; ++link) {
    chain.push_back({link, link + 1});
    sizes[link] = 10;
  }
  sizes[40] = 1;
  Steps steps = contractionOrder(chain, {0, 40}, sizes);
  CHECK(steps.size() == 39);
  CHECK(steps.front() == std::pair<size_t, size_t>(38, 39));
}

TEST_CASE("diag and trace are NumPy's") {
  Array matrix = numbers({3, 4}, 0); // -5 2 -2 5; 1 -3 4 0; -4 3 -1 -5
  const std::vector<std::vector<double>> diagonals{{},         {-4},    {1, 3}, {-5, -3, -1},
                                                   {2, 4, -5}, {-2, 0}, {5},    {}};
  for (const StaticShape &shape : {StaticShape{3, 4}, StaticShape{None, None}}) {
    Tensor x = K::placeholder(shape);
    std::vector<Tensor> outputs;
    for (int k = -3; k <= 4; ++k) {
      outputs.push_back(K::diag(x, k));
      outputs.push_back(K::trace(x, k));
    }
    K::Results results = K::function(x, outputs)({matrix});
    for (size_t i = 0; i < diagonals.size(); ++i) {
      INFO("diagonal " << int(i) - 3);
      CHECK(results[2 * i].toVector() == diagonals[i]);
      double sum = 0;
      for (double element : diagonals[i])
        sum += element;
      CHECK(results[2 * i + 1].item() == sum);
    }
  }
  for (const StaticShape &shape : {StaticShape{3}, StaticShape{None}}) {
    Tensor x = K::placeholder(shape);
    K::Results results =
        K::function(x, {K::diag(x, -1), K::diag(x), K::diag(x, 2)})({Array{1.0, 2.0, 3.0}});
    checkArray(results[0], Array{{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}});
    checkArray(results[1], Array{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
    checkArray(
        results[2],
        Array{{0, 0, 1, 0, 0}, {0, 0, 0, 2, 0}, {0, 0, 0, 0, 3}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}});
  }
  Tensor stack = K::constant(numbers({2, 3, 3}, 1)), block = K::constant(numbers({2, 3, 2}, 1));
  checkValue(K::trace(stack, {.axis1 = 1, .axis2 = 2}), Array{1.0, -8.0});
  checkValue(K::trace(block, -1, -1, 0), Array{5.0, -3.0, 0.0});
  // As K::sum of bools: a number.
  checkValue(K::trace(K::constant(Array{{true, false}, {false, true}}, "bool")), Array(2));
}

TEST_CASE("what is wrong with an einsum", "[messages]") {
  Tensor x = K::placeholder({2, 3}), y = K::placeholder({3, 4}), d = K::placeholder({None, None});
  auto message = [](const std::string &equation, const std::vector<Operand> &operands) {
    return errorOf<keratin::ValueError>([&] { K::einsum(equation, operands); });
  };
  CHECK(
      has(message("ij,j$->i", {x, y}),
          "einsum: 'ij,j$->i', character 5: '$' is no label; needed a letter, '...', ',' or '->'"));
  CHECK(has(message("i.j->i", {x}), "'i.j->i', character 2: '.' is no label; needed '...'"));
  CHECK(has(message("...i...", {x}), "character 5: a second '...' in one term"));
  CHECK(has(message("ij-ji", {x}), "character 3: '-' is no label; needed '->'"));
  CHECK(has(message("ij->j->i", {x}), "character 6: a second '->'"));
  CHECK(has(message("ij->i,j", {x}), "character 6: a ',' in the result, which is one term"));
  CHECK(has(message("ij->jii", {x}), "character 7: 'i' is twice in the result"));
  CHECK(has(message("ij,jk->iz", {x, y}), "character 9: 'z' of the result is in no operand"));
  CHECK(has(message("ij->i...", {x}), "character 6: '...' of the result is in no operand"));
  CHECK(has(message("ij,jk->ik", {x}), "'ij,jk->ik' is of 2 operands; found 1"));
  CHECK(has(message("ij,jkl->ik", {x, y}),
            "'ij,jkl->ik': operand 1 has shape (3, 4); 'jkl' needs rank 3"));
  CHECK(has(message("i->i", {x}), "'i->i': operand 0 has shape (2, 3); 'i' needs rank 1"));
  CHECK(has(message("abc...", {x}), "operand 0 has shape (2, 3); 'abc...' needs rank 3 or more"));
  CHECK(has(message("...j->j", {x}),
            "'...j->j': the result has no '...' for the 1 dimensions of the operands'"));
  CHECK(has(message("ij,ik->jk", {x, y}), "einsum: the sizes of 'i' must be equal; found 2 and 3"));
  CHECK(has(message("ii", {x}), "einsum: the sizes of 'i' must be equal; found 2 and 3"));
  CHECK(
      has(message("...i,...i", {x, K::placeholder({5, 3})}), "einsum: shapes cannot be broadcast"));
  CHECK(has(message("", {}), "einsum: '' is of 1 operands; found 0"));
  K::Function f = K::function(d, K::einsum("ii->i", {d}));
  CHECK(has(errorOf<keratin::ValueError>([&] { f({Array{{1.0, 2.0}}}); }),
            "einsum: the sizes of 'i' must have equal sizes"));
}

TEST_CASE("what is wrong with a matmul, a diag and a trace", "[messages]") {
  Tensor x = K::placeholder({2, 3}), d = K::placeholder({None, 3});
  auto message = [](auto &&build) { return errorOf<keratin::ValueError>(build); };
  CHECK(has(message([&] { K::matmul(x, x); }),
            "matmul: the last size of x and the second-to-last of y differ; found shapes (2, 3) "
            "and (2, 3); needed 3 = 2"));
  CHECK(
      has(message([&] { K::matmul(x, 2.0); }), "matmul: y is a scalar; needed at least one axis"));
  CHECK(has(message([&] { K::matmul(K::placeholder({4, 2, 3}), K::placeholder({5, 3, 2})); }),
            "matmul: shapes cannot be broadcast"));
  K::Function f = K::function({x, d}, K::matmul(x, d));
  CHECK(has(errorOf<keratin::ValueError>([&] { f({ones({2, 3}), ones({1, 3})}); }),
            "matmul: the last size of x and the second-to-last of y"));
  CHECK(has(message([&] { K::diag(1.0f); }), "diag: x is a scalar; needed a vector or matrices"));
  CHECK(has(message([&] { K::diag(x, int64_t(1) << 40); }),
            "diag: k is 1099511627776; needed -2147483647 to 2147483647"));
  CHECK(has(message([&] { K::trace(K::placeholder({2})); }),
            "trace: x has shape (2,); needed rank 2 or more"));
  CHECK(has(message([&] { K::trace(x, 0, 1, -1); }),
            "trace: axis1 and axis2 are both axis 1; needed two axes"));
}
