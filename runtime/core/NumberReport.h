// Which number that is not finite a call reports (keratin_context_t::check_numbers).
#ifndef KERATIN_RUNTIME_CORE_NUMBERREPORT_H
#define KERATIN_RUNTIME_CORE_NUMBERREPORT_H

#include "runtime/core/Status.h"

namespace keratin::runtime {

// Of all that is found in a call, the first by its rank and its check's order; then what was found
// first. Nothing here is initialised that a call without a finding does not need.
class NumberReport {
public:
  void look(const keratin_number_check_t &check);

  bool isEmpty() const { return foundSite < 0; }
  int64_t site() const { return foundSite; }
  // "-infinity of 0 at element [2, 3], step 4".
  ShortText text() const;

private:
  static constexpr int32_t mostOperands = 3;

  int64_t foundSite = -1;
  int64_t rank, order;
  double number;
  int32_t numOperands; // whose elements are worth telling
  double operands[mostOperands];
  bool hasStep;
  int64_t step;
  int32_t numAxes;
  int64_t element[KERATIN_MAX_RANK];
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_NUMBERREPORT_H
