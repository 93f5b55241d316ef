#include "runtime/object/SafetensorsHeader.h"

using namespace keratin::runtime;

bool SafetensorsHeader::numbers(uint64_t *values, int32_t most, int32_t &count) {
  count = 0;
  if (!expect('['))
    return false;
  if (take(']'))
    return true;
  do {
    if (count == most)
      return refuse("a list in ", " is too long");
    if (!number(values[count++]))
      return false;
  } while (take(','));
  return expect(']');
}

static int32_t dtypeOf(const char *name) {
  for (const auto &each : safetensorsDTypes)
    if (strcmp(each.name, name) == 0)
      return each.dtype;
  return KERATIN_DTYPE_INVALID; // no variable has it
}

// One of the three fields; `seen` has a bit for each that there was.
bool SafetensorsHeader::field(SafetensorsEntry &entry, unsigned &seen) {
  static const char *const names[] = {"dtype", "shape", "data_offsets"};
  Text name;
  if (!string(name) || !expect(':'))
    return false;
  int which = 0;
  while (which < 3 && strcmp(names[which], name.data()) != 0)
    ++which;
  if (which == 3 || (seen & 1u << which))
    return refuseFormat();
  seen |= 1u << which;
  if (which == 0) {
    Text dtype;
    if (!string(dtype))
      return false;
    entry.dtype = dtypeOf(dtype.data());
    return true;
  }
  uint64_t values[KERATIN_MAX_RANK];
  int32_t count;
  if (!numbers(values, KERATIN_MAX_RANK, count))
    return false;
  if (which == 1) {
    entry.rank = count;
    for (int32_t axis = 0; axis < count; ++axis)
      entry.dims[axis] = values[axis] > INT64_MAX ? -1 : int64_t(values[axis]);
    return true;
  }
  entry.begin = values[0];
  entry.end = values[1];
  return (count == 2 && entry.begin <= entry.end) || refuse("a tensor in ", " has no place");
}

bool SafetensorsHeader::describe(SafetensorsEntry &entry) {
  unsigned seen = 0;
  if (!expect('{'))
    return false;
  do {
    if (!field(entry, seen))
      return false;
  } while (take(','));
  return expect('}') && (seen == 7 || refuseFormat());
}

bool SafetensorsHeader::skipMetadata() {
  if (!expect('{'))
    return false;
  if (take('}'))
    return true;
  do {
    Text key, value;
    if (!string(key) || !expect(':') || !string(value))
      return false;
  } while (take(','));
  return expect('}');
}

bool SafetensorsHeader::next(SafetensorsEntry &entry) {
  if (problem() || (!isOpen && !(isOpen = expect('{'))))
    return false;
  for (;;) {
    if (take('}')) // white space fills the header up
      return isAtEnd() ? false : refuse("", " goes on behind its end");
    if (hasEntries && !expect(','))
      return false;
    hasEntries = true;
    entry.name.clear();
    if (!string(entry.name) || !expect(':'))
      return false;
    if (strcmp(entry.name.data(), "__metadata__") != 0)
      return describe(entry);
    if (!skipMetadata())
      return false;
  }
}
