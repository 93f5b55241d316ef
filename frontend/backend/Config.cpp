// K functions: configuration.
#include "keratin/config.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/KerasJson.h"
#include "frontend/graph/Devices.h"
#include "keratin/elementwise.h"
#include "keratin/error.h"
#include "runtime/files/FileReader.h"
#include "runtime/files/FileWriter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace keratin;
using namespace keratin::frontend;

namespace {

struct State {
  std::string backend = "keratin";
  DType floatx = DType::Float32;
  double epsilon = 1e-7;
  std::string dataFormat = "channels_last";
};

} // namespace

static std::optional<DType> floatxFromName(const std::string &name) {
  if (name == "float16" || name == "float32" || name == "float64")
    return dtypeFromName(name);
  return std::nullopt;
}

static bool isDataFormat(const std::string &name) {
  return name == "channels_first" || name == "channels_last";
}

static std::filesystem::path folder() {
  if (const char *home = std::getenv("KERAS_HOME"); home && *home)
    return home;
  const char *home = std::getenv("HOME");
  return std::filesystem::path(home && ::access(home, W_OK) == 0 ? home : "/tmp") / ".keras";
}

static void read(const std::filesystem::path &path, State &state) {
  // As much as shows that it is too much.
  runtime::FileReader file;
  if (!file.open(path.c_str()) && file.refusal())
    throw AssertionError("keras.json: " + path.string() + " " + file.refusal());
  std::string text(kMaxKerasJsonBytes + 1, '\0');
  text.resize(size_t(std::max<ptrdiff_t>(0, file.read(text.data(), text.size()))));
  KerasJson json = parseKerasJson(text, path.string());
  if (!json.floatx.empty())
    state.floatx = *floatxFromName(json.floatx);
  if (!json.dataFormat.empty())
    state.dataFormat = json.dataFormat;
  if (!json.backend.empty())
    state.backend = json.backend;
  state.epsilon = json.epsilon.value_or(state.epsilon);
}

// A failure to write is no error: the defaults are in force anyway. Which backend Keras has is not
// for a backend to say: Keras 3 reads the file too, and has no backend of this name.
static void write(const std::filesystem::path &path, const State &state) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  nlohmann::ordered_json json;
  json["floatx"] = dtypeName(state.floatx);
  json["epsilon"] = state.epsilon;
  json["image_data_format"] = state.dataFormat;
  std::string text = json.dump(4) + "\n";
  (void)runtime::writeFile(path.c_str(), text.data(), text.size());
}

static State load() {
  State state;
  std::filesystem::path path = folder() / "keras.json";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    read(path, state);
  else
    write(path, state);
  if (const char *name = std::getenv("KERAS_BACKEND"); name && *name)
    state.backend = name;
  return state;
}

static State &state() {
  static auto *loaded = new State(load());
  return *loaded;
}

DType Configuration::floatx() { return state().floatx; }
double Configuration::epsilon() { return state().epsilon; }
bool Configuration::channelsFirst() { return state().dataFormat == "channels_first"; }

namespace keratin::backend {

std::string backend() { return state().backend; }
double epsilon() { return state().epsilon; }
void set_epsilon(double e) { state().epsilon = e; }
std::string floatx() { return dtypeName(state().floatx); }

void set_floatx(const std::string &floatx) {
  std::optional<DType> dtype = floatxFromName(floatx);
  if (!dtype)
    throw ValueError("set_floatx: unknown floatx '" + floatx +
                     "'; needed float16, float32 or float64");
  state().floatx = *dtype;
}

Array cast_to_floatx(const Array &x) {
  if (x.isNone())
    throw ValueError("cast_to_floatx: the value is None");
  return x.astype(state().floatx);
}

Tensor cast_to_floatx(const Tensor &x, SourceLocation location) {
  return cast(x, state().floatx, location);
}

std::string image_data_format() { return state().dataFormat; }

void set_image_data_format(const std::string &data_format) {
  if (!isDataFormat(data_format))
    throw ValueError("set_image_data_format: unknown data_format '" + data_format +
                     "'; needed channels_last or channels_first");
  state().dataFormat = data_format;
}

std::string device() { return currentDevice().name; }

void set_device(const std::string &name) { setCurrentDevice(name); }

std::string normalize_data_format(const DataFormat &value) {
  if (!value.value())
    return state().dataFormat;
  std::string name = *value.value();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (!isDataFormat(name))
    throw ValueError("normalize_data_format: unknown data_format '" + *value.value() +
                     "'; needed channels_last or channels_first");
  return name;
}

} // namespace keratin::backend
