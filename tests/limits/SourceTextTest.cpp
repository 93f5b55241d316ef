#include "ir/text/SourceText.h"

#include "ir/dialect/Keratin.h"
#include "tests/support/SmallStack.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using keratin::ir::kMaxSourceDepth;
using keratin::ir::refuseSource;

static std::string repeat(const std::string &text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += text;
  return result;
}

static std::string nested(const std::string &open, const std::string &middle,
                          const std::string &close, size_t depth) {
  return repeat(open, depth) + middle + repeat(close, depth);
}

TEST_CASE("Text is nested at most 256 deep", "[text]") {
  for (auto [open, close] : {std::pair("module {", "}"), std::pair("[", "]"), std::pair("(", ")"),
                             std::pair("tuple<", ">"), std::pair("loc(fused<1>[", "])")}) {
    size_t each = std::string(open).find("fused") == 0 ? 3 : 1;
    CHECK_FALSE(refuseSource(nested(open, "x", close, kMaxSourceDepth / (each + 2))));
    CHECK(refuseSource(nested(open, "x", close, kMaxSourceDepth + 1)));
    CHECK(refuseSource(repeat(open, 100'000)));
  }
  CHECK_FALSE(refuseSource(nested("[", "1", "]", kMaxSourceDepth)));
}

TEST_CASE("The message names the line", "[text]") {
  CHECK(refuseSource("a\n\n" + repeat("[", kMaxSourceDepth + 1)) ==
        "line 3: nested more than 256 levels deep");
}

TEST_CASE("Strings, comments, arrows and comparisons are no brackets", "[text]") {
  CHECK_FALSE(refuseSource("\"" + repeat("[", 1000) + "\""));
  CHECK_FALSE(refuseSource("\"\\\"" + repeat("[", 1000) + "\""));
  CHECK_FALSE(refuseSource("// " + repeat("[", 1000) + "\n"));
  CHECK_FALSE(refuseSource(repeat("affine_set<(d0) : (d0 <= 0, d0 >= 0)>\n", 1000)));
  // Arrows must not pay for brackets.
  CHECK(refuseSource(repeat("[ -> ", kMaxSourceDepth + 1)));
  CHECK(refuseSource(repeat("[ >= ", kMaxSourceDepth + 1)));
}

TEST_CASE("Arrays of i1 hold true and false", "[text]") {
  CHECK(refuseSource("a\narray<i1: 0>") == "line 2: an array of i1 or of a named type; needed true "
                                           "and false, or a type in words");
  for (const char *text :
       {"{a = array<i1: true, 1>}", "array < i1:0>", "array<!b: 0>", "array<\ni1 : -1>",
        "array// <\n<i1: 0>", "array< // x\ni1: 0>", "array<i1: // >\n0>"})
    CHECK(refuseSource(text));
  for (const char *text :
       {"array<i1>", "array<i1: true, false>", "array<i64: 0, 1>", "array<f32: 1.0>",
        "\"array<i1: 0>\"", "// array<i1: 0>", "subarray<i1: 0>", "array<i16: 1>"})
    CHECK_FALSE(refuseSource(text));
}

TEST_CASE("An alias is as deep as what it stands for", "[text]") {
  std::string chain = "#a0 = 1\n";
  for (size_t i = 1; i <= kMaxSourceDepth + 1; ++i)
    chain += "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
  CHECK(refuseSource(chain));
  std::string types = "!t0 = i32 ";
  for (size_t i = 1; i <= kMaxSourceDepth + 1; ++i)
    types += "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + "> ";
  CHECK(refuseSource(types));
  std::string wide = "#a0 = [1]\n";
  for (size_t i = 1; i <= 1000; ++i)
    wide += "#a" + std::to_string(i) + " = [#a0]\nmodule { \"f\"() {x = #a" + std::to_string(i) +
            "} : () -> () }\n";
  CHECK_FALSE(refuseSource(wide));
}

TEST_CASE("Bytecode is refused", "[text]") {
  CHECK(refuseSource(std::string("ML\xEFR\x01", 5)) == "line 1: MLIR bytecode; needed textual IR");
}

TEST_CASE("What is let through does not overflow the parser's stack", "[text]") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<keratin::ir::KeratinDialect>();
  context.allowUnregisteredDialects();
  // Two levels for each of the regions: braces and parentheses.
  std::string regions = nested("\"a.b\"() ({", "", "}) : () -> ()", kMaxSourceDepth / 2 - 1);
  std::string attributes =
      "\"a.b\"() {x = " + nested("[", "1", "]", kMaxSourceDepth - 1) + "} : () -> ()";
  for (const std::string &text : {regions, attributes}) {
    REQUIRE_FALSE(refuseSource(text));
    keratin::tests::onSmallStack([&] {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
      REQUIRE(module);
      std::string printed;
      llvm::raw_string_ostream stream(printed);
      module->print(stream);
      CHECK(printed.size() > text.size() / 2);
    });
  }
}
