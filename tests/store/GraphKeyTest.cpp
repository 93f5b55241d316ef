// What makes two functions different to the compiler.
#include "tests/store/GraphText.h"

#include <catch2/catch.hpp>

#include <set>

using namespace keratin;
using namespace keratin::tests;
using compiler::GraphKey;

static GraphKey keyOf(const std::string &text, const std::string &settings = "") {
  return GraphText(text).key(settings);
}

// A function with one input of this type and the ops given.
static GraphKey keyOfBody(const std::string &type, const std::string &body) {
  return keyOf("func.func @f(%x: " + type +
               " {keratin.kind = \"input\", keratin.name = \"x\"}) -> (" + type +
               " {keratin.kind = \"output\"}) {\n" + body + "\n}");
}

TEST_CASE("Equal functions of different contexts have one key") {
  CHECK(keyOf(Scaled().text()) == keyOf(Scaled().text()));
}

TEST_CASE("Names and lines are no part of the structure, but are said") {
  const GraphKey key = keyOf(Scaled().text());
  CHECK(key.said.texts.front() == "f");
  for (const Scaled &other :
       {Scaled{.function = "g"}, Scaled{.input = "z"}, Scaled{.file = "b.cc"}, Scaled{.line = 8}}) {
    GraphKey otherKey = keyOf(other.text());
    CHECK(otherKey == key);
    CHECK(otherKey.said.texts.size() == key.said.texts.size());
    CHECK(otherKey.said.texts != key.said.texts);
  }
}

TEST_CASE("Sizes, constants and settings are told apart") {
  const GraphKey key = keyOf(Scaled().text());
  CHECK_FALSE(key == keyOf(Scaled{.factor = "1.5"}.text()));
  CHECK_FALSE(key == keyOf(Scaled{.elements = 9}.text()));
  CHECK_FALSE(key == keyOf(Scaled().text(), "another"));
}

TEST_CASE("Ops of one line are told from those of two") {
  std::string text = Scaled().text();
  text.replace(text.rfind("a.cc"), 4, "b.cc");
  CHECK_FALSE(keyOf(text) == keyOf(Scaled().text()));
}

TEST_CASE("Ops, operands, attributes, types and elements are told apart") {
  const std::string type = "tensor<2x2xf32>", unary = " : (" + type + ") -> " + type,
                    binary = " : (" + type + ", " + type + ") -> " + type,
                    end = "\n return %y : " + type;
  const std::vector<std::string> bodies = {
      "%y = keratin.tanh %x" + unary + end,
      "%y = keratin.exp %x" + unary + end,
      "%a = keratin.tanh %x" + unary + "\n%y = keratin.sub %a, %x" + binary + end,
      "%a = keratin.tanh %x" + unary + "\n%y = keratin.sub %x, %a" + binary + end,
      "%y = keratin.transpose %x permutation = [1, 0]" + unary + end,
      "%y = keratin.transpose %x permutation = [0, 1]" + unary + end,
      "%a = keratin.constant dense<1.0> : " + type + "\n%y = keratin.sub %a, %x" + binary + end,
      "%a = keratin.constant dense<-1.0> : " + type + "\n%y = keratin.sub %a, %x" + binary + end,
      "%a = keratin.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : " + type +
          "\n%y = keratin.sub %a, %x" + binary + end,
      "%a = keratin.constant dense<[[1.0, 2.0], [4.0, 3.0]]> : " + type +
          "\n%y = keratin.sub %a, %x" + binary + end,
  };
  std::set<std::string> structures;
  std::set<compiler::Digest> digests;
  for (const std::string &body : bodies) {
    GraphKey key = keyOfBody(type, body);
    structures.insert(key.structure);
    digests.insert(key.digest);
  }
  CHECK(structures.size() == bodies.size());
  CHECK(digests.size() == bodies.size());
}

TEST_CASE("Elements of large constants count by a digest") {
  auto keyOfConstant = [](const std::string &last) {
    std::string list;
    for (int i = 0; i < 999; ++i)
      list += std::to_string(i) + ".0, ";
    return keyOfBody("tensor<1000xf32>",
                     "%a = keratin.constant dense<[" + list + last +
                         "]> : tensor<1000xf32>\n%y = keratin.add %a, %x : (tensor<1000xf32>, "
                         "tensor<1000xf32>) -> tensor<1000xf32>\nreturn %y : tensor<1000xf32>");
  };
  const GraphKey key = keyOfConstant("1.0");
  CHECK(key.structure.size() < 1000);
  CHECK(key == keyOfConstant("1.0"));
  CHECK_FALSE(key == keyOfConstant("2.0"));
}

TEST_CASE("Unknown sizes are told apart, and called by their names") {
  auto keyOfShape = [](const std::string &shape, const std::string &sizes) {
    std::string type = "tensor<" + shape + ">";
    return keyOf("func.func @f(%x: " + type +
                 " {keratin.kind = \"input\", keratin.name = \"x\"}) -> (" + type +
                 " {keratin.kind = \"output\"})" + sizes + " {\n%y = keratin.tanh %x : (" + type +
                 ") -> " + type + "\nreturn %y : " + type + "\n}");
  };
  const std::string shape = "?x4xf32, #keratin.dims<d0, 4>";
  const GraphKey key = keyOfShape(shape, "");
  CHECK_FALSE(key == keyOfShape("?x5xf32, #keratin.dims<d0, 5>", ""));
  CHECK_FALSE(key == keyOfShape("?x?xf32, #keratin.dims<d0, d0>", ""));
  // Code may assume that sizes without names are equal (keratin-unify-sizes).
  GraphKey named = keyOfShape(shape, " attributes {keratin.sizes = [\"batch\"]}");
  CHECK_FALSE(named == key);
  CHECK(named == keyOfShape(shape, " attributes {keratin.sizes = [\"rows\"]}"));
  CHECK(std::count(named.said.texts.begin(), named.said.texts.end(), "batch") == 1);
  CHECK(std::count(key.said.texts.begin(), key.said.texts.end(), "x_dim0") == 1);
}
