// Sparse tensors: what takes them, what refuses them, feeding and derivatives.
#include "tests/frontend/FrontendTest.h"

#include "keratin/sparse.h"
#include "tests/support/TemporaryFile.h"

using keratin::SparseMatrix;

static SparseMatrix example() {
  // [[0, 2, 0], [0, 0, 0], [1.5, 0, -1]], with (2, 2) in two parts.
  return SparseMatrix::coo(3, 3, {2, 0, 2, 2}, {2, 1, 0, 2}, Array{-3.0, 2.0, 1.5, 2.0});
}
static Array exampleDense() { return Array{{0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}, {1.5, 0.0, -1.0}}; }
static Array right() { return Array{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}; }

TEST_CASE("a sparse matrix adds up equal places and orders the rest") {
  SparseMatrix m = example();
  CHECK(m.size() == 3);
  CHECK(m.rows().toVector<int64_t>() == std::vector<int64_t>{0, 2, 2});
  CHECK(m.columns().toVector<int64_t>() == std::vector<int64_t>{1, 0, 2});
  checkArray(m.toDense(), exampleDense());
  checkArray(SparseMatrix::csr(3, 3, {0, 1, 1, 3}, {1, 0, 2}, Array{2.0, 1.5, -1.0}).toDense(),
             exampleDense());
  CHECK(SparseMatrix::fromDense(exampleDense()).size() == 3);
  // An explicit zero stays.
  CHECK(SparseMatrix::coo(1, 2, {0}, {1}, Array{0.0}).size() == 1);
}

TEST_CASE("a sparse matrix refuses what does not fit") {
  CHECK_THROWS_WITH(SparseMatrix::coo(2, 2, {2}, {0}, Array{1.0}),
                    Catch::Contains("element 0 is at (2, 0); needed a place inside (2, 2)"));
  CHECK_THROWS_WITH(SparseMatrix::coo(2, 2, {0, 1}, {0}, Array{1.0}),
                    Catch::Contains("needed vectors of one length"));
  CHECK_THROWS_WITH(SparseMatrix::coo(-1, 2, {}, {}, Array(std::vector<double>{})),
                    Catch::Contains("needed sizes of 0 or more"));
  CHECK_THROWS_WITH(SparseMatrix::csr(2, 2, {0, 2, 1}, {0}, Array{1.0}),
                    Catch::Contains("needed for each row where it starts"));
  CHECK_THROWS_WITH(SparseMatrix::fromDense(Array{1.0}), Catch::Contains("needed rank 2"));
}

TEST_CASE("a sparse variable is seen as what it is") {
  Tensor v = K::variable(example(), "float64", "s");
  CHECK(K::is_sparse(v));
  CHECK_FALSE(K::is_sparse(K::variable(1.0)));
  CHECK_FALSE(K::is_sparse(1.0));
  CHECK(K::is_tensor(v));
  CHECK(K::is_variable(v));
  CHECK_FALSE(K::is_placeholder(v));
  CHECK(K::ndim(v) == 2);
  CHECK(K::dtype(v) == "float64");
  CHECK(K::count_params(v) == 9);
  CHECK(v.name().substr(0, 1) == "s");
  checkValue(K::shape(v), Array{3, 3});
  checkArray(K::get_value(v), exampleDense());
  checkValue(v, exampleDense());
  CHECK(K::dtype(K::variable(example())) == K::floatx());
}

TEST_CASE("set_value of a sparse variable sets what is stored") {
  Tensor v = K::variable(example(), "float64");
  Array other{{0.0, 7.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 4.0}};
  K::set_value(v, other);
  checkArray(K::get_value(v), other);
  CHECK_THROWS_WITH(K::set_value(v, Array{{1.0, 7.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 4.0}}),
                    Catch::Contains("stores no element at a place where the value is not 0; needed "
                                    "the places it was made with"));
  CHECK_THROWS_WITH(K::set_value(v, Array{{1.0}}),
                    Catch::Contains("set_value: the value has shape") && Catch::Contains("(3, 3)"));
  checkArray(K::get_value(v), other);
}

