// A look at protobuf's wire format before protobuf sees it.
#ifndef KERATIN_IR_SAVED_WIRESCAN_H
#define KERATIN_IR_SAVED_WIRESCAN_H

#include "ir/saved/ReadingSteps.h"

#include "absl/status/status.h"

#include <cstddef>
#include <string_view>

namespace google::protobuf {
class Descriptor;
} // namespace google::protobuf

namespace keratin::ir {

// Messages nested deeper are refused.
inline constexpr size_t kMaxSavedDepth = 100;

// Walks the bytes of a message once, without allocating what they ask for: refuses bytes that end
// in the middle, unknown fields (other than libprotobuf, which keeps them), other wire types than
// the schema's, text that is not UTF-8, nesting deeper than kMaxSavedDepth, and messages that would
// take more than `memoryLimit` bytes once parsed. Errors name the field and the place.
absl::Status scanWire(std::string_view bytes, const google::protobuf::Descriptor *message,
                      size_t memoryLimit, ReadingSteps &steps);

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_WIRESCAN_H
