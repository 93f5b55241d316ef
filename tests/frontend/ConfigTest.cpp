// Settings, and the file they come from. Each file is read in a process of its own, since the
// settings are read once.
#include "frontend/backend/KerasJson.h"
#include "tests/frontend/FrontendTest.h"
#include "tests/support/NoExit.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

// Runs the check in a child with KERAS_HOME in an own folder; keras.json has this text, or does not
// exist if it is null.
template <typename Check> static int inChild(const char *json, Check check) {
  char folder[] = "/tmp/keratin-config-XXXXXX";
  REQUIRE(mkdtemp(folder));
  if (json)
    std::ofstream(std::string(folder) + "/keras.json") << json;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("KERAS_HOME", folder, 1);
    unsetenv("KERAS_BACKEND");
    keratin::tests::endProcess(check(std::string(folder)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether reading the settings fails. This process must not have read them before: the test that
// makes children is the first.
static int refused(const std::string &) {
  try {
    K::floatx();
  } catch (const keratin::AssertionError &) {
    return 1;
  }
  return 0;
}

TEST_CASE("settings come from keras.json") {
  const char *json = R"({"floatx": "float64", "epsilon": 1e-3, "image_data_format":
                         "channels_first", "backend": "other", "more": [1]})";
  CHECK(inChild(json, [](const std::string &) {
          return K::floatx() == "float64" && K::epsilon() == 1e-3 &&
                 K::image_data_format() == "channels_first" && K::backend() == "other";
        }) == 1);
  CHECK(inChild(json, [](const std::string &) {
          setenv("KERAS_BACKEND", "mine", 1);
          return int(K::backend() == "mine");
        }) == 1);
  CHECK(inChild("{ not json", [](const std::string &) { return int(K::floatx() == "float32"); }) ==
        1);
  CHECK(inChild(nullptr, [](const std::string &folder) {
          bool defaults = K::epsilon() == 1e-7 && K::backend() == "keratin";
          std::stringstream text;
          text << std::ifstream(folder + "/keras.json").rdbuf();
          return int(defaults && text.str().find("\"channels_last\"") != std::string::npos &&
                     text.str().find("backend") == std::string::npos);
        }) == 1);
  CHECK(inChild(R"({"floatx": "float8"})", refused) == 1);
  CHECK(inChild(R"({"epsilon": 1})", refused) == 1);
  CHECK(inChild(R"({"image_data_format": 3})", refused) == 1);
  CHECK(inChild(R"({"image_data_format": "nchw", "epsilon": 1e-3})", refused) == 1);
  // As a file it is read no further than a limit.
  CHECK(inChild(std::string((1 << 20) + 1, ' ').c_str(), refused) == 1);
  CHECK(inChild(std::string(1 << 20, ' ').c_str(), refused) == 0);
  std::string deep(100000, '[');
  CHECK(inChild(deep.c_str(), [](const std::string &) { return int(K::floatx() == "float32"); }) ==
        1);
}

TEST_CASE("what is wrong with keras.json is said with its path") {
  auto errorIn = [](const std::string &text) {
    return errorOf<keratin::AssertionError>(
        [&] { keratin::frontend::parseKerasJson(text, "a/keras.json"); });
  };
  CHECK(errorIn(R"({"floatx": "float8"})") ==
        "keras.json: illegal value of floatx in a/keras.json; needed float16, float32 or float64");
  CHECK(errorIn(R"({"image_data_format": 3})") ==
        "keras.json: illegal value of image_data_format in a/keras.json; needed channels_last or "
        "channels_first");
  CHECK(errorIn(R"({"epsilon": "small"})") ==
        "keras.json: illegal value of epsilon in a/keras.json; needed a floating-point number");
  CHECK(errorIn(std::string((1 << 20) + 1, ' ')) == "keras.json: a/keras.json has more than 1 MiB");
}

TEST_CASE("illegal settings change nothing") {
  CHECK_THROWS_AS(K::set_floatx("float8"), keratin::ValueError);
  CHECK_THROWS_AS(K::set_floatx(""), keratin::ValueError);
  CHECK(K::floatx() == "float32");
  CHECK_THROWS_AS(K::set_image_data_format("nchw"), keratin::ValueError);
  CHECK(K::image_data_format() == "channels_last");
  CHECK(K::normalize_data_format("Channels_First") == "channels_first");
  CHECK(K::normalize_data_format(None) == "channels_last");
  CHECK_THROWS_AS(K::normalize_data_format("x"), keratin::ValueError);
}

TEST_CASE("epsilon and floatx are read when a node is made") {
  CHECK(K::epsilon() == 1e-7);
  K::set_epsilon(1e-2);
  Tensor loss = K::binary_crossentropy({0.}, {0.});
  K::set_epsilon(1e-7);
  checkValue(loss, Array{-std::log(1 - 0.01 + 0.01)});
  CHECK(K::cast_to_floatx(Array{1, 2}).dtype() == DType::Float32);
  CHECK(K::cast_to_floatx(K::zeros({2}, "float64")).dtype() == DType::Float32);
  CHECK(K::symbolic(3) == 3);
}