TEST_CASE("a sparse placeholder is fed sparse and dense") {
  Tensor x = K::placeholder({3, 3}, None, "float64", true, "sparse_input");
  CHECK(K::is_sparse(x));
  CHECK(K::is_placeholder(x));
  CHECK_FALSE(K::is_variable(x));
  Tensor y = K::variable(right(), "float64");
  K::Function f = K::function({x}, {K::dot(x, y), K::to_dense(x), x});
  CHECK(f.inputs().size() == 1);
  CHECK(K::is_same(f.inputs()[0], x));
  for (int i = 0; i < 2; ++i) {
    auto results = i ? f({exampleDense()}) : f({example()});
    checkArray(results[0], Array{{6.0, 8.0}, {0.0, 0.0}, {-3.5, -3.0}});
    checkArray(results[1], exampleDense());
    checkArray(results[2], exampleDense());
  }
  // Nothing stored at all.
  checkArray(f({SparseMatrix::coo(3, 3, {}, {}, Array(std::vector<double>{}))})[0],
             Array{{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}});
  CHECK_THROWS_WITH(f({SparseMatrix::fromDense(Array{{1.0, 2.0}})}),
                    Catch::Contains(") has shape (1, 2); needed (3, 3)"));
  CHECK_THROWS_WITH(f({None}), Catch::Contains(") is None; needed a sparse matrix or an array"));
  CHECK_THROWS_WITH(f({example(), example()}), Catch::Contains("2 values; needed one"));
  checkArray(K::get_session()->run({K::dot(x, y)}, {{x, exampleDense()}})[0],
             Array{{6.0, 8.0}, {0.0, 0.0}, {-3.5, -3.0}});
}

TEST_CASE("a session is fed sparse matrices") {
  Tensor x = K::placeholder({None, 3}, None, "float64", true), y = K::placeholder({3, 3});
  auto run = [&](const keratin::Feed &value) {
    return K::get_session()->run(K::dot(x, K::eye(3, "float64")), {{x, value}});
  };
  checkArray(run(example()), exampleDense());
  checkArray(run(exampleDense()), exampleDense());
  // For a dense placeholder it is made dense.
  checkArray(K::get_session()->run(y * 1.0, {{y, example()}}), exampleDense());
}

TEST_CASE("sizes of a sparse placeholder may be unknown") {
  Tensor x = K::placeholder({None, None}, None, "float32", true), y = K::placeholder({None, 2});
  CHECK(keratin::toString(K::int_shape(x)) == "(None, None)");
  K::Function f = K::function({x, y}, {K::dot(x, y), K::shape(x), K::to_dense(x)});
  auto results = f({example(), right()});
  checkArray(results[0], Array{{6.0, 8.0}, {0.0, 0.0}, {-3.5, -3.0}});
  checkArray(results[1], Array{3, 3});
  results = f({SparseMatrix::coo(1, 2, {0}, {1}, Array{2.0}), Array{{1.0, 1.0}, {3.0, 4.0}}});
  checkArray(results[0], Array{{6.0, 8.0}});
  checkArray(results[1], Array{1, 2});
  CHECK_THROWS_WITH(f({example(), Array{{1.0, 2.0}}}), Catch::Contains("the last size of x"));
  CHECK_THROWS_WITH(K::placeholder({3}, None, None, true), Catch::Contains("needed rank 2"));
}

