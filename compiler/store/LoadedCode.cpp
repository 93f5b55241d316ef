#include "compiler/store/LoadedCode.h"

#include "compiler/artifact/SavedDescription.h"
#include "compiler/driver/ReportPattern.h"

using namespace keratin::compiler;

bool LoadedCode::saysTheSame(const GraphKey &other) const {
  return key->said.texts == other.said.texts;
}

bool LoadedCode::serves(const GraphKey &other) const {
  return *key == other && (isOfFullEffort() || key->effort == other.effort) &&
         (!savedDescription.empty() || saysTheSame(other));
}

std::shared_ptr<const FunctionDescription> LoadedCode::descriptionOf(const GraphKey &other) const {
  if (saysTheSame(other))
    return description;
  std::shared_ptr<FunctionDescription> own =
      loadDescription(savedDescription, other.said, description->constantElements());
  if (own)
    own->descriptor.entry = description->descriptor.entry;
  return own;
}

std::string LoadedCode::memoryPlanOf(const GraphKey &other) const {
  return saysTheSame(other) ? report.memoryPlan : memoryReportOf(memoryPlanPattern, other.said);
}
