// Names of graphs as files, members of archives, identifiers and comments.
#include "compiler/artifact/Names.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace keratin::compiler;
using Names = std::vector<std::string>;

namespace {

// Short texts over few characters, so that any two rules that meet do so here, and long ones.
Names manyNames() {
  const std::string characters = "ab_.-/%~2FA:\\\xc3 ";
  std::mt19937 random(1);
  std::set<std::string> names = {"", ".npy", "a.npy", "a.npy.npy"};
  for (int i = 0; i < 20000; ++i) {
    std::string name;
    for (size_t k = random() % 7; k > 0; --k)
      name += characters[random() % characters.size()];
    names.insert(name);
  }
  for (size_t bytes : {190, 199, 200, 201, 202, 300, 100000})
    for (const char *end : {"", "a", "/", "%", ".."})
      names.insert(std::string(bytes, 'x') + end);
  return {names.begin(), names.end()};
}

bool isSafePart(const std::string &part) {
  return !part.empty() && part[0] != '.' && part.find_first_of("/\\: \xc3") == std::string::npos;
}

} // namespace

TEST_CASE("names of files are different, in no other folder, and plain ones stay") {
  std::map<std::string, std::string> files, members;
  for (const std::string &name : manyNames()) {
    std::string file = fileName(name), member = memberName(name);
    CAPTURE(name, file, member);
    CHECK(isSafePart(file));
    CHECK(file.size() <= 200);
    CHECK(files.emplace(file, name).second);
    CHECK(member.size() <= 200);
    CHECK(members.emplace(member, name).second);
    bool isExtension = member.size() >= 4 && member.substr(member.size() - 4) == ".npy";
    CHECK_FALSE(isExtension);
    for (size_t begin = 0; begin <= member.size();) {
      size_t end = std::min(member.find('/', begin), member.size());
      CHECK(isSafePart(member.substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  for (const char *name : {"predict", "dense_1", "a.b-c_D.9", "-"}) {
    CHECK(fileName(name) == name);
    CHECK(memberName(name) == name);
  }
  CHECK(memberName("dense/MatMul") == "dense/MatMul");
  CHECK(fileName("dense/MatMul") == "dense%2FMatMul");
  CHECK(fileName("../x") == "%2E.%2Fx");
  CHECK(memberName("../x") == "%2E./x");
  CHECK(memberName("/x//y/") == "%/x/%/y/%");
}

TEST_CASE("the second of two equal names gets a number that nobody has") {
  CHECK(distinctNames({"a", "b", "a", "a"}) == Names{"a", "b", "a_2", "a_3"});
  CHECK(distinctNames({"a", "a", "a_2", "a_2"}) == Names{"a", "a_3", "a_2", "a_2_2"});
  Names many = distinctNames(Names(100000, "x"));
  CHECK(std::set<std::string>(many.begin(), many.end()).size() == many.size());
}

TEST_CASE("identifiers are different, plain and nobody's") {
  Names wanted = manyNames();
  Identifiers identifiers;
  Names made = identifiers.add(wanted, {"_dims"});
  std::set<std::string> all;
  for (size_t i = 0; i < made.size(); ++i) {
    CAPTURE(wanted[i], made[i]);
    CHECK(isModelName(made[i]));
    CHECK(all.insert(made[i]).second);
    CHECK(all.insert(made[i] + "_dims").second);
  }
  CHECK(
      Identifiers().add({"x", "default", "keratin_inputs", "9", "", "state", "INT8_MAX", "_x"}) ==
      Names{"x", "default_2", "nkeratin_inputs", "n9", "unnamed", "state_2", "INT8_MAX_2", "x_2"});
  // Whoever needs no change comes first, and shares no name with a suffix of another.
  CHECK(Identifiers().add({"a b", "a_b", "a_b_dims", "a"}, {"_dims"}) ==
        Names{"a_b_2", "a_b", "a_b_dims_2", "a"});
  FunctionIdentifiers functions(
      "m", {"f", "f_run", "f_on_stream", "delete", "state_copy", "keratin_object", "t"});
  CHECK(functions.names() == Names{"f", "f_run_2", "f_on_stream_2", "delete", "function_state_copy",
                                   "function_keratin_object", "t"});
  CHECK(Identifiers("", &functions).add({"m_f_run", "m_f", "f"}) ==
        Names{"m_f_run_3", "m_f_2", "f"});
  // Together with the model's name it may be a word too.
  CHECK(FunctionIdentifiers("size", {"t"}).names() == Names{"t_2"});
  Names equal = Identifiers().add(Names(20000, "x"));
  CHECK(std::set<std::string>(equal.begin(), equal.end()).size() == equal.size());
}

TEST_CASE("names of models") {
  for (const char *name : {"m", "net", "Net2", "int", "a_b", "keratins"})
    CHECK(isModelName(name));
  for (const char *name :
       {"", "_m", "m_", "a__b", "1m", "a-b", "keratin", "Keratin", "keratin_x", "\xc3\xa4"}) {
    CHECK_FALSE(isModelName(name));
    CHECK(isModelName(modelName(name)));
  }
  CHECK(modelName("net") == "net");
  CHECK(modelName("my-net.v2") == "my_net_v2");
}

TEST_CASE("a comment stays on its line") {
  CHECK(commentText("dims of 'größe' \\ ?\?/ */") == "dims of 'größe' \\ ?\?/ */");
  CHECK(commentText("a\nb\rc") == "a\xef\xbf\xbd"
                                  "b\xef\xbf\xbd"
                                  "c");
  CHECK(commentText("a\\") == "a\\ .");
  CHECK(commentText("a\\ \t ") == "a\\ \xef\xbf\xbd");
  CHECK(commentText("a\\  ") == "a\\ .");
  CHECK(commentText("a?\?/") == "a?\?/ .");
  CHECK(commentText("\xe2\x80\xae"
                    "x\xff") == "\xef\xbf\xbd"
                                "x\xef\xbf\xbd");
}
