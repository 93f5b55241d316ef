// Values of states from safetensors files.
#include "runtime/include/keratin/object.h"
#include "tests/support/TemporaryFile.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <vector>

#include <unistd.h>

namespace {

constexpr size_t all = size_t(-1);

struct Model {
  const int64_t dims[1] = {2};
  keratin_object_variable_t variables[2] = {
      {{"v", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"größe", KERATIN_DTYPE_BOOL, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}}};
  keratin_object_variant_t variant = {"plain", {0, 0}, nullptr, {}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a test",
                                  0,
                                  2,
                                  1,
                                  0,
                                  variables,
                                  &variant,
                                  nullptr,
                                  nullptr,
                                  {}};
  keratin_state_t *state = nullptr;
  keratin_status_t status;
  keratin::tests::TemporaryFile file;

  Model() { REQUIRE(keratin_state_create(&object, &state, nullptr) == KERATIN_OK); }
  ~Model() { keratin_state_destroy(state); }

  // The message of loading such a file, cut after so many bytes.
  std::string load(const std::string &json, const std::string &data, size_t cut = all) {
    uint64_t length = json.size();
    std::string bytes(reinterpret_cast<const char *>(&length), sizeof length);
    bytes += json + data;
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, cut);
    keratin_state_load_weights(state, file.path.c_str(), &status);
    std::string message = status.message;
    if (size_t at = message.find("'" + file.path + "'"); at != std::string::npos)
      message.replace(at, file.path.size() + 2, "FILE");
    return message;
  }
};

const std::string v = R"("v":{"dtype":"F32","shape":[2],"data_offsets":[3,11]})";
const std::string g = R"("gr\u00f6\u00dfe":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]})";
// Two bools, a byte of no variable, two floats.
std::string data() {
  const float values[] = {1.5f, -2};
  return std::string("\0\x07?", 3) +
         std::string(reinterpret_cast<const char *>(values), sizeof values);
}

} // namespace

TEST_CASE("weights are loaded by name, whatever else the file holds") {
  Model model;
  CHECK(model.load(R"( { "__metadata__" : {"format":"pt"}, )" + v +
                       R"(,"other\ud83d\ude00":{"data_offsets":[2,3],"dtype":"F8","shape":[1]} ,)" +
                       g + "}   ",
                   data()) == "");
  float floats[2];
  REQUIRE(keratin_state_read_variable(model.state, "v", floats, sizeof floats, nullptr) ==
          KERATIN_OK);
  CHECK((floats[0] == 1.5f && floats[1] == -2));
  uint8_t bools[2]; // whose bytes are 0 and 1, whatever the file has
  REQUIRE(keratin_state_read_variable(model.state, "größe", bools, 2, nullptr) == KERATIN_OK);
  CHECK((bools[0] == 0 && bools[1] == 1));
}

TEST_CASE("weights that do not fit are refused, and leave the state as it is") {
  Model model;
  auto entry = [](const char *dtype, const char *shape, const char *place) {
    return std::string("{\"v\":{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + place + "}," + g + "}";
  };
  const std::string needed = "; the variable of model 'model' is float32 (2,)";
  CHECK(model.load(entry("F64", "[2]", "[3,19]"), data()) == "FILE: 'v' is float64 (2,)" + needed);
  CHECK(model.load(entry("F32", "[1,2]", "[3,11]"), data()) ==
        "FILE: 'v' is float32 (1, 2)" + needed);
  CHECK(model.load("{" + v + "}", data()) == "FILE has no 'größe', a variable of model 'model'");
  CHECK(model.load("{" + v + "," + v + "}", data()) == "FILE has two values for 'v'");
  const std::string is = "FILE is not a safetensors file: ";
  CHECK(model.load(entry("F32", "[2]", "[3,10]"), data()) ==
        is + "'v' lies in its bytes 3 to 10 of 11; needed 8 bytes");
  CHECK(model.load(entry("F32", "[2]", "[4,12]"), data()) ==
        is + "'v' lies in its bytes 4 to 12 of 11; needed 8 bytes");
  CHECK(model.load(entry("F32", "[2]", "[1,9]"), data()) == is + "'v' lies within another tensor");
  float floats[2];
  REQUIRE(keratin_state_read_variable(model.state, "v", floats, sizeof floats, nullptr) ==
          KERATIN_OK);
  CHECK((floats[0] == 0 && floats[1] == 0));
}

