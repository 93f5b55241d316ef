#include "codegen/Target.h"

#include "codegen/cpu/CpuTarget.h"
#include "codegen/gpu/CudaTarget.h"
#include "codegen/llvm/Beginning.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using llvm::StringRef;

namespace {
struct KnownTarget {
  std::string name;
  TargetMaker make;
};
} // namespace

// Made in a compilation, which may be left: a variable of the function would have a guard.
static Lasting<std::vector<KnownTarget>> targets;

static std::vector<KnownTarget> &knownTargets() {
  return targets.get([] {
    return new std::vector<KnownTarget>{{"cpu", makeCpuTarget}, {"cuda", makeCudaTarget}};
  });
}

static const KnownTarget *findTarget(StringRef name) {
  for (const KnownTarget &known : knownTargets())
    if (known.name == name)
      return &known;
  return nullptr;
}

void keratin::codegen::registerTarget(StringRef name, TargetMaker maker) {
  if (!findTarget(name))
    knownTargets().push_back({name.str(), maker});
}

std::unique_ptr<Target> keratin::codegen::makeTarget(const TargetChoice &choice,
                                                     std::string *error) {
  if (const KnownTarget *known = findTarget(choice.name))
    return known->make(choice, error);
  std::vector<std::string> names;
  for (const KnownTarget &known : knownTargets())
    names.push_back(known.name);
  *error = "unknown target '" + choice.name + "'; known targets: " + llvm::join(names, ", ");
  if (choice.isPortable)
    *error += ", and of CPUs triples such as x86_64-linux-gnu";
  return nullptr;
}

TargetChoice keratin::codegen::targetChoice(const std::string &text) {
  TargetChoice choice;
  // A triple has parts.
  if (StringRef(text).contains('-') && !findTarget(text))
    choice.triple = text;
  else if (!text.empty())
    choice.name = text;
  return choice;
}

StringRef keratin::codegen::targetOfDevice(StringRef device) { return device.split(':').first; }
