// Compiled code of one slice, ready to be called.
#ifndef KERATIN_FRONTEND_GRAPH_PROGRAM_H
#define KERATIN_FRONTEND_GRAPH_PROGRAM_H

#include "codegen/Effort.h"
#include "frontend/graph/Devices.h"
#include "frontend/graph/FunctionModule.h"
#include "keratin/array.h"
#include "keratin/function.h"

#include <memory>
#include <string>
#include <vector>

struct keratin_variable_t;

namespace keratin::frontend {

// Immutable; any number of threads may run it.
class Program {
public:
  virtual ~Program() = default;

  // What the compiler refuses is thrown as the kind of error it is. Takes no lock.
  static std::shared_ptr<const Program> compile(FunctionModule module, const Placement &placement,
                                                codegen::Effort effort = codegen::Effort::Full);

  // `inputs` are those of the signature with the signature's dtypes, perhaps with strides; the
  // first outputs are written, in order, in their own memory where it is large enough. Throws for a
  // failed call, whose updates are then not applied.
  virtual void run(const std::string &function, const std::vector<keratin_variable_t *> &variables,
                   const Array *const *inputs, size_t numInputs,
                   std::vector<Array> &outputs) const = 0;

  // In the place of a call that the caller is refused before it is made: where it is one of several
  // ranks, it fails on all of them, with this message.
  virtual void refuse(const char *) const {}

  // What compiling cost and decided.
  virtual double milliseconds() const = 0;
  virtual std::string compileReport() const = 0;
  virtual int64_t kernels() const = 0;
  virtual std::string memoryPlan() const = 0;
  // As Function; 0 where nothing is planned.
  virtual int64_t arenaBytes() const { return 0; }
  virtual int64_t maxLiveBytes() const { return 0; }
};

// Where an output of this dtype and these dims is written: the memory of the array where it has
// them, otherwise memory of its own. ValueError for a view that is not like this.
void *outputMemory(const std::string &function, Array &array, DType dtype,
                   std::vector<int64_t> dims);

// Tests put the reference interpreter in the compiler's place: Program::compile then calls this.
// Null: the compiler again.
using ProgramFactory = std::shared_ptr<const Program> (*)(FunctionModule module);
void setProgramFactory(ProgramFactory factory);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_PROGRAM_H
