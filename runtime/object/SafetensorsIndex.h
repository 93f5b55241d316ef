// The index of safetensors files that are one set, entry by entry. It need not be trusted.
// Source: https://huggingface.co/docs/safetensors/metadata_parsing (Sharded models).
#ifndef KERATIN_RUNTIME_OBJECT_SAFETENSORSINDEX_H
#define KERATIN_RUNTIME_OBJECT_SAFETENSORSINDEX_H

#include "runtime/object/JsonText.h"

namespace keratin::runtime {

class SafetensorsIndex : public JsonText {
public:
  // Whether a path is that of an index.
  static bool isIndex(const char *path);

  SafetensorsIndex(const char *json, size_t bytes) : JsonText(json, bytes, "it") {}

  // The next tensor and the file that has it, which is no path but a name; false behind the last
  // one and where something is wrong.
  bool next(Text &tensor, Text &file);

private:
  bool findMap();
  bool finish();

  enum { Before, Within, Behind } where = Before;
  bool hasFields = false, hasEntries = false;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_SAFETENSORSINDEX_H
