#include "runtime/comm/Mesh.h"

#include <stdlib.h>
#include <string.h>

namespace keratin::comm {

using runtime::Code;
using runtime::fail;
using runtime::ShortText;

static bool isName(const char *name) {
  for (const char *c = name; c && *c; ++c)
    if (uint8_t(*c) < 0x20 || *c == 0x7f)
      return false;
  return name && *name;
}

Code Mesh::arrange(const keratin_mesh_axis_t *wanted, int32_t count, int32_t rank, int32_t ranks,
                   keratin_status_t *status) {
  int64_t product = 1;
  size_t bytes = 0;
  ShortText text;
  for (int32_t i = 0; i < count; ++i) {
    const auto &[name, size] = wanted[i];
    if (!isName(name))
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "axis %d of the mesh has no name, or one with control characters", i);
    if (size < 1)
      return fail(status, KERATIN_INVALID_ARGUMENT, "an axis '%s' of %d ranks; needed at least 1",
                  name, size);
    for (int32_t before = 0; before < i; ++before)
      if (strcmp(wanted[before].name, name) == 0)
        return fail(status, KERATIN_INVALID_ARGUMENT, "two axes are named '%s'", name);
    product = product * size > INT32_MAX ? INT32_MAX : product * size;
    bytes += sizeof(Axis) + strlen(name) + 1;
    text.add("%s%s %d", i ? " x " : "", name, size);
  }
  if (count && product != ranks)
    return fail(status, KERATIN_INVALID_ARGUMENT, "a mesh of %s is %lld ranks; there are %d",
                text.text(), static_cast<long long>(product), ranks);
  if (!memory.reserve(bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for a mesh of %s", text.text());
  auto *names = reinterpret_cast<char *>(axes() + count);
  ownNumber = rank;
  int32_t stride = ranks;
  for (numAxes = 0; numAxes < count; ++numAxes) {
    const auto &[name, size] = wanted[numAxes];
    stride /= size;
    const size_t length = strlen(name) + 1;
    memcpy(names, name, length);
    axes()[numAxes] = {names, {size, stride}};
    names += length;
  }
  return runtime::succeed(status);
}

bool Mesh::find(const char *name, keratin_axis_t &axis) const {
  for (int32_t i = 0; i < numAxes; ++i)
    if (strcmp(axes()[i].name, name) == 0) {
      axis = axes()[i].members;
      return true;
    }
  return false;
}

ShortText Mesh::names() const {
  ShortText text;
  for (int32_t i = 0; i < numAxes; ++i)
    text.add("%s'%s'", i ? ", " : "", axes()[i].name);
  return numAxes ? text : text.add("none");
}

Code MeshText::read(const char *caller, const char *text, keratin_status_t *status) {
  const size_t bytes = strlen(text) + 1;
  if (!names.reserve(bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory for the names of axes", caller);
  memcpy(names.data(), text, bytes);
  for (char *name = static_cast<char *>(names.data()), *end = nullptr; name;) {
    auto *colon = static_cast<char *>(memchr(name, ':', strlen(name)));
    const long ranks = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || numAxes == mostAxes || (*end && *end != ',') || ranks < 1 || ranks > INT32_MAX)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "%s: found a mesh '%s'; needed names and numbers of ranks of 1 to %d axes, as "
                  "'data:2,model:2'",
                  caller, text, mostAxes);
    *colon = '\0';
    found[numAxes++] = {name, int32_t(ranks)};
    name = *end ? end + 1 : nullptr;
  }
  return KERATIN_OK;
}

} // namespace keratin::comm
