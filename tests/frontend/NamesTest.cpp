// Feeding and results by name, and the variables of a function.
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

TEST_CASE("outputs have names and inputs are fed by theirs", "[names]") {
  Tensor x = K::placeholder({None}, {.name = "named_x"}),
         y = K::placeholder({}, {.name = "named_y"});
  K::Function f = K::function({x, y}, {{"scaled", x * y}, {"total", K::sum(x)}, y});
  CHECK(f.inputNames() == std::vector<std::string>{"named_x", "named_y"});
  CHECK(f.outputNames() == std::vector<std::string>{"scaled", "total", ""});
  K::Results results = f({{"named_y", 2.0}, {"named_x", Array{1.0, 2.0}}});
  checkArray(results["scaled"], Array{2.0, 4.0});
  checkArray(results["total"], Array(3.0));
  checkArray(results[2], Array(2.0));
  // By place as ever.
  checkArray(f({Array{3.0}, 2.0})["scaled"], Array{6.0});

  CHECK(has(errorOf<K::ValueError>([&] { f({{"named_z", 1.0}}); }),
            ": no input is named 'named_z'; there are 'named_x', 'named_y'"));
  CHECK(has(errorOf<K::ValueError>([&] { f({{"named_x", Array{1.0}}}); }), ") is None"));
  CHECK(has(errorOf<K::ValueError>([&] { f({{"named_y", 1.0}, {"named_y", 1.0}}); }),
            "'named_y' is given twice"));
  CHECK(has(errorOf<K::ValueError>([&] { results["loss"]; }),
            "Results: no output is named 'loss'; there are 'scaled', 'total'"));
  CHECK(
      has(errorOf<K::ValueError>([&] { K::function(x, x)({Array{1.0}})["x"]; }), "have no names"));
  CHECK(has(errorOf<K::ValueError>([&] { K::function(x, {{"a", x}, {"a", x + 1.0}}); }),
            "two outputs are named 'a'"));
}

TEST_CASE("sparse matrices and defaults are fed by name too", "[names]") {
  Tensor x = K::placeholder({2, 2}, {.sparse = true, .name = "named_sparse"});
  Tensor phase = K::learning_phase().tensor();
  K::Function f = K::function({x, phase}, {{"dense", K::to_dense(x)}});
  Array identity = {{1.0, 0.0}, {0.0, 1.0}};
  checkArray(f({{"named_sparse", K::SparseMatrix::fromDense(identity)}})["dense"], identity);
}

TEST_CASE("names of outputs are saved with a function", "[names]") {
  keratin::tests::TemporaryFile file;
  Tensor x = K::placeholder({2}, {.name = "saved_x"});
  K::save_function(K::function(x, {{"double", 2.0 * x}, x + 1.0}, {}, "f"), file.path);
  K::Function loaded = K::load_function(file.path);
  CHECK(loaded.outputNames()[0] == "double");
  checkArray(loaded({{"saved_x", Array{1.0, 2.0}}})["double"], Array{2.0, 4.0});
}

TEST_CASE("inputs keep the name asked for, and those of one function differ", "[names]") {
  using Names = std::vector<std::string>;
  keratin::tests::TemporaryFile file;
  Tensor x = K::placeholder({2}, {.name = "asked_x"}),
         second = K::placeholder({2}, {.name = "asked_x"}),
         third = K::placeholder({2}, {.name = "asked_x"});
  CHECK(second.name() == "asked_x_1:0"); // tensors differ in all of the program, as Keras's do
  K::Function f = K::function(x, x + 1.0, {}, "f"), g = K::function(second, second * 2.0, {}, "g");
  CHECK(f.inputNames() == Names{"asked_x"});
  CHECK(g.inputNames() == Names{"asked_x"});
  checkArray(g({{"asked_x", Array{1.0, 2.0}}})[0], Array{2.0, 4.0});
  CHECK(has(errorOf<K::ValueError>([&] { g({Array{1.0}}); }), ") has shape"));
  CHECK(has(toString(g), "input  asked_x: "));
  K::save_functions({f, g}, file.path);
  for (const K::Function &loaded : K::load_functions(file.path)) {
    CHECK(loaded.inputNames() == Names{"asked_x"});
    // What was loaded has been in the program twice by now.
    CHECK(K::function(loaded.inputs(), loaded.outputs()[0]).inputNames() == Names{"asked_x"});
  }

  // The tensor of the name keeps it, in any order, and no name is made up that was asked for.
  CHECK(K::function({second, x}, second - x).inputNames() == Names{"asked_x_1", "asked_x"});
  K::Function both = K::function({third, second}, third - second, {}, "both");
  CHECK(both.inputNames() == Names{"asked_x", "asked_x_1"});
  checkArray(both({{"asked_x_1", Array{1.0, 2.0}}, {"asked_x", Array{5.0, 5.0}}})[0],
             Array{4.0, 3.0});
  K::save_function(both, file.path);
  CHECK(K::load_function(file.path).inputNames() == both.inputNames());
  Tensor named = K::placeholder({2}, {.name = "asked_x_1"});
  CHECK(K::function({x, second, named}, x + second + named).inputNames() ==
        Names{"asked_x", "asked_x_2", "asked_x_1"});

  // Scopes are part of what was asked for; unnamed inputs are numbered by the function too.
  K::name_scope scope("asked");
  Tensor inner = K::placeholder({2}, {.name = "in"}), again = K::placeholder({2}, {.name = "in"});
  CHECK(K::function(again, -again).inputNames() == Names{"asked/in"});
  (void)inner;
  Tensor plain = K::placeholder({2}), other = K::placeholder({2});
  CHECK(K::function(other, -other).inputNames() == K::function(plain, -plain).inputNames());
}

TEST_CASE("sparse inputs are named alike, with their parts", "[names]") {
  using Names = std::vector<std::string>;
  keratin::tests::TemporaryFile file;
  Tensor first = K::placeholder({2, 2}, {.sparse = true, .name = "asked_m"}),
         second = K::placeholder({2, 2}, {.sparse = true, .name = "asked_m"});
  K::Function f = K::function(second, K::to_dense(second));
  CHECK(f.inputNames() == Names{"asked_m"});
  K::save_function(f, file.path);
  CHECK(K::load_function(file.path).inputNames() ==
        Names{"asked_m.rows", "asked_m.columns", "asked_m.values"});
  K::Function both = K::function({second, first}, K::to_dense(second) - K::to_dense(first));
  CHECK(both.inputNames() == Names{"asked_m_1", "asked_m"});
  K::save_function(both, file.path);
  CHECK(K::load_function(file.path).inputNames() == Names{"asked_m_1.rows", "asked_m_1.columns",
                                                          "asked_m_1.values", "asked_m.rows",
                                                          "asked_m.columns", "asked_m.values"});
}

TEST_CASE("a function lists its variables", "[names]") {
  Tensor x = K::placeholder({2}), w = K::variable(1.0, {.name = "listed_w"});
  Tensor count = K::variable(0.0, {.name = "listed_count"}), other = K::variable(1.0);
  K::Function f = K::function(x, K::dropout(x, 0.5) * w, K::update_add(count, 1.0));
  std::vector<Tensor> variables = f.variables();
  REQUIRE(variables.size() == 2);
  const bool isFirst = K::is_same(variables[0], w);
  CHECK(K::is_same(variables[isFirst ? 0 : 1], w));
  CHECK(K::is_same(variables[isFirst ? 1 : 0], count));
}
