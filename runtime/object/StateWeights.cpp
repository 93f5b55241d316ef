// Values of the variables of a state from a safetensors file, or a set of them, by name.
#include "runtime/core/DType.h"
#include "runtime/files/FileReader.h"
#include "runtime/object/SafetensorsHeader.h"
#include "runtime/object/SafetensorsIndex.h"
#include "runtime/object/State.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

using namespace keratin::runtime;

namespace {

constexpr uint64_t mostHeaderBytes = uint64_t(16) << 20;

// What went wrong with a file that has been opened and read from.
Code checkRead(const FileReader &file, const char *path, keratin_status_t *status) {
  if (file.refusal())
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' %s", path, file.refusal());
  if ((errno = file.error()))
    return fail(status, KERATIN_INVALID_ARGUMENT, "cannot read '%s': %m", path);
  return KERATIN_OK;
}

const char *nameOf(const keratin_state_t &state, int32_t variable) {
  return state.object->variables[variable].tensor.name;
}

Code hasNo(const char *path, const keratin_state_t &state, int32_t variable,
           keratin_status_t *status) {
  return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' has no '%s', a variable of model '%s'", path,
              nameOf(state, variable), state.object->name);
}

// The place of a variable's value behind the header.
struct Place {
  uint64_t begin, end;
  bool isThere;
};

// Of one file.
class WeightsReader {
public:
  // `isWanted` says of each variable whether the file has it.
  WeightsReader(const keratin_state_t &state, const char *path, const bool *isWanted,
                keratin_status_t *status)
      : state(state), path(path), isWanted(isWanted), status(status),
        count(state.object->num_variables) {}

  Code read(BlockArray &values) {
    if (Code code = readHeader())
      return code;
    if (Code code = findPlaces())
      return code;
    for (int32_t i; (i = nextByPlace()) >= 0;)
      if (Code code = readValue(i, values))
        return code;
    return KERATIN_OK;
  }

private:
  Code refuse(const char *why) {
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' is not a safetensors file: %s", path, why);
  }
  Code noMemory() {
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
  }
  const keratin_tensor_desc_t &variable(int32_t i) const {
    return state.object->variables[i].tensor;
  }
  size_t bytesOf(int32_t i) const { return partOf(state, i).wholeBytes(); }
  const char *nameOf(int32_t i) const { return ::nameOf(state, i); }
  Place &place(int32_t i) { return static_cast<Place *>(places.data())[i]; }

  Code readHeader() {
    (void)file.open(path); // reading tells of failures
    uint64_t bytes = 0;
    ptrdiff_t have = file.read(&bytes, sizeof bytes);
    if (Code code = checkRead(file, path, status))
      return code;
    if (have != ptrdiff_t(sizeof bytes) || bytes > file.size() - sizeof bytes)
      return refuse("it ends within its header");
    if (bytes > mostHeaderBytes)
      return refuse("its header has more than 16 MiB");
    headerBytes = size_t(bytes);
    dataBytes = file.size() - sizeof bytes - bytes;
    if (!header.reserve(headerBytes))
      return noMemory();
    if (file.read(header.data(), headerBytes) != ptrdiff_t(headerBytes))
      return refuse("it ends within its header");
    return KERATIN_OK;
  }

  // Of all variables that are wanted. Other names are passed over.
  Code findPlaces() {
    if (!places.reserve(size_t(count) * sizeof(Place)))
      return noMemory();
    for (int32_t i = 0; i < count; ++i)
      place(i) = {0, 0, false};
    SafetensorsHeader entries(static_cast<const char *>(header.data()), headerBytes);
    SafetensorsEntry entry;
    while (entries.next(entry))
      for (int32_t i = 0; i < count; ++i)
        if (isWanted[i] && strcmp(nameOf(i), entry.name.data()) == 0)
          if (Code code = take(i, entry))
            return code;
    if (entries.problem())
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "'%s' is not a safetensors file: %s, behind %zu bytes of it", path,
                  entries.problem(), entries.place());
    for (int32_t i = 0; i < count; ++i)
      if (isWanted[i] && !place(i).isThere)
        return hasNo(path, state, i, status);
    return KERATIN_OK;
  }

  Code take(int32_t i, const SafetensorsEntry &entry) {
    const keratin_tensor_desc_t &wanted = variable(i);
    if (place(i).isThere)
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' has two values for '%s'", path,
                  nameOf(i));
    bool fits = entry.rank == wanted.rank;
    for (int32_t axis = 0; fits && axis < wanted.rank; ++axis)
      fits = entry.dims[axis] == wanted.dims[axis];
    if (entry.dtype != wanted.dtype || !fits)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "'%s': '%s' is %s %s; the variable of model '%s' is %s %s", path, nameOf(i),
                  dtypeName(entry.dtype), dimsText(entry.rank, entry.dims).text(),
                  state.object->name, dtypeName(wanted.dtype),
                  dimsText(wanted.rank, wanted.dims).text());
    if (entry.end > dataBytes || entry.end - entry.begin != bytesOf(i))
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "'%s' is not a safetensors file: '%s' lies in its bytes %" PRIu64 " to %" PRIu64
                  " of %" PRIu64 "; needed %zu bytes",
                  path, nameOf(i), entry.begin, entry.end, dataBytes, bytesOf(i));
    place(i) = {entry.begin, entry.end, true};
    return KERATIN_OK;
  }

  // The file is read from front to back; -1 at its end.
  int32_t nextByPlace() {
    int32_t next = -1;
    for (int32_t i = 0; i < count; ++i)
      if (place(i).isThere && (next < 0 || place(i).begin < place(next).begin))
        next = i;
    return next;
  }

  Code readValue(int32_t i, BlockArray &values) {
    const Place from = place(i);
    place(i).isThere = false; // no more
    if (from.begin < done && from.end != from.begin)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "'%s' is not a safetensors file: '%s' lies within another tensor", path,
                  nameOf(i));
    const size_t bytes = bytesOf(i);
    if (!values[i].reserve(bytes))
      return noMemory();
    if (!skipTo(from.begin) || file.read(values[i].data(), bytes) != ptrdiff_t(bytes))
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' ends within the value of '%s'", path,
                  nameOf(i));
    done += bytes;
    // Code relies on it.
    auto *bools = static_cast<uint8_t *>(values[i].data());
    for (size_t k = 0; variable(i).dtype == KERATIN_DTYPE_BOOL && k < bytes; ++k)
      bools[k] = bools[k] != 0;
    return KERATIN_OK;
  }

  bool skipTo(uint64_t begin) {
    char skipped[4096];
    while (done < begin) {
      size_t part = begin - done < sizeof skipped ? size_t(begin - done) : sizeof skipped;
      if (file.read(skipped, part) != ptrdiff_t(part))
        return false;
      done += part;
    }
    return true;
  }

  const keratin_state_t &state;
  const char *path;
  const bool *isWanted;
  keratin_status_t *status;
  const int32_t count;
  FileReader file;
  Block header, places;
  size_t headerBytes = 0;
  uint64_t dataBytes = 0, done = 0; // behind the header
};

