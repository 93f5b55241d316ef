#include "ir/text/SourceText.h"

#include "ir/dialect/Keratin.h"
#include "tests/support/SmallStack.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;

namespace {

std::string repeat(const std::string &text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i)
    result += text;
  return result;
}

std::string nested(const std::string &open, const std::string &middle, const std::string &close,
                   size_t depth) {
  return repeat(open, depth) + middle + repeat(close, depth);
}

// "file:line:column: error: why", with "limit: " in front where it is one; "" if the text is let
// through.
std::string refusalOf(const std::string &text) {
  std::optional<SourceRefusal> refusal = refuseSource(text);
  return refusal ? (refusal->isLimit ? "limit: " : "") + refusal->str("f") : "";
}

void checkAccepted(const std::string &text) {
  INFO(text.substr(0, 200));
  CHECK(refusalOf(text) == "");
}

// Refused at this place, as wrong or as beyond a limit.
void checkRefused(const std::string &text, const std::string &refusal) {
  INFO(text.substr(0, 200));
  CHECK(refusalOf(text) == refusal);
}

std::string inFunction(const std::string &ops) {
  return "func.func @f(%x: tensor<2xf32>) {\n" + ops + "return\n}\n";
}

} // namespace

TEST_CASE("Text is nested at most 256 deep", "[text]") {
  for (auto [open, close] : {std::pair("module {", "}"), std::pair("[", "]"), std::pair("(", ")"),
                             std::pair("tensor<", ">"), std::pair("loc(fused<1>[", "])")}) {
    size_t each = std::string(open).find("fused") == 0 ? 3 : 1;
    checkAccepted(nested(open, "x", close, kMaxSourceDepth / (each + 2)));
    CHECK(refuseSource(nested(open, "x", close, kMaxSourceDepth + 1)));
    CHECK(refuseSource(repeat(open, 100'000)));
  }
  checkAccepted(nested("[", "1", "]", kMaxSourceDepth));
  checkRefused("a\n\n" + repeat("[", kMaxSourceDepth + 1),
               "limit: f:3:257: error: nested more than 256 levels deep");
}

TEST_CASE("Strings, comments and arrows are no brackets", "[text]") {
  checkAccepted("\"" + repeat("[", 1000) + "\"");
  checkAccepted("\"\\\"" + repeat("[", 1000) + "\"");
  checkAccepted("@\"" + repeat("[", 1000) + "\"");
  checkAccepted("// " + repeat("[", 1000) + "\n");
  checkAccepted("[ -> ]");
  // Arrows must not pay for brackets.
  CHECK(refuseSource(repeat("[ -> ", kMaxSourceDepth + 1)));
  // A carriage return ends a comment.
  CHECK(refuseSource("// \r" + repeat("[", kMaxSourceDepth + 1)));
}

TEST_CASE("Brackets match", "[text]") {
  checkRefused("tensor<?xf32, #keratin.dims<(d0 + 1>>", "f:1:36: error: '(' is closed by '>'");
  checkRefused("a ]", "f:1:3: error: ']' closes nothing");
  checkRefused("#-}", "f:1:1: error: '#-}' closes nothing");
  checkRefused("{-# a: {} }", "f:1:11: error: '{-#' is closed by '}'");
  checkRefused("module {\n  f(", "f:2:4: error: '(' is never closed");
}

TEST_CASE("Text is UTF-8 and cut into words as MLIR cuts it", "[text]") {
  checkRefused(std::string("ML\xEFR\x01", 5), "f:1:1: error: MLIR bytecode; needed textual IR");
  checkRefused(std::string("a\nb\0c", 5), "f:2:2: error: a NUL byte; needed text");
  checkRefused("// \xC3\x28", "f:1:4: error: bytes that are not UTF-8; needed text");
  checkRefused("// \xED\xA0\x80", "f:1:4: error: bytes that are not UTF-8; needed text");
  checkAccepted("// \xC3\xA9\n\"\xE2\x82\xAC\"");
  checkRefused("\"a\nb\"", "f:1:1: error: a string goes on beyond its line");
  checkRefused("\"a", "f:1:1: error: a string without an end");
  checkRefused("\"a\\", "f:1:1: error: an unknown escape in a string");
  checkRefused("\"\\q\"", "f:1:1: error: an unknown escape in a string");
  checkAccepted("\"\\n\\t\\\\\\\"\\0A\"");
  checkRefused("a \xC3\xA9", "f:1:3: error: a character that belongs in strings and comments only");
  checkRefused("@ a", "f:1:1: error: no name follows '@'");
  checkRefused("% a", "f:1:1: error: no name follows");
}

TEST_CASE("Arrays of i1 hold true and false", "[text]") {
  checkRefused("a\narray<i1: 0>",
               "f:2:11: error: a number in an array of i1; needed true and false");
  checkRefused("array<!b: 0>", "f:1:7: error: an array of a named type; needed a type in words");
  for (const char *text : {"{a = array<i1: true, 1>}", "array < i1:0>", "array<\ni1 : -1>",
                           "array// <\n<i1: 0>", "array< // x\ni1: 0>", "array<i1: // >\n0>"})
    CHECK(refuseSource(text));
  for (const char *text :
       {"array<i1>", "array<i1: true, false>", "array<i64: 0, 1>", "array<f32: 1.0>",
        "\"array<i1: 0>\"", "// array<i1: 0>", "subarray<i1: 0>", "array<i16: 1>"})
    checkAccepted(text);
}

TEST_CASE("What models do not use is refused", "[text]") {
  checkRefused("module attributes {a = affine_map<(d0) -> (" + repeat("-", 100'000) + "d0)>} {}",
               "f:1:24: error: 'affine_map', which models do not use");
  checkRefused("affine_set// (\n<(d0) : (d0 >= 0)>",
               "f:1:1: error: 'affine_set', which models do not use");
  for (const char *type : {"memref<2xf32>", "vector<2xf32>", "tuple<i1>", "strided<[1]>",
                           "distinct[0]<1>", "sparse<[], []>", "opaque<\"a\", \"b\">"})
    CHECK(refuseSource(std::string("a = ") + type));
  checkAccepted("{vector = 1, tuple}");
  checkRefused("!llvm.ptr", "f:1:1: error: '!llvm.ptr' of another dialect; needed keratin's own");
  checkRefused("#llvm<x>", "f:1:1: error: '#llvm' of another dialect; needed keratin's own");
  checkAccepted("#keratin<dims<d0>>");
  checkRefused("{-# dialect_resources: {} #-}", "f:1:5: error: resources of dialects");
  checkAccepted("{-# external_resources: {mlir_reproducer: {pipeline: \"a(b)\"}} #-}");
  checkRefused("{-# external_resources: {a: \"" + repeat("(", 300) + "\"} #-}",
               "limit: f:1:29: error: nested more than 256 levels deep");
}

TEST_CASE("Literals, names, integers and ranks are bounded", "[text]") {
  checkAccepted("[" + repeat("9", kMaxNumberLength) + "]");
  for (const char *start : {"1", "0x1", "1.", "1.0e+"})
    checkRefused("[" + (start + repeat("1", 50'000)) + "]",
                 "limit: f:1:2: error: a number of more than 128 characters");
  checkAccepted("0x" + repeat("x1", 100)); // 0, and a word
  for (const char *start : {"%a", "^a", "@a", "#a", "!a", "a"})
    CHECK(refuseSource(start + repeat("a", kMaxNameLength)));
  checkRefused(repeat("a", kMaxNameLength + 1),
               "limit: f:1:1: error: a name of more than 4096 characters");
  checkAccepted("\"" + repeat("a", 100'000) + "\"");

  checkAccepted("tensor<4x?xi64>, ui64, si64, i, xi, i64x");
  for (const char *type : {"i65", "si65", "ui16777215", "tensor<4xi65>", "tensor<0xi65>",
                           "tensor<?xui99999999999999999999>"})
    CHECK(refuseSource(type));
  checkRefused("1 : i65", "f:1:5: error: integers of more than 64 bits");

  checkAccepted("tensor<" + repeat("1x", kMaxSourceRank) + "f32>");
  for (const char *dimension : {"1x", "?x", "0x", "1 x ", "0x1x", "1//\nx"})
    CHECK(refuseSource("tensor<" + repeat(dimension, kMaxSourceRank + 1) + "f32>"));
  checkRefused("tensor<" + repeat("1x", kMaxSourceRank + 1) + "f32>",
               "limit: f:1:9: error: a tensor of more than 32 dimensions");
}

TEST_CASE("Lists are bounded", "[text]") {
  std::string many = repeat("1,", kMaxListLength - 1) + "1";
  for (auto [open, close] :
       {std::pair("dense<[", "]>"), std::pair("[", "]"), std::pair("array<i8: ", ">")}) {
    checkAccepted(open + many + close + std::string(100, ' '));
    CHECK(refuseSource(open + many + ",1" + close));
  }
  // Rows count together.
  checkRefused("dense<[" + repeat("[1,1,1,1],", kMaxListLength / 4) + "[1,1,1,1]]>",
               "limit: f:1:1310727: error: a list of more than 524288 elements");
  checkAccepted("dense<\"0x" + repeat("00", 4 * kMaxListLength) + "\">");
}

TEST_CASE("Products in sizes are bounded", "[text]") {
  auto sizes = [](const std::string &text) { return "#keratin.dims<" + text + ">"; };
  std::string product = "d0" + repeat("*d1", kMaxFactors);
  checkAccepted(sizes(product + " + " + product + ", " + product));
  checkRefused(sizes(product + "*d1"), "limit: f:1:785: error: a product of more than 256 factors");
  std::string sums = repeat("(d0 + 1)*(d1 + 1), ", kMaxSumProducts);
  checkAccepted(sizes(sums + "d0"));
  checkRefused(sizes(sums + "(d0 + 1)*d1"),
               "limit: f:1:1239: error: more than 64 products of sums in sizes");
  CHECK(refuseSource(sizes(sums + "d1*(d0 + 1)")));
  // Of functions any number.
  checkAccepted(sizes(repeat("floordiv(d0 + 1, 2)*mod(d0 + 1, 2), ", 1000) + "d0"));
}

TEST_CASE("A value has the results that its op names", "[text]") {
  checkAccepted(inFunction("%y:3 = a.b\na.c %y#0, %y#2, %x#0\n"));
  for (const char *use : {"%y#3", "%x#1", "%z#4000000000", "%y#99999999999999999999"})
    CHECK(refuseSource(inFunction("%y:3 = a.b\na.c " + std::string(use) + "\n")));
  checkRefused("a %x#1000000000", "f:1:5: error: '%x' has no such result");
  checkRefused("%x:99999999999999999999 = a", "f:1:4: error: a number of results that is none");
}

TEST_CASE("An alias is as deep as what it stands for", "[text]") {
  auto chain = [](const std::string &mark, const std::string &open, const std::string &close) {
    std::string text = mark + "a0 = 1 ";
    for (size_t i = 1; i <= kMaxSourceDepth + 1; ++i)
      text += mark + "a" + std::to_string(i) + " = " + open + mark + "a" + std::to_string(i - 1) +
              close + " ";
    return text;
  };
  CHECK(refuseSource(chain("#", "[", "]")));
  CHECK(refuseSource(chain("!", "tensor<2x", ">")));
  CHECK(refuseSource(chain("#", "loc(fused[", "])")));
  std::string wide = "#a0 = [1]\n";
  for (size_t i = 1; i <= 1000; ++i)
    wide += "#a" + std::to_string(i) + " = [#a0]\nmodule { \"f\"() {x = #a" + std::to_string(i) +
            "} : () -> () }\n";
  checkAccepted(wide);
}

TEST_CASE("Aliases stand for a bounded number of words", "[text]") {
  auto bomb = [](const std::string &mark, const std::string &open, const std::string &close,
                 size_t levels) {
    std::string text;
    for (size_t i = 1; i <= levels; ++i) {
      std::string name = mark + "a" + std::to_string(i - 1);
      text += mark + "a" + std::to_string(i) + " = " + open;
      for (int k = 0; k < 10; ++k)
        text += (k ? "," : "") + name;
      text += close + "\n";
    }
    return text;
  };
  std::string zero = "#a0 = [\"x\"]\n";
  checkAccepted(zero + bomb("#", "[", "]", 4));
  checkRefused(zero + bomb("#", "[", "]", 11),
               "limit: f:7:8: error: aliases stand for more than 1048576 words and 16 times the "
               "text's bytes");
  CHECK(refuseSource(zero + bomb("#", "{k = [", "]}", 11)));
  CHECK(refuseSource("#a0 = loc(\"x\":1:1)\n" + bomb("#", "loc(fused[", "])", 11)));
  CHECK(refuseSource("!a0 = i32\n" + bomb("!", "(", ") -> ()", 11)));
  // Large, and used often; before the definition, as the locations of ops are, and behind it.
  std::string large = "#a = loc(fused[" + repeat("\"x\",", 10'000) + "\"x\"])\n";
  std::string uses = "module {\n" + repeat("module {} loc(#a)\n", 1000) + "}\n";
  CHECK(refuseSource(large + uses));
  CHECK(refuseSource(uses + large));
  checkAccepted(large + "module {} loc(#a)\n");
  checkAccepted("module {} loc(#a)\n" + large);

  checkRefused("#a = [#a]", "f:1:7: error: '#a' is used in its own definition");
  checkRefused("#a = [#b]\n#b = 1", "f:1:7: error: '#b' is used before it is defined");
  checkRefused("#a = 1 #a = 2", "f:1:8: error: '#a' is defined twice");
}

TEST_CASE("Reading takes a bounded multiple of the text's memory", "[text]") {
  std::string sizes = "#keratin.dims<" + repeat("d0,", 400'000) + "d0>";
  CHECK(refusalOf(sizes).find("limit: f:1:") == 0);
  CHECK(refusalOf(sizes).find("reading takes more memory than 64 MiB and 16 times the text's "
                              "bytes") != std::string::npos);
  CHECK(refuseSource("module {" + repeat("module{}", 400'000) + "}"));
  std::string names;
  for (int i = 0; i < 400'000; ++i)
    names += "@a" + std::to_string(i) + ",";
  CHECK(refuseSource("[" + names + "1]"));
  // As long, of ops as they are printed.
  std::string ops;
  for (int i = 0; i < 100'000; ++i)
    ops += "  %" + std::to_string(i) +
           " = keratin.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc(#loc)\n";
  checkAccepted(inFunction(ops) + "#loc = loc(\"a\":1:1)\n");
}

TEST_CASE("What is let through does not overflow the parser's stack", "[text]") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KeratinDialect>();
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