TEST_CASE("what is no safetensors file is refused") {
  Model model;
  const std::string is = "FILE is not a safetensors file: ";
  auto refused = [&](const std::string &json, const std::string &why) {
    INFO(json);
    std::string message = model.load(json, data());
    CHECK(message.substr(0, (is + why + ", behind ").size()) == is + why + ", behind ");
  };
  const std::string format = "its header is not JSON of this format";
  for (const char *json :
       {"", "[]", "{", "{\"a\"", "{\"a\":1}", "{\"a\":{}}", "{,}", "{\"__metadata__\":[]}",
        "{\"a\":{\"dtype\":\"F32\"}}", "{\"a\":{\"shape\":[-1]}}",
        "{\"a\":{\"shape\":[1],\"shape\":[1]}}", "{\"a\":{\"b\":1}}"})
    refused(json, format);
  refused("{\"a", "its header ends within a text");
  refused("{\"\\u00", "its header ends within a text");
  refused("{\"\\q\":", "a text in its header has an escape that is none");
  refused("{\"\\u00x0\":", "a text in its header has an escape that is none");
  refused("{\"\\ud83d\":", "a text in its header has half a character");
  refused("{\"\\ude00\":", "a text in its header has half a character");
  refused("{\"\\u0000\":", "a text in its header has a NUL");
  refused("{\"a\":{\"shape\":[99999999999999999999]}}",
          "a number in its header does not fit 64 bits");
  refused("{\"a\":{\"data_offsets\":[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,"
          "2,3]}}",
          "a list in its header is too long");
  refused("{\"a\":{\"data_offsets\":[2,1]}}", "a tensor in its header has no place");
  refused("{" + v + "," + g + "}}", "its header goes on behind its end");
  CHECK(model.load("{}", "", 5) == is + "it ends within its header");
  CHECK(model.load("{}", "", 9) == is + "it ends within its header");
  CHECK(model.load(std::string(17 << 20, ' '), "") == is + "its header has more than 16 MiB");
  keratin_state_load_weights(model.state, "/nowhere", &model.status);
  CHECK(std::string(model.status.message) == "cannot read '/nowhere': No such file or directory");
  keratin_state_load_weights(model.state, "/tmp", &model.status);
  CHECK(std::string(model.status.message) == "'/tmp' is a folder");
  keratin_state_load_weights(model.state, nullptr, &model.status);
  CHECK(std::string(model.status.message) == "keratin_state_load_weights: path is NULL");
}

namespace {

// Files beside each other, whose names begin with that of a temporary file.
struct Set {
  Model model;
  std::vector<std::string> paths;

  ~Set() {
    for (const std::string &path : paths)
      unlink(path.c_str());
  }
  std::string add(const std::string &end, const std::string &bytes) {
    paths.push_back(model.file.path + end);
    std::ofstream(paths.back(), std::ios::binary) << bytes;
    return paths.back().substr(paths.back().rfind('/') + 1);
  }
  std::string addPart(const std::string &end, const std::string &json, const std::string &data) {
    uint64_t length = json.size();
    return add(end,
               std::string(reinterpret_cast<const char *>(&length), sizeof length) + json + data);
  }
  // The message, with the names of the index and of the folder cut short.
  std::string load(const std::string &index) {
    add(".safetensors.index.json", index);
    keratin_state_load_weights(model.state, paths.back().c_str(), &model.status);
    std::string message = model.status.message;
    for (const auto &[path, name] :
         {std::pair(paths.back(), "INDEX"), std::pair(model.file.path, "SET")})
      for (size_t at; (at = message.find(path)) != std::string::npos;)
        message.replace(at, path.size(), name);
    return message;
  }
};

const std::string oneFloat = R"({"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
const std::string oneBool =
    R"({"gr\u00f6\u00dfe":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})";

} // namespace

