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
  bool hasArchitectures = false;
};
} // namespace

// Made in a compilation, which may be left: a variable of the function would have a guard.
static Lasting<std::vector<KnownTarget>> targets;

static std::vector<KnownTarget> &knownTargets() {
  return targets.get([] {
    return new std::vector<KnownTarget>{{"cpu", makeCpuTarget},
                                        {"cuda", makeCudaTarget, /*hasArchitectures=*/true}};
  });
}

static const KnownTarget *findTarget(StringRef name) {
  for (const KnownTarget &known : knownTargets())
    if (known.name == name)
      return &known;
  return nullptr;
}

void keratin::codegen::registerTarget(StringRef name, TargetMaker maker, bool hasArchitectures) {
  if (!findTarget(name))
    knownTargets().push_back({name.str(), maker, hasArchitectures});
}

std::unique_ptr<Target> keratin::codegen::makeTarget(const TargetChoice &choice,
                                                     std::string *error) {
  auto [name, architectures] = StringRef(choice.name).split(':');
  bool namesArchitectures = name.size() < choice.name.size();
  const KnownTarget *known = findTarget(name);
  if (known && namesArchitectures && !known->hasArchitectures) {
    *error = "the target '" + name.str() + "' has no architectures to choose from; found '" +
             choice.name + "'";
    return nullptr;
  }
  if (known && namesArchitectures && architectures.empty()) {
    *error = "the target '" + choice.name + "' names no architecture behind its colon";
    return nullptr;
  }
  if (known) {
    TargetChoice own = choice;
    own.name = name.str();
    own.architectures = architectures.str();
    return known->make(own, error);
  }
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
  if (StringRef(text).contains('-') && !findTarget(StringRef(text).split(':').first))
    choice.triple = text;
  else if (!text.empty())
    choice.name = text;
  return choice;
}

StringRef keratin::codegen::targetFamily(StringRef name) { return name.split(':').first; }
