// Libraries that are opened by name, at the first call that needs one: no header of theirs is
// needed to build what calls them, and none of them to run the rest.
#ifndef KERATIN_RUNTIME_COMM_NAMEDLIBRARY_H
#define KERATIN_RUNTIME_COMM_NAMEDLIBRARY_H

#include "runtime/core/Status.h"

#include <dlfcn.h>
#include <pthread.h>

namespace keratin::comm {

using runtime::Code;

// What a table has of a list of functions, each F(type, name, parameters): a member each, and
// resolve(), which finds them in an open library and returns the name of one that it lacks, or
// nullptr.
#define KERATIN_FUNCTION_TABLE(FUNCTIONS)                                                          \
  FUNCTIONS(KERATIN_DECLARE_FUNCTION)                                                              \
  const char *resolve(void *library) {                                                             \
    FUNCTIONS(KERATIN_RESOLVE_FUNCTION)                                                            \
    return nullptr;                                                                                \
  }
#define KERATIN_DECLARE_FUNCTION(type, name, parameters) type(*name) parameters = nullptr;
#define KERATIN_RESOLVE_FUNCTION(type, name, parameters)                                           \
  name = reinterpret_cast<type(*) parameters>(dlsym(library, #name));                              \
  if (!name)                                                                                       \
    return #name;

// The table of a library, filled by its open() at the first call; after a failure it is tried
// again.
template <typename Table> class NamedLibrary {
public:
  Code find(const Table **found, keratin_status_t *status) {
    pthread_mutex_lock(&mutex);
    Code code = KERATIN_OK;
    if (!isOpen) {
      table = {};
      code = table.open(status);
      isOpen = code == KERATIN_OK;
    }
    pthread_mutex_unlock(&mutex);
    *found = &table;
    return code;
  }

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Table table{};
  bool isOpen = false; // by then the table stays
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_NAMEDLIBRARY_H
