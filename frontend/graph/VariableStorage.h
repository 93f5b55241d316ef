// The state behind a variable.
#ifndef KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H
#define KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H

#include "keratin/array.h"

#include "runtime/include/keratin/comm.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct keratin_device_t;
struct keratin_variable_t;

namespace keratin::frontend {

// A variable of one of the process's sessions, of which each device has one. It is made on the
// current device; the first function that uses it decides on which it lies from then on, and moves
// it there. Functions share it with its tensors. Any number of threads may use one.
class VariableStorage {
public:
  using Handle = std::shared_ptr<keratin_variable_t>;

  explicit VariableStorage(const Array &initial);
  // Of the dtype of the one element, which is everywhere: takes no memory beside the variable's.
  VariableStorage(const Array &element, const std::vector<int64_t> &dims);
  VariableStorage(const VariableStorage &) = delete;
  VariableStorage &operator=(const VariableStorage &) = delete;

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return dims; }
  size_t bytes() const;
  // Whether this rank of a job has a part of the elements (ir/shapes/EvenParts.h), for functions
  // that need no more. read() and write() are of the whole all the same; all ranks read together.
  bool isDivided() const { return divided.load(std::memory_order_acquire); }

  // The device that a function has decided for; null if none has.
  const keratin_device_t *settledOn() const { return settled.load(std::memory_order_acquire); }
  // What a function needs of it: the whole, or this rank's part, one of those along an axis of the
  // mesh or, of no ranks, of all.
  using Extent = std::optional<keratin_axis_t>;
  // What to say of a function that would use it on this device, if another has decided otherwise.
  // `name` is the variable's.
  std::optional<std::string> conflictOn(const keratin_device_t &device, const std::string &name,
                                        Extent part) const;
  // It lies on the device from now on, this rank's part of it or the whole. ValueError "function:
  // ..." for a conflict.
  Handle settle(const keratin_device_t &device, const std::string &function,
                const std::string &name, Extent part = std::nullopt);
  // As it is, if the whole lies on the device, for a reader, who does not decide anything; else
  // null.
  Handle peek(const keratin_device_t &device) const;

  // A consistent copy, also while functions update it.
  Array read() const;
  // Memory for the value of a variable.
  struct Destination {
    std::shared_ptr<VariableStorage> storage;
    void *data; // bytes() of it
  };
  // The same of several, those on one device as they are between two updates.
  static void read(const std::vector<Destination> &destinations);

  // A new value for a variable, of its dtype and shape.
  struct Assignment {
    std::shared_ptr<VariableStorage> storage;
    Array value;
  };
  // All of them or, where a device refuses one, none; at once for all that run on a device.
  static void write(const std::string &function, const std::vector<Assignment> &assignments);

private:
  Handle makeOn(const keratin_device_t &device, const std::vector<int64_t> &dims,
                const void *initial) const;
  Array partOf(const Array &whole, keratin_axis_t along) const;
  Array readFrom(const keratin_variable_t *variable, Extent part) const;

  const DType type;
  const std::vector<int64_t> dims;
  Handle variable;
  const keratin_device_t *place; // where that lies
  std::atomic<const keratin_device_t *> settled{nullptr};
  std::atomic<bool> divided{false};
  keratin_axis_t dividedAlong = {}; // written before that
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H
