// What a function makes of variables that it does not update (keratin_prepared_t): kept from call
// to call, made again by the first after one of the variables was written.
#ifndef KERATIN_RUNTIME_CORE_PREPAREDVALUES_H
#define KERATIN_RUNTIME_CORE_PREPAREDVALUES_H

#include "runtime/core/Session.h"

namespace keratin::runtime {

// Of an executable, and of whichever variables it was called with last.
class PreparedValues {
public:
  // Null: there are none.
  explicit PreparedValues(const keratin_prepared_t *prepared) : prepared(prepared) {}
  ~PreparedValues() { pthread_mutex_destroy(&making); }
  PreparedValues(const PreparedValues &) = delete;
  PreparedValues &operator=(const PreparedValues &) = delete;

  // Asks for their memory, once. False where there is none.
  [[nodiscard]] bool reserve();
  void *data() const { return memory.data(); }
  int64_t bytes() const { return prepared ? prepared->bytes : 0; }

private:
  friend class PreparedGuard;
  // Which value of which variable.
  struct Origin {
    uint64_t variable, version;
  };
  Origin *origins() const;
  bool areOf(keratin_variable_t *const *variables) const;
  void setOrigins(keratin_variable_t *const *variables);

  const keratin_prepared_t *const prepared;
  Block memory; // and behind the values their origins
  bool isMade = false;
  SessionLock lock;
  pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; // of calls that found them outdated
};

// Holds them for a call on these variables, whose session is locked: nobody makes others of them
// meanwhile. If the call must make them it is alone.
class PreparedGuard {
public:
  PreparedGuard(PreparedValues &values, keratin_variable_t *const *variables)
      : values(values), variables(variables) {
    if (values.prepared)
      take();
  }
  ~PreparedGuard() {
    if (values.prepared)
      leave();
  }
  PreparedGuard(const PreparedGuard &) = delete;
  PreparedGuard &operator=(const PreparedGuard &) = delete;

  bool mustMake() const { return isAlone; }
  // The call has made them.
  void setMade() { values.setOrigins(variables); }

private:
  void take();
  void leave();

  PreparedValues &values;
  keratin_variable_t *const *variables;
  bool isAlone = false;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_PREPAREDVALUES_H