TEST_CASE("cast, identity and concatenate stay sparse") {
  Tensor v = K::variable(example(), "float64");
  CHECK(K::is_sparse(K::cast(v, "float32")));
  CHECK(K::dtype(K::cast(v, "int32")) == "int32");
  checkValue(K::cast(v, "int32"), exampleDense().astype(DType::Int32));
  CHECK(K::is_sparse(K::identity(v)));
  checkValue(K::identity(v), exampleDense());
  CHECK_FALSE(K::is_variable(K::identity(v)));
  Array rows{{0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}, {1.5, 0.0, -1.0},
             {0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}, {1.5, 0.0, -1.0}};
  for (int axis : {0, -2}) {
    CHECK(K::is_sparse(K::concatenate({v, v}, axis)));
    checkValue(K::concatenate({v, v}, axis), rows);
  }
  Array columns{{0.0, 2.0, 0.0, 0.0, 2.0, 0.0},
                {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                {1.5, 0.0, -1.0, 1.5, 0.0, -1.0}};
  for (int axis : {1, -1})
    checkValue(K::concatenate({v, v}, axis), columns);
  CHECK_THROWS_WITH(K::concatenate({v, v}, 2), Catch::Contains("axis 2 is outside the rank"));
  // Beside a dense one it becomes dense.
  Tensor mixed = K::concatenate({v, K::variable(exampleDense(), "float64")}, 0);
  CHECK_FALSE(K::is_sparse(mixed));
  checkValue(mixed, rows);
  checkValue(K::dot(K::concatenate({v, v}, 1),
                    K::variable(Array{{1.0}, {2.0}, {3.0}, {4.0}, {5.0}, {6.0}}, "float64")),
             Array{{14.0}, {0.0}, {1.5 - 3.0 + 6.0 - 6.0}});
  Tensor dense = K::variable(right());
  CHECK(K::is_same(K::to_dense(dense), dense));
  CHECK_FALSE(K::is_sparse(K::to_dense(v)));
}

TEST_CASE("other functions refuse a sparse tensor and name to_dense") {
  Tensor v = K::variable(example());
  for (const std::string &message : {errorOf<keratin::ValueError>([&] { K::exp(v); }),
                                     errorOf<keratin::ValueError>([&] { K::sum(v); }),
                                     errorOf<keratin::ValueError>([&] { v + 1.0; }),
                                     errorOf<keratin::ValueError>([&] { K::dot(v, v); }),
                                     errorOf<keratin::ValueError>([&] { K::gradients(v, {v}); })})
    CHECK_THAT(message, Catch::Contains("is the sparse tensor") &&
                            Catch::Contains("; needed a dense one, which to_dense makes"));
  CHECK_THROWS_WITH(K::dot(v, K::variable(Array{1.0, 2.0, 3.0})),
                    Catch::Contains("; needed rank 2 beside a sparse x"));
  CHECK_THROWS_WITH(K::function({K::identity(v)}, {K::to_dense(v)}),
                    Catch::Contains("' is a sparse tensor; needed a placeholder"));
}

TEST_CASE("products with sparse tensors have derivatives") {
  // Of the dense side, and of values that depend on a variable.
  Tensor x = K::placeholder({3, 3}, None, "float64", true);
  Tensor w = K::placeholder({3, 2}, None, "float64");
  Tensor y = K::dot(x, w), loss = K::sum(K::sin(y) * Array{{1.0, -0.5}, {0.3, 2.0}, {1.2, 0.7}});
  Tensor first = K::gradients(loss, {w})[0].value();
  Tensor probe = K::sum(first * K::cos(w));
  Tensor second = K::gradients(probe, {w})[0].value();
  K::Function f = K::function({x, w}, {loss, first, probe, second});
  auto results = f({example(), right()});
  for (int64_t i = 0; i < 6; ++i) {
    Array high = right(), low = right();
    high.data<double>()[i] += 1e-5;
    low.data<double>()[i] -= 1e-5;
    auto above = f({example(), high}), below = f({example(), low});
    CHECK(results[1].item(i) ==
          Approx((above[0].item() - below[0].item()) / 2e-5).epsilon(1e-6).margin(1e-8));
    CHECK(results[3].item(i) ==
          Approx((above[2].item() - below[2].item()) / 2e-5).epsilon(1e-5).margin(1e-7));
  }
}

TEST_CASE("the derivative of a sparse tensor is that of its elements") {
  Tensor x = K::placeholder({3, 3}, None, "float64", true), v = K::variable(example(), "float64");
  Tensor w = K::placeholder({3, 2}, None, "float64");
  for (const Tensor &sparse : {x, v}) {
    // Also of one that is computed.
    for (const Tensor &of : {sparse, K::identity(sparse)}) {
      Tensor loss = K::sum(K::dot(of, w) * Array{{1.0, -0.5}, {0.3, 2.0}, {1.2, 0.7}});
      Tensor gradient = K::gradients(loss, {of})[0].value();
      CHECK(K::is_sparse(gradient));
      CHECK_FALSE(K::is_variable(gradient));
      Tensor second = K::gradients(K::sum(K::to_dense(gradient) * 2.0), {w})[0].value();
      K::Function f = K::function({x, w}, {gradient, second});
      // The loss's factors times w's rows, where an element is stored.
      auto results = f({example(), right()});
      checkArray(results[0], Array{{0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}, {2.6, 0.0, 10.2}}, float64Ulp);
      checkArray(results[1], Array{{2.4, 1.4}, {2.0, -1.0}, {2.4, 1.4}});
    }
    CHECK(K::gradients(K::sum(K::to_dense(sparse)), {sparse})[0].has_value());
    CHECK_FALSE(K::gradients(K::sum(w), {sparse})[0].has_value());
  }
}

TEST_CASE("labels of different lengths become a sparse tensor") {
  Tensor labels = K::placeholder({None, None}, None, "int32");
  Tensor lengths = K::placeholder({None}, None, "int64");
  Tensor sparse = K::ctc_label_dense_to_sparse(labels, lengths);
  CHECK(K::is_sparse(sparse));
  CHECK(K::dtype(sparse) == "int32");
  Tensor ones = K::ones({3, 1});
  K::Function f =
      K::function({labels, lengths}, {sparse, K::dot(K::cast(sparse, "float32"), ones)});
  auto results = f({Array{{4, 5, 6}, {7, 8, 9}}, Array{2, 0}});
  checkArray(results[0], Array{{4, 5, 0}, {0, 0, 0}});
  checkArray(results[1], Array{{9.0}, {0.0}});
  results = f({Array{{4, 5, 6}}, Array{3}});
  checkArray(results[0], Array{{4, 5, 6}});
  CHECK_THROWS_WITH(f({Array{{4, 5, 6}}, Array{4}}),
                    Catch::Contains("an entry of label_lengths is outside [0, labels]"));
  CHECK_THROWS_WITH(K::ctc_label_dense_to_sparse(lengths, lengths),
                    Catch::Contains("labels has shape") &&
                        Catch::Contains("; needed (samples, labels)"));
  CHECK_THROWS_WITH(K::ctc_label_dense_to_sparse(labels, labels),
                    Catch::Contains("label_lengths has shape") &&
                        Catch::Contains("; needed (samples,)"));
}

TEST_CASE("a function of a sparse placeholder is saved with its three vectors") {
  Tensor x = K::placeholder({None, 3}, None, "float64", true, "matrix"),
         w = K::placeholder({3, 2}, None, "float64", false, "w");
  K::Function f = K::function({x, w}, {K::dot(x, w)}, {}, "product");
  keratin::tests::TemporaryFile file;
  K::save_function(f, file.path);
  K::Function g = K::load_function(file.path);
  REQUIRE(g.inputs().size() == 5);
  CHECK(g.inputs()[0].name().find("matrix.rows") == 0);
  SparseMatrix m = example();
  CHECK_THROWS_WITH(g({m.rows(), m.columns(), m.values(), Array(int64_t(-1)), right()}),
                    Catch::Contains("-1"));
  checkArray(g({m.rows(), m.columns(), m.values(), Array(int64_t(3)), right()})[0],
             f({m, right()})[0]);
}
