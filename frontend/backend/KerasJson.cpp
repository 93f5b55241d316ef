#include "frontend/backend/KerasJson.h"

#include "keratin/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;

KerasJson frontend::parseKerasJson(std::string_view text, const std::string &path) {
  KerasJson settings;
  if (text.size() > kMaxKerasJsonBytes)
    throw AssertionError("keras.json: " + path + " has more than 1 MiB");
  // The parser keeps its own stack, so a deeply nested file is no danger.
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return settings;
  auto fail = [&](const char *key, const char *needed) {
    throw AssertionError("keras.json: illegal value of " + std::string(key) + " in " + path +
                         "; needed " + needed);
  };
  auto choice = [&](const char *key, std::initializer_list<const char *> values,
                    const char *needed) -> std::string {
    auto value = json.find(key);
    if (value == json.end())
      return "";
    std::string name = value->is_string() ? value->get<std::string>() : "";
    if (std::find(values.begin(), values.end(), name) == values.end())
      fail(key, needed);
    return name;
  };
  settings.floatx =
      choice("floatx", {"float16", "float32", "float64"}, "float16, float32 or float64");
  settings.dataFormat = choice("image_data_format", {"channels_last", "channels_first"},
                               "channels_last or channels_first");
  if (auto value = json.find("epsilon"); value != json.end()) {
    if (!value->is_number_float())
      fail("epsilon", "a floating-point number");
    settings.epsilon = value->get<double>();
  }
  if (auto value = json.find("backend"); value != json.end() && value->is_string())
    settings.backend = value->get<std::string>();
  return settings;
}
