// Values of a state in a file: a magic number, a version, the number of variables; then of each
// variable name, dtype, rank, dims and the elements. All numbers are little-endian, 64 bits.
#include "runtime/core/DType.h"
#include "runtime/files/FileReader.h"
#include "runtime/files/FileWriter.h"
#include "runtime/object/State.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

using namespace keratin::runtime;

namespace {

constexpr int64_t magic = 0x4554415453544b4b; // "KKTSTATE"
constexpr int64_t version = 1;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are");

// Any failure makes all that follows do nothing.
class File {
public:
  explicit File(const char *path) { (void)reader.open(path); }

  const FileReader &status() const { return reader; }
  bool read(void *data, size_t bytes) {
    return ok = ok && reader.read(data, bytes) == ptrdiff_t(bytes);
  }
  // Reads a number; whether it is the expected one.
  bool expect(int64_t number) {
    int64_t found = 0;
    return read(&found, sizeof found) && found == number;
  }
  bool expect(const char *text, size_t length) {
    char found[64];
    bool same = true;
    for (size_t part; same && length; text += part, length -= part) {
      part = length < sizeof found ? length : sizeof found;
      same = read(found, part);
      for (size_t i = 0; i < part; ++i) // without memcmp, a name more that objects would need
        same = same && found[i] == text[i];
    }
    return same;
  }
  bool atEnd() {
    char character;
    return ok && reader.read(&character, 1) == 0;
  }

private:
  FileReader reader;
  bool ok = true;
};

const char *nameOf(const keratin_state_t &state, int32_t variable) {
  const char *name = state.object->variables[variable].tensor.name;
  return name ? name : "";
}

void writeNumber(FileWriter &file, int64_t number) { (void)file.write(&number, sizeof number); }

// By way of other memory from a device, and from ranks that have parts of it.
Code writeValue(const keratin_state_t &state, int32_t number, FileWriter *file,
                keratin_status_t *status) {
  const keratin_variable_t &variable = *state.variables[number];
  const bool isHere = isOnCpu(variable) && !isShared(state, number);
  Block brought;
  if (!isHere)
    if (Code code = readWhole(state, number, brought, status))
      return code;
  if (file)
    (void)file->write((isHere ? variable.value : brought).data(),
                      partOf(state, number).wholeBytes());
  return KERATIN_OK;
}

// Without a file only what others need of this rank is done.
Code writeAll(const keratin_state_t &state, FileWriter *file, keratin_status_t *status) {
  SessionGuard guard(&state.session->lock, /*exclusive=*/false);
  if (file) {
    writeNumber(*file, magic);
    writeNumber(*file, version);
    writeNumber(*file, state.object->num_variables);
  }
  for (int32_t i = 0; i < state.object->num_variables; ++i) {
    const keratin_tensor_desc_t &tensor = state.object->variables[i].tensor;
    if (file) {
      size_t length = strlen(nameOf(state, i));
      writeNumber(*file, int64_t(length));
      (void)file->write(nameOf(state, i), length);
      writeNumber(*file, tensor.dtype);
      writeNumber(*file, tensor.rank);
      (void)file->write(tensor.dims, size_t(tensor.rank) * sizeof(int64_t));
    }
    if (file || isShared(state, i))
      if (Code code = writeValue(state, i, file, status))
        return code;
  }
  return KERATIN_OK;
}

// Whether the file goes on with the description of this variable.
bool matches(const keratin_state_t &state, int32_t number, File &file) {
  const keratin_tensor_desc_t &variable = state.object->variables[number].tensor;
  const char *name = nameOf(state, number);
  if (!file.expect(int64_t(strlen(name))))
    return false;
  bool same =
      file.expect(name, strlen(name)) && file.expect(variable.dtype) && file.expect(variable.rank);
  for (int32_t axis = 0; same && axis < variable.rank; ++axis)
    same = file.expect(variable.dims[axis]);
  return same;
}

} // namespace

extern "C" keratin_status_code_t keratin_state_save(const keratin_state_t *state, const char *path,
                                                    keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__, {{path, "path", !state->group}}))
    return code;
  if (!path) {
    Code code = writeAll(*state, nullptr, status);
    return code ? code : succeed(status);
  }
  FileWriter file;
  FileOptions options;
  options.isDurable = true;
  if (!file.open(path, options)) {
    errno = file.error();
    return tellRanks(*state, fail(status, KERATIN_INVALID_ARGUMENT, "cannot write '%s': %m", path),
                     status);
  }
  if (Code code = writeAll(*state, &file, status))
    return code;
  if (file.commit())
    return succeed(status);
  errno = file.error();
  return fail(status, KERATIN_RESOURCE_EXHAUSTED, "cannot write '%s': %m", path);
}

extern "C" keratin_status_code_t keratin_state_load(keratin_state_t *state, const char *path,
                                                    keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__, {{path, "path"}}))
    return code;
  File file(path);
  if (file.status().refusal())
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' %s", path, file.status().refusal());
  if ((errno = file.status().error()))
    return fail(status, KERATIN_INVALID_ARGUMENT, "cannot read '%s': %m", path);
  if (!file.expect(magic))
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' is not a state of a model", path);
  if (!file.expect(version))
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' was written in another version", path);
  int32_t count = state->object->num_variables;
  if (!file.expect(count))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "'%s' holds another number of variables; model '%s' has %" PRId32, path,
                state->object->name, count);
  BlockArray values(count);
  if (!values)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
  for (int32_t i = 0; i < count; ++i) {
    const keratin_tensor_desc_t &variable = state->object->variables[i].tensor;
    const size_t bytes = partOf(*state, i).wholeBytes();
    if (!matches(*state, i, file))
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' does not go on with variable '%s', %s %s",
                  path, nameOf(*state, i), dtypeName(variable.dtype),
                  dimsText(variable.rank, variable.dims).text());
    if (!values[i].reserve(bytes))
      return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
    if (!file.read(values[i].data(), bytes))
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' ends within the value of '%s'", path,
                  nameOf(*state, i));
  }
  if (!file.atEnd())
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' goes on behind its last variable", path);
  return replaceValues(*state, values, status);
}
