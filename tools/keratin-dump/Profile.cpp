#include "tools/keratin-dump/Profile.h"

#include "runtime/files/FileBytes.h"

#include "llvm/Support/JSON.h"

using namespace keratin::dump;
namespace json = llvm::json;

// A minute of very short kernels.
static constexpr uint64_t kMostBytes = uint64_t(1) << 30;

absl::StatusOr<Profile> Profile::read(const std::string &path) {
  auto refuse = [&](const std::string &why) {
    return absl::InvalidArgumentError(path + ": error: " + why);
  };
  std::string text;
  if (std::string problem = runtime::readFile(path, runtime::FileKinds::Regular, kMostBytes, text);
      !problem.empty())
    return refuse(problem);
  auto parsed = json::parse(text);
  if (!parsed)
    return refuse("this is no JSON: " + llvm::toString(parsed.takeError()));
  const json::Object *whole = parsed->getAsObject();
  const json::Array *events = whole ? whole->getArray("traceEvents") : nullptr;
  if (!events)
    return refuse("this is no profile: it has no traceEvents; keratin-run --profile writes one");
  Profile profile;
  profile.path = path;
  for (const json::Value &entry : *events) {
    const json::Object *event = entry.getAsObject();
    llvm::StringRef kind = event ? event->getString("cat").value_or("") : "";
    if (kind != "call" && kind != "kernel")
      continue;
    llvm::StringRef name = event->getString("name").value_or("");
    double microseconds = event->getNumber("dur").value_or(0);
    if (kind == "call") {
      Function &function = profile.called[name.str()];
      ++function.calls;
      function.microseconds += microseconds;
      continue;
    }
    const json::Object *details = event->getObject("args");
    auto function = details ? details->getString("function") : std::nullopt;
    auto number = details ? details->getInteger("kernel") : std::nullopt;
    if (!function || !number)
      return refuse("a kernel of the profile has no function or no number; keratin-run --profile "
                    "writes both");
    Kernel &kernel = profile.called[function->str()].kernels[*number];
    kernel.name = name.str();
    kernel.microseconds += microseconds;
  }
  return profile;
}

absl::Status Profile::addTo(GraphView &view) const {
  auto found = called.find(view.function);
  if (found == called.end() || found->second.calls == 0)
    return absl::OkStatus();
  const Function &function = found->second;
  std::map<int64_t, ViewKernel *> kernels;
  for (ViewKernel &kernel : view.kernels) {
    if (kernel.kind == std::string_view("kernel"))
      kernels[kernel.first] = &kernel;
    for (ViewKernel &inner : kernel.inside)
      kernels[inner.first] = &inner;
  }
  for (const auto &[number, timed] : function.kernels) {
    auto kernel = kernels.find(number);
    // A loop that a device does by itself says behind the name how many kernels it is.
    if (kernel == kernels.end() || !llvm::StringRef(timed.name).starts_with(kernel->second->title))
      return absl::InvalidArgumentError(
          path + ": error: kernel " + std::to_string(number) + " of '" + view.function + "' is '" +
          timed.name + "' in the profile and " +
          (kernel == kernels.end() ? "not there" : "'" + kernel->second->title + "'") +
          " here; needed the profile of this model, for the same --target and --mcpu");
    kernel->second->microseconds = timed.microseconds / double(function.calls);
  }
  view.microseconds = function.microseconds / double(function.calls);
  for (ViewKernel &kernel : view.kernels)
    for (const ViewKernel &inner : kernel.inside)
      if (inner.microseconds)
        kernel.microseconds = kernel.microseconds.value_or(0) + *inner.microseconds;
  return absl::OkStatus();
}

std::vector<std::string> Profile::functions() const {
  std::vector<std::string> names;
  for (const auto &[name, function] : called)
    names.push_back(name);
  return names;
}
