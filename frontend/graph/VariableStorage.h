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

  // What each rank of a job has of a variable.
  struct Extent {
    enum class Kind {
      Whole,
      Elements, // as many as the others, in one line (ir/shapes/EvenParts.h)
      Along,    // those along a dimension that are this rank's among the axis' (partBegin)
    };
    Kind kind = Kind::Whole;
    keratin_axis_t axis = {}; // of the mesh, along which ranks have parts; of no ranks: all
    int64_t dimension = 0;

    static Extent whole() { return {}; }
    static Extent elements(keratin_axis_t axis = {}) { return {Kind::Elements, axis}; }
    static Extent along(int64_t dimension, keratin_axis_t axis) {
      return {Kind::Along, axis, dimension};
    }
    bool isPart() const { return kind != Kind::Whole; }
    bool operator==(const Extent &other) const;
  };

  explicit VariableStorage(const Array &initial);
  // Of the dtype of the one element, which is everywhere: takes no memory beside the variable's.
  VariableStorage(const Array &element, const std::vector<int64_t> &dims);
  VariableStorage(const VariableStorage &) = delete;
  VariableStorage &operator=(const VariableStorage &) = delete;

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return dims; }
  size_t bytes() const;
  // Whether this rank of a job has a part, for functions that need no more. read() and write() are
  // of the whole all the same; all ranks read together.
  bool isDivided() const { return settledOn() && extent.isPart(); }

  // The device that a function has decided for; null if none has.
  const keratin_device_t *settledOn() const { return settled.load(std::memory_order_acquire); }
  // What to say of a function that would use it on this device, if another has decided otherwise.
  // `name` is the variable's.
  std::optional<std::string> conflictOn(const keratin_device_t &device, const std::string &name,
                                        const Extent &needed) const;
  // It lies on the device from now on, this rank's part of it or the whole. ValueError "function:
  // ..." for a conflict.
  Handle settle(const keratin_device_t &device, const std::string &function,
                const std::string &name, const Extent &needed = Extent::whole());
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
  Array partOf(const Array &whole, const Extent &needed) const;
  Array wholeOf(const Array &part, const Extent &had) const;
  Array readFrom(const keratin_variable_t *variable, const Extent &had) const;

  const DType type;
  const std::vector<int64_t> dims;
  Handle variable;
  const keratin_device_t *place; // where that lies
  Extent extent;                 // written before `settled` is, once
  std::atomic<const keratin_device_t *> settled{nullptr};
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_VARIABLESTORAGE_H