TEST_CASE("weights are loaded from a set of files by its index") {
  Set set;
  const std::string first = set.addPart("-1.safetensors", oneFloat, data().substr(3));
  const std::string second = set.addPart("-2.safetensors", oneBool, data().substr(0, 2));
  CHECK(set.load(R"( {"metadata":{"total_size":1.0e+1,"all":[true,null,{}]},"weight_map":{"v":")" +
                 first + R"(","none":"nowhere.safetensors","größe":")" + second +
                 R"("},"more":[]} )") == "");
  float floats[2];
  REQUIRE(keratin_state_read_variable(set.model.state, "v", floats, sizeof floats, nullptr) ==
          KERATIN_OK);
  CHECK((floats[0] == 1.5f && floats[1] == -2));
  uint8_t bools[2];
  REQUIRE(keratin_state_read_variable(set.model.state, "größe", bools, 2, nullptr) == KERATIN_OK);
  CHECK((bools[0] == 0 && bools[1] == 1));
}

TEST_CASE("sets of files that do not fit are refused, and leave the state as it is") {
  Set set;
  const std::string part = set.addPart("-1.safetensors", oneFloat, data().substr(3));
  auto both = [&](const std::string &file) {
    return "{\"weight_map\":{\"v\":\"" + part + "\",\"größe\":\"" + file + "\"}}";
  };
  CHECK(set.load(both(part)) == "'SET-1.safetensors' has no 'größe', a variable of model 'model'");
  CHECK(set.load("{\"weight_map\":{\"v\":\"" + part + "\"}}") ==
        "'INDEX' has no 'größe', a variable of model 'model'");
  CHECK(set.load("{\"weight_map\":{\"v\":\"" + part + "\",\"v\":\"" + part + "\"}}") ==
        "'INDEX' has two files for 'v'");
  std::string missing = set.load(both("nothing.safetensors"));
  CHECK((missing.find("cannot read '") == 0 &&
         missing.find("nothing.safetensors': No such file or directory") != std::string::npos));
  float floats[2];
  REQUIRE(keratin_state_read_variable(set.model.state, "v", floats, sizeof floats, nullptr) ==
          KERATIN_OK);
  CHECK((floats[0] == 0 && floats[1] == 0));
  auto refused = [&](const std::string &index, const std::string &why) {
    INFO(index);
    const std::string is = "'INDEX' is not an index of safetensors files: " + why + ", behind ";
    CHECK(set.load(index).substr(0, is.size()) == is);
  };
  for (const char *file : {"../v.safetensors", "/v.safetensors", ".safetensors", "v.npz", ""})
    refused(both(file), "a tensor of it is in no .safetensors file beside it");
  for (const char *index : {"", "[]", "{\"weight_map\":[]}", "{\"weight_map\":{\"v\":1}}", "{1:2}",
                            "{\"a\":?}", "{\"a\":1 \"b\":2}"})
    refused(index, "it is not JSON of this format");
  refused("{\"a\":" + std::string(100'000, '['), "it is not JSON of this format");
  refused("{}", "it has no object 'weight_map'");
  refused("{\"metadata\":{}}", "it has no object 'weight_map'");
  refused(both(part).substr(0, 20), "it ends within a text");
  refused("{\"weight_map\":{},\"weight_map\":{}}", "it has 'weight_map' twice");
  refused("{\"weight_map\":{}}}", "it goes on behind its end");
  CHECK(set.load(std::string(17 << 20, ' ')) == "'INDEX' has more than 16 MiB");
  keratin_state_load_weights(set.model.state, "/nowhere/w.safetensors.index.json",
                             &set.model.status);
  CHECK(std::string(set.model.status.message) ==
        "cannot read '/nowhere/w.safetensors.index.json': No such file or directory");
}
