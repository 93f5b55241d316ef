// Sizes that the user names.
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

TEST_CASE("a name is one size wherever it stands", "[sizes]") {
  Tensor x = K::placeholder({"batch", 2}, {.name = "sizes_x"});
  Tensor y = K::placeholder({"batch", 2}, {.name = "sizes_y"});
  Tensor z = K::concatenate({x + y, K::ones({"batch", 1})});
  CHECK(toString(z).find(": float32 (batch, 3)") != std::string::npos);
  CHECK(toString(K::reshape(x, {2, "batch"})).find("(2, batch)") != std::string::npos);
  K::Function f = K::function({x, y}, z);
  Array three = {{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, one = {{1.0, 2.0}};
  checkArray(f({three, three})[0], Array{{2.0, 4.0, 1.0}, {6.0, 8.0, 1.0}, {10.0, 12.0, 1.0}});
  checkArray(f({one, one})[0], Array{{2.0, 4.0, 1.0}});
  // A size of 1 is no other size: nothing is broadcast.
  const std::string message = errorOf<K::ValueError>([&] { f({three, one}); });
  CHECK((has(message,
             "is fed a value of shape (1, 2); axis 0 of shape (batch, 2) must be 3 in this call") ||
         has(message, "batch is 3 and 1"))); // the interpreter
}

TEST_CASE("sizes with names need no checks of equality", "[sizes]") {
  Tensor a = K::placeholder({"rows", "depth"}), b = K::placeholder({"depth", "columns"});
  CHECK(toString(K::dot(a, b)).find("(rows, columns)") != std::string::npos);
  CHECK(has(errorOf<K::ValueError>([&] {
              K::dot(a, K::placeholder({3, "columns"}, {.name = "c"}) + K::ones({4, 1}));
            }),
            "(3, columns)"));
}

TEST_CASE("a size needs an input that has it", "[sizes]") {
  const std::string line = std::to_string(__LINE__ + 1);
  Tensor ones = K::ones({"alone", 2});
  std::string message = errorOf<K::ValueError>([&] { K::function({}, ones); });
  CHECK(has(message, "nothing gives size 'alone' a value; needed an input that has it among its "
                     "dimensions; at "));
  CHECK(has(message, "SizeNamesTest.cpp:" + line));
  CHECK(has(errorOf<K::ValueError>([&] { ones.eval(); }), "size 'alone'"));
  // An expression of it says nothing of it.
  Tensor x = K::placeholder({"alone"}, {.name = "sizes_alone"});
  checkArray(K::function(x, ones)({Array{5.0}})[0], Array{{1.0, 1.0}});
}

TEST_CASE("names of sizes are words", "[sizes]") {
  for (const char *wrong : {"", "2x", "batch size", "a=b", "größe"})
    CHECK(has(errorOf<K::ValueError>([&] { K::placeholder({wrong, 2}); }),
              std::string("entry 0 of shape is named '") + wrong +
                  "'; needed letters, digits and _, a letter first,"));
  CHECK_THROWS_AS(K::placeholder({std::string(65, 'a')}), K::ValueError);
  CHECK(errorOf<K::ValueError>([] { K::placeholder({std::string(1 << 20, 'a')}); }).size() < 400);
  CHECK(has(errorOf<K::ValueError>([] { K::placeholder(K::constant(Array{2, 3})); }),
            "the shape must be a list of numbers, names and None"));
  CHECK(has(errorOf<K::NotImplementedError>(
                [] { K::placeholder({"batch", "columns"}, {.sparse = true}); }),
            "names for the sizes of a sparse placeholder; needed numbers or None"));
  CHECK(has(errorOf<K::ValueError>([&] { keratin::Size(4).dim(); }),
            "Size::dim: the Size is no name"));
}

TEST_CASE("a wrong shape is told the names of sizes", "[sizes]") {
  keratin::tests::TemporaryFile file;
  Tensor x = K::placeholder({"batch", "length", None, 4}, {.name = "sizes_told"});
  const std::string line = __FILE__ ":" + std::to_string(__LINE__ - 1);
  K::Function f = K::function(x, x * 2.0, {}, "f");
  const std::string expected = "f: the value for 'sizes_told' (" + line +
                               ") has shape (2, 3); needed (batch, length, None, 4)";
  const Array wrong = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  CHECK(errorOf<K::ValueError>([&] { f({wrong}); }) == expected);
  K::save_function(f, file.path);
  K::Function loaded = K::load_function(file.path);
  CHECK(errorOf<K::ValueError>([&] { loaded({wrong}); }) == expected);
}

TEST_CASE("saved functions keep the names of sizes", "[sizes]") {
  keratin::tests::TemporaryFile file;
  Tensor x = K::placeholder({"kept", 2}), y = K::placeholder({None, 2}, {.name = "sizes_unnamed"});
  K::save_function(K::function({x, y}, {x * 2.0, K::sum(y, 0)}), file.path);
  K::Function loaded = K::load_function(file.path);
  CHECK(toString(loaded.inputs()[0]).find("(kept, 2)") != std::string::npos);
  CHECK(toString(loaded.inputs()[1]).find("(None, 2)") != std::string::npos);
  // It is the size of that name in the rest of the graph.
  CHECK(toString(loaded.outputs()[0] + K::ones({"kept", 2})).find("(kept, 2)") !=
        std::string::npos);
}
