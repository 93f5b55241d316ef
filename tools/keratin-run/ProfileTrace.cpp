#include "tools/keratin-run/ProfileTrace.h"

#include "runtime/core/Descriptor.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace keratin::tools;
using llvm::json::OStream;

// Nanoseconds as the microseconds that the format has.
static void writeTime(OStream &json, const char *name, int64_t nanoseconds) {
  json.attributeBegin(name);
  json.rawValue(llvm::formatv("{0}.{1,0+3}", nanoseconds / 1000, nanoseconds % 1000).str());
  json.attributeEnd();
}

static void writeEvent(OStream &json, const keratin_profile_event_t &event, int64_t origin) {
  const keratin_function_desc_t &function = *event.function;
  const keratin_kernel_desc_t *kernel = event.kernel >= 0 && event.kernel < function.num_kernels
                                            ? &function.kernels[event.kernel]
                                            : nullptr;
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(kernel ? kernel->name : function.name));
    json.attribute("cat", !kernel ? "call" : event.begin_unit < 0 ? "kernel" : "chunk");
    json.attribute("ph", "X");
    json.attribute("pid", 1);
    json.attribute("tid", event.thread);
    writeTime(json, "ts", event.begin - origin);
    writeTime(json, "dur", event.end - event.begin);
    if (kernel)
      json.attributeObject("args", [&] {
        json.attribute("function", llvm::json::fixUTF8(function.name));
        json.attribute("kernel", event.kernel);
        json.attribute("source", llvm::json::fixUTF8(kernel->location));
        if (event.begin_unit >= 0) {
          json.attribute("begin", event.begin_unit);
          json.attribute("end", event.end_unit);
        }
      });
    else if (keratin::runtime::assumesSizes(function))
      json.attributeObject("args", [&] { json.attribute("sizes", "assumed to be equal"); });
  });
}

std::string keratin::tools::profileTrace(std::vector<keratin_profile_event_t> events) {
  // What lies in another comes after it.
  std::sort(events.begin(), events.end(), [](const auto &a, const auto &b) {
    return std::tuple(a.thread, a.begin, -a.end) < std::tuple(b.thread, b.begin, -b.end);
  });
  int64_t origin = 0;
  std::set<int32_t> threads;
  for (const keratin_profile_event_t &event : events) {
    origin = threads.empty() ? event.begin : std::min(origin, event.begin);
    threads.insert(event.thread);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, /*IndentSize=*/0);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (int32_t thread : threads)
        json.object([&] {
          json.attribute("name", "thread_name");
          json.attribute("ph", "M");
          json.attribute("pid", 1);
          json.attribute("tid", thread);
          json.attributeObject("args",
                               [&] { json.attribute("name", "thread " + std::to_string(thread)); });
        });
      for (const keratin_profile_event_t &event : events)
        writeEvent(json, event, origin);
    });
  });
  return text + "\n";
}
