// Values of a state in a file: a magic number, a version, the number of variables; then of each
// variable name, dtype, rank, dims and the elements. All numbers are little-endian, 64 bits.
#include "runtime/core/DType.h"
#include "runtime/object/State.h"

#include <atomic>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

using namespace keratin::runtime;

namespace {

constexpr int64_t magic = 0x4554415453544b4b; // "KKTSTATE"
constexpr int64_t version = 1;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are");

// Any failure makes all that follows do nothing.
class File {
public:
  File(const char *path, const char *mode) : file(fopen(path, mode)) {}
  ~File() { close(); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return file; }
  bool write(const void *data, size_t bytes) {
    return ok = ok && (!bytes || fwrite(data, 1, bytes, file) == bytes);
  }
  bool write(int64_t number) { return write(&number, sizeof number); }
  bool read(void *data, size_t bytes) {
    return ok = ok && (!bytes || fread(data, 1, bytes, file) == bytes);
  }
  // Reads a number; whether it is the expected one.
  bool expect(int64_t number) {
    int64_t found = 0;
    return read(&found, sizeof found) && found == number;
  }
  bool atEnd() {
    char character;
    return ok && fread(&character, 1, 1, file) == 0;
  }
  bool close() {
    if (file && fclose(file) != 0)
      ok = false;
    file = nullptr;
    return ok;
  }

private:
  FILE *file;
  bool ok = true;
};

const char *nameOf(const keratin_state_t &state, int32_t variable) {
  const char *name = state.object->variables[variable].tensor.name;
  return name ? name : "";
}

bool writeAll(const keratin_state_t &state, File &file) {
  SessionGuard guard(&state.session->lock, /*exclusive=*/false);
  file.write(magic);
  file.write(version);
  bool ok = file.write(state.object->num_variables);
  for (int32_t i = 0; i < state.object->num_variables; ++i) {
    const keratin_variable_t &variable = *state.variables[i];
    size_t length = strlen(nameOf(state, i));
    file.write(int64_t(length));
    file.write(nameOf(state, i), length);
    file.write(variable.dtype);
    file.write(variable.rank);
    file.write(variable.dims, size_t(variable.rank) * sizeof(int64_t));
    ok = file.write(variable.value.data(), variable.bytes);
  }
  return ok;
}

// Whether the file goes on with the description of this variable.
bool matches(const keratin_state_t &state, int32_t number, File &file) {
  const keratin_variable_t &variable = *state.variables[number];
  const char *name = nameOf(state, number);
  if (!file.expect(int64_t(strlen(name))))
    return false;
  for (; *name; ++name) {
    char character = 0;
    if (!file.read(&character, 1) || character != *name)
      return false;
  }
  bool same = file.expect(variable.dtype) && file.expect(variable.rank);
  for (int32_t axis = 0; same && axis < variable.rank; ++axis)
    same = file.expect(variable.dims[axis]);
  return same;
}

// Values read from a file, until all are there.
class Values {
public:
  explicit Values(int32_t count)
      : count(count), bytes(size_t(count) * sizeof(Block)),
        blocks(static_cast<Block *>(allocate(bytes, alignof(Block)))) {
    for (int32_t i = 0; blocks && i < count; ++i)
      new (&blocks[i]) Block();
  }
  ~Values() {
    for (int32_t i = 0; blocks && i < count; ++i)
      blocks[i].~Block();
    deallocate(blocks, bytes, alignof(Block));
  }
  Values(const Values &) = delete;
  Values &operator=(const Values &) = delete;
  explicit operator bool() const { return blocks; }
  Block &operator[](int32_t i) { return blocks[i]; }

private:
  int32_t count;
  size_t bytes;
  Block *blocks;
};

} // namespace

extern "C" keratin_status_code_t keratin_state_save(const keratin_state_t *state, const char *path,
                                                    keratin_status_t *status) {
  // Of its own for every call: threads may save to one path.
  static constinit std::atomic<uint64_t> calls{0};
  char temporary[4096];
  int length = snprintf(temporary, sizeof temporary, "%s.%ld.%" PRIu64 ".tmp", path, long(getpid()),
                        calls.fetch_add(1, std::memory_order_relaxed));
  if (length < 0 || size_t(length) >= sizeof temporary)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "the path has %zu characters; needed fewer than %zu", strlen(path),
                sizeof temporary);
  File file(temporary, "wb");
  if (!file.isOpen())
    return fail(status, KERATIN_INVALID_ARGUMENT, "cannot write '%s': %m", temporary);
  bool written = writeAll(*state, file);
  if (!file.close() || !written || rename(temporary, path) != 0) {
    fail(status, KERATIN_RESOURCE_EXHAUSTED, "cannot write '%s': %m", path);
    (void)remove(temporary);
    return KERATIN_RESOURCE_EXHAUSTED;
  }
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_load(keratin_state_t *state, const char *path,
                                                    keratin_status_t *status) {
  File file(path, "rb");
  if (!file.isOpen())
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
  Values values(count);
  if (!values)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
  for (int32_t i = 0; i < count; ++i) {
    const keratin_variable_t &variable = *state->variables[i];
    if (!matches(*state, i, file))
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' does not go on with variable '%s', %s %s",
                  path, nameOf(*state, i), dtypeName(variable.dtype),
                  dimsText(variable.rank, variable.dims).text());
    if (!values[i].reserve(variable.bytes))
      return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the values of '%s'", path);
    if (!file.read(values[i].data(), variable.bytes))
      return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' ends within the value of '%s'", path,
                  nameOf(*state, i));
  }
  if (!file.atEnd())
    return fail(status, KERATIN_INVALID_ARGUMENT, "'%s' goes on behind its last variable", path);
  SessionGuard guard(&state->session->lock, /*exclusive=*/true);
  for (int32_t i = 0; i < count; ++i)
    state->variables[i]->value.swap(values[i]);
  return succeed(status);
}
