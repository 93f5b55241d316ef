#include "runtime/core/PreparedValues.h"

#include "runtime/core/Workspace.h"

namespace keratin::runtime {

PreparedValues::Origin *PreparedValues::origins() const {
  return reinterpret_cast<Origin *>(static_cast<char *>(memory.data()) +
                                    Workspace::roundUp(prepared->bytes));
}

bool PreparedValues::reserve() {
  if (!prepared)
    return true;
  const size_t bytesOfOrigins = size_t(prepared->num_variables) * sizeof(Origin);
  return memory.reserve(size_t(Workspace::roundUp(prepared->bytes)) + bytesOfOrigins);
}

bool PreparedValues::areOf(keratin_variable_t *const *variables) const {
  if (!isMade)
    return false;
  const Origin *origin = origins();
  for (int64_t i = 0; i < prepared->num_variables; ++i) {
    const keratin_variable_t &variable = *variables[prepared->variables[i]];
    if (origin[i].variable != variable.id || origin[i].version != variable.version)
      return false;
  }
  return true;
}

void PreparedValues::setOrigins(keratin_variable_t *const *variables) {
  for (int64_t i = 0; i < prepared->num_variables; ++i) {
    const keratin_variable_t &variable = *variables[prepared->variables[i]];
    origins()[i] = {variable.id, variable.version};
  }
  isMade = true;
}

// Those that find them outdated queue for the mutex, so that one of them makes them, and the others
// go on together.
void PreparedGuard::take() {
  values.lock.lockShared();
  if (values.areOf(variables))
    return;
  values.lock.unlock();
  pthread_mutex_lock(&values.making);
  values.lock.lockShared();
  if (values.areOf(variables)) {
    pthread_mutex_unlock(&values.making);
    return;
  }
  values.lock.unlock();
  values.lock.lockExclusive();
  isAlone = true;
}

void PreparedGuard::leave() {
  values.lock.unlock();
  if (isAlone)
    pthread_mutex_unlock(&values.making);
}

} // namespace keratin::runtime
