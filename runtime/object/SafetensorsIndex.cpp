#include "runtime/object/SafetensorsIndex.h"

using namespace keratin::runtime;

static bool endsWith(const char *text, const char *end) {
  const size_t length = strlen(text), least = strlen(end);
  return length > least && strcmp(text + length - least, end) == 0;
}

// What models take from the C library is counted: no strchr.
static bool isPath(const char *name) {
  while (*name && *name != '/')
    ++name;
  return *name;
}

bool SafetensorsIndex::isIndex(const char *path) {
  return endsWith(path, ".safetensors.index.json");
}

// Up to the entries of weight_map, whatever stands before.
bool SafetensorsIndex::findMap() {
  if (!expect('{'))
    return false;
  while (!take('}')) {
    Text name;
    if ((hasFields && !expect(',')) || !string(name) || !expect(':'))
      return false;
    hasFields = true;
    if (strcmp(name.data(), "weight_map") == 0)
      return expect('{');
    if (!skipValue())
      return false;
  }
  return refuse("", " has no object 'weight_map'");
}

// What stands behind the entries.
bool SafetensorsIndex::finish() {
  while (!take('}')) {
    Text name;
    if (!expect(',') || !string(name) || !expect(':'))
      return false;
    if (strcmp(name.data(), "weight_map") == 0)
      return refuse("", " has 'weight_map' twice");
    if (!skipValue())
      return false;
  }
  return isAtEnd() || refuse("", " goes on behind its end");
}

bool SafetensorsIndex::next(Text &tensor, Text &file) {
  if (problem() || where == Behind)
    return false;
  if (where == Before && !findMap())
    return false;
  where = Within;
  if (take('}')) {
    where = Behind;
    (void)finish();
    return false;
  }
  tensor.clear();
  file.clear();
  if ((hasEntries && !expect(',')) || !string(tensor) || !expect(':') || !string(file))
    return false;
  hasEntries = true;
  if (!endsWith(file.data(), ".safetensors") || isPath(file.data()))
    return refuse("a tensor of ", " is in no .safetensors file beside it");
  return true;
}
