#include "tools/keratin-run/ProfileTrace.h"

#include "runtime/core/Descriptor.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

using namespace keratin::tools;
using llvm::json::OStream;

// Nanoseconds as the microseconds that the format has.
static void writeTime(OStream &json, const char *name, int64_t nanoseconds) {
  json.attributeBegin(name);
  json.rawValue(llvm::formatv("{0}.{1,0+3}", nanoseconds / 1000, nanoseconds % 1000).str());
  json.attributeEnd();
}

namespace {

// What all events of a trace have in common.
struct Process {
  int32_t id;
  int64_t origin; // of times
};

} // namespace

static void writeEvent(OStream &json, const keratin_profile_event_t &event, Process process) {
  const keratin_function_desc_t &function = *event.function;
  const keratin_kernel_desc_t *kernel = event.kernel >= 0 && event.kernel < function.num_kernels
                                            ? &function.kernels[event.kernel]
                                            : nullptr;
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(kernel ? kernel->name : function.name));
    json.attribute("cat", !kernel ? "call" : event.begin_unit < 0 ? "kernel" : "chunk");
    json.attribute("ph", "X");
    json.attribute("pid", process.id);
    json.attribute("tid", event.thread);
    writeTime(json, "ts", event.begin - process.origin);
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

// A name of a process or of a thread.
static void writeName(OStream &json, const char *what, Process process, int32_t thread,
                      const std::string &name) {
  json.object([&] {
    json.attribute("name", what);
    json.attribute("ph", "M");
    json.attribute("pid", process.id);
    json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

// A message is a kernel of its own, called all_reduce or, as part of another op, x (all_reduce).
static constexpr llvm::StringLiteral messages[] = {"all_gather", "all_reduce", "reduce_scatter"};
static bool isMessage(const keratin_profile_event_t &event) {
  if (event.kernel < 0 || event.begin_unit >= 0)
    return false;
  llvm::StringRef name = event.function->kernels[event.kernel].name;
  const size_t last = name.rfind('(');
  if (name.consume_back(")") && last != llvm::StringRef::npos)
    name = name.drop_front(last + 1);
  return llvm::is_contained(messages, name);
}

// The kernel of a message is there for its start and for the wait, and messages are waited for in
// the order of their starts.
static void writeMessages(OStream &json, const std::vector<keratin_profile_event_t> &events,
                          Process process) {
  std::map<int32_t, const keratin_profile_event_t *> started; // by kernel
  int64_t id = 0;
  for (const keratin_profile_event_t &event : events) {
    if (!isMessage(event))
      continue;
    const keratin_profile_event_t *&start = started[event.kernel];
    if (!start) {
      start = &event;
      continue;
    }
    for (const auto &[phase, time] : {std::pair("b", start->begin), std::pair("e", event.end)})
      json.object([&, phase = phase, time = time] {
        json.attribute("name", event.function->kernels[event.kernel].name);
        json.attribute("cat", "message");
        json.attribute("ph", phase);
        json.attribute("id", id);
        json.attribute("pid", process.id);
        json.attribute("tid", event.thread);
        writeTime(json, "ts", time - process.origin);
      });
    ++id;
    start = nullptr;
  }
}

std::string keratin::tools::profileTrace(std::vector<keratin_profile_event_t> events,
                                         const Program &program) {
  // What lies in another comes after it.
  std::sort(events.begin(), events.end(), [](const auto &a, const auto &b) {
    return std::tuple(a.thread, a.begin, -a.end) < std::tuple(b.thread, b.begin, -b.end);
  });
  const bool isRank = program.ranks() > 1;
  Process process = {isRank ? program.rank() : 1, 0};
  std::set<int32_t> threads;
  for (const keratin_profile_event_t &event : events) {
    if (!isRank)
      process.origin = threads.empty() ? event.begin : std::min(process.origin, event.begin);
    threads.insert(event.thread);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, /*IndentSize=*/0);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      if (isRank)
        writeName(json, "process_name", process, 0, "rank " + std::to_string(process.id));
      for (int32_t thread : threads)
        writeName(json, "thread_name", process, thread, "thread " + std::to_string(thread));
      for (const keratin_profile_event_t &event : events)
        writeEvent(json, event, process);
      writeMessages(json, events, process);
    });
  });
  return text + "\n";
}
