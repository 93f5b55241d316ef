// How top_k finds most of the elements of long lines in order: it sorts the lines.
#ifndef KERATIN_IR_INTERFACES_LINESORT_H
#define KERATIN_IR_INTERFACES_LINESORT_H

#include "ir/dialect/Keratin.h"

#include <optional>

namespace keratin::ir {

// Records of a key and a place are moved to and fro between two places, in the order of a digit of
// the keys each time, the lowest first. Keys are unsigned integers in the order of the results.
struct LineSort {
  static constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

  // nullopt where few of the elements are asked for, or lines are a few elements: then a heap of
  // the best does it.
  static std::optional<LineSort> of(TopKOp op);

  unsigned keyBits; // 8, 16, 32 or 64
  // Key and place are the halves of one word: of keys of 32 bits in lines whose places fit 32, too.
  // Else they are words that lie a line's length apart.
  bool isPacked;
  DimExpr recordWords; // of a line
  // The records of a short line fit what a thread has by itself; those of others are in a workspace
  // (ir/interfaces/Workspace.h), twice.
  bool isShort;

  // Each moves all records once.
  int64_t passes() const { return int64_t(keyBits) / kDigitBits; }
};

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_LINESORT_H