// Of all files that an index names.
class SetReader {
public:
  SetReader(const keratin_state_t &state, const char *path, keratin_status_t *status)
      : state(state), path(path), status(status), count(state.object->num_variables) {}

  Code read(BlockArray &values) {
    if (Code code = readIndex())
      return code;
    for (int32_t i = 0; i < count; ++i)
      if (place(i) != nowhere)
        if (Code code = readFile(place(i), values))
          return code;
    return KERATIN_OK;
  }

private:
  static constexpr size_t nowhere = SIZE_MAX;

  Code noMemory() {
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the index '%s'", path);
  }
  const char *nameOf(int32_t i) const { return ::nameOf(state, i); }
  // Of a variable: where the name of its file begins, until that is read.
  size_t &place(int32_t i) { return static_cast<size_t *>(places.data())[i]; }
  bool &isWanted(int32_t i) { return static_cast<bool *>(wanted.data())[i]; }

  Code readIndex() {
    FileReader file;
    (void)file.open(path); // reading tells of failures
    Block json;
    const size_t bytes = size_t(file.size());
    if (bytes > mostHeaderBytes)
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' has more than 16 MiB", path);
    if (!json.reserve(bytes + 1) || !places.reserve(size_t(count) * sizeof(size_t)) ||
        !wanted.reserve(size_t(count)))
      return noMemory();
    const ptrdiff_t have = file.read(json.data(), bytes + 1); // at its end also of none
    if (Code code = checkRead(file, path, status))
      return code;
    for (int32_t i = 0; i < count; ++i)
      place(i) = nowhere;
    SafetensorsIndex index(static_cast<const char *>(json.data()), size_t(have));
    Text tensor, name;
    while (index.next(tensor, name))
      for (int32_t i = 0; i < count; ++i)
        if (strcmp(nameOf(i), tensor.data()) == 0) {
          if (place(i) != nowhere)
            return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' has two files for '%s'", path,
                        nameOf(i));
          place(i) = files.size();
          files.append(name.data(), name.size());
        }
    if (index.problem())
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "'%s' is not an index of safetensors files: %s, behind %zu bytes", path,
                  index.problem(), index.place());
    if (files.outOfMemory())
      return noMemory();
    for (int32_t i = 0; i < count; ++i)
      if (place(i) == nowhere)
        return hasNo(path, state, i, status);
    return KERATIN_OK;
  }

  // And so the values of all variables that it has.
  Code readFile(size_t name, BlockArray &values) {
    const char *file = files.data() + name;
    for (int32_t i = 0; i < count; ++i) {
      isWanted(i) = place(i) != nowhere && strcmp(files.data() + place(i), file) == 0;
      if (isWanted(i))
        place(i) = nowhere;
    }
    Text beside;
    size_t folder = strlen(path);
    while (folder && path[folder - 1] != '/')
      --folder;
    beside.append(path, folder);
    beside.append(file);
    beside.append("", 1);
    if (beside.outOfMemory())
      return noMemory();
    return WeightsReader(state, beside.data(), &isWanted(0), status).read(values);
  }

  const keratin_state_t &state;
  const char *path;
  keratin_status_t *status;
  const int32_t count;
  Block places, wanted;
  Text files; // each ends in a NUL
};

Code readWeights(const keratin_state_t &state, const char *path, BlockArray &values,
                 keratin_status_t *status) {
  if (SafetensorsIndex::isIndex(path))
    return SetReader(state, path, status).read(values);
  const size_t count = size_t(state.object->num_variables);
  Block isWanted;
  if (!isWanted.reserve(count))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
  memset(isWanted.data(), true, count);
  return WeightsReader(state, path, static_cast<const bool *>(isWanted.data()), status)
      .read(values);
}

} // namespace

extern "C" keratin_status_code_t
keratin_state_load_weights(keratin_state_t *state, const char *path, keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__, {{path, "path"}}))
    return code;
  BlockArray values(state->object->num_variables);
  if (!values)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
  if (Code code = readWeights(*state, path, values, status))
    return code;
  return replaceValues(*state, values, status);
}
