#include "runtime/core/CallPlan.h"
#include "runtime/core/DType.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/SizeProgram.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/core/SymbolSource.h"
#include "runtime/core/Workspace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

namespace keratin::runtime {

Code checkArguments(const keratin_executable_t &executable, const CallArguments &arguments,
                    keratin_session_t *&session, keratin_status_t *status) {
  const keratin_function_desc_t &descriptor = executable.descriptor;
  session = nullptr;
  if (arguments.numInputs != descriptor.num_inputs || (arguments.numInputs && !arguments.inputs))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' takes %" PRId32 " inputs; %" PRId32 " are given",
                functionName(descriptor), descriptor.num_inputs,
                arguments.inputs ? arguments.numInputs : 0);
  if (!arguments.variables)
    return KERATIN_OK;
  if (arguments.numVariables != descriptor.num_variables)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' uses %" PRId32 " variables; %" PRId32 " are given",
                functionName(descriptor), descriptor.num_variables, arguments.numVariables);
  for (int32_t i = 0; i < arguments.numVariables; ++i) {
    if (!arguments.variables[i])
      return fail(status, KERATIN_INVALID_ARGUMENT, "function '%s': %s is missing",
                  functionName(descriptor),
                  tensorText("variable", i, descriptor.variables[i]).text());
    if (i == 0)
      session = arguments.variables[0]->session;
    else if (arguments.variables[i]->session != session)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "function '%s': %s belongs to another session than the first variable",
                  functionName(descriptor),
                  tensorText("variable", i, descriptor.variables[i]).text());
  }
  if (session && session->device != executable.layout.device)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' runs on device '%s'; its variables lie on device '%s'",
                functionName(descriptor), executable.layout.device->name, session->device->name);
  return KERATIN_OK;
}

namespace {

class Planner {
public:
  Planner(const keratin_executable_t &executable, Lease &lease, const CallArguments &arguments,
          keratin_status_t *status)
      : descriptor(executable.descriptor), layout(executable.layout), ranks(executable.ranks),
        lease(lease), arguments(arguments), status(status) {}

  Code run() {
    bool same = lease.planned;
    // Until the plan is whole again it must not be taken for one.
    lease.planned = false;
    if (!bindInputs(same) || !bindValues(same) || !bindVariables(same))
      return code;
    if (!same && (!evaluateSizes() || !checkInputDims() || !checkVariables() || !planBuffers()))
      return code;
    lease.planned = true;
    return KERATIN_OK;
  }

  Code define(int64_t number, int64_t value) {
    const keratin_computed_size_t &size = descriptor.computed->sizes[number];
    int64_t bound = lease.sizes[size.bound];
    if (value < 0 || value > bound) {
      refuse(Code(size.status), "%s: found %" PRId64 "; needed 0 to %" PRId64, size.message, value,
             bound);
      return code;
    }
    lease.sizes[descriptor.num_symbols - descriptor.computed->num_sizes + number] = value;
    evaluateLevel(number + 1);
    return code;
  }

  Code outputDims(int32_t output, int64_t *dims) {
    const keratin_tensor_desc_t &stated = descriptor.outputs[output];
    int64_t bytes = 0;
    for (int32_t axis = 0; axis < stated.rank; ++axis)
      dims[axis] = statedSize(stated.dims[axis]);
    if (!tensorBytes(stated.dtype, stated.rank, dims, bytes))
      refuse(KERATIN_INVALID_ARGUMENT,
             "function '%s': %s would have shape %s, which has a negative "
             "size",
             function(), tensorText("output", output, stated).text(),
             dimsText(stated.rank, dims).text());
    else if (bytes > lease.outputBytes[output])
      refuse(KERATIN_INTERNAL, "function '%s': %s has more bytes than planned", function(),
             tensorText("output", output, stated).text());
    return code;
  }

private:
  bool refuse(Code failure, const char *format, ...) __attribute__((format(printf, 3, 4))) {
    va_list arguments;
    va_start(arguments, format);
    code = failWith(status, failure, format, arguments);
    va_end(arguments);
    return false;
  }
  const char *function() const { return functionName(descriptor); }
  ShortText inputText(int32_t i) const { return tensorText("input", i, descriptor.inputs[i]); }
  ShortText variableText(int32_t i) const {
    return tensorText("variable", i, descriptor.variables[i]);
  }
  // The size that the signature states, in numbers.
  int64_t statedSize(int64_t dim) const { return dim >= 0 ? dim : lease.sizes[-1 - dim]; }

  // --- Every call --------------------------------------------------------------------------------

  bool bindInputs(bool &same) {
    int64_t *key = lease.key;
    for (int32_t i = 0; i < arguments.numInputs; ++i) {
      const keratin_tensor_t &given = arguments.inputs[i];
      const keratin_tensor_desc_t &stated = descriptor.inputs[i];
      if (given.dtype != stated.dtype)
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': %s is fed a value of dtype %s; %s is needed", function(),
                      inputText(i).text(), dtypeName(given.dtype), dtypeName(stated.dtype));
      if (given.rank != stated.rank || (given.rank && !given.dims))
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': %s is fed a value of rank %" PRId32 "; rank %" PRId32
                      " is needed, shape %s",
                      function(), inputText(i).text(), given.rank, stated.rank,
                      signatureText(descriptor, stated).text());
      for (int32_t axis = 0; axis < given.rank; ++axis) {
        same &= key[axis] == given.dims[axis];
        key[axis] = given.dims[axis];
      }
      key += given.rank;
    }
    return same || checkStaticDims();
  }

  // Values are read, and variables compared, with the session locked; both may differ though no dim
  // does.
  bool bindValues(bool &same) {
    if (!layout.valueSymbols)
      return true;
    int64_t *key = lease.key + layout.inputDims;
    for (int64_t i = 0; i < descriptor.num_symbols; ++i) {
      const keratin_symbol_desc_t &symbol = descriptor.symbols[i];
      if (!isRead(symbol.source))
        continue;
      int64_t value = 0;
      if (isRankNumber(symbol.source))
        value = rankNumber(symbol);
      else if (!readValue(symbol, value))
        return false;
      same &= *key == value;
      *key++ = value;
    }
    return true;
  }

  bool bindVariables(bool &same) {
    if (!arguments.variables) {
      // A query: the plan serves it, but no variable has the id 0, so the next call looks at its
      // own.
      for (int32_t i = 0; i < descriptor.num_variables; ++i)
        lease.variableIds[i] = 0;
      return true;
    }
    for (int32_t i = 0; i < arguments.numVariables; ++i) {
      uint64_t id = arguments.variables[i]->id;
      same &= lease.variableIds[i] == id;
      lease.variableIds[i] = id;
    }
    return true;
  }

  // --- New sizes or variables --------------------------------------------------------------------

  bool checkStaticDims() {
    for (int32_t i = 0; i < arguments.numInputs; ++i) {
      const keratin_tensor_t &given = arguments.inputs[i];
      const keratin_tensor_desc_t &stated = descriptor.inputs[i];
      bool fits = true;
      for (int32_t axis = 0; axis < given.rank; ++axis)
        fits &= stated.dims[axis] < 0 || stated.dims[axis] == given.dims[axis];
      if (!fits)
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': %s is fed a value of shape %s; shape %s is needed",
                      function(), inputText(i).text(), dimsText(given.rank, given.dims).text(),
                      signatureText(descriptor, stated).text());
      if (!tensorBytes(given.dtype, given.rank, given.dims, lease.inputBytes[i]))
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': %s is fed a value of shape %s, which has a negative size or "
                      "more bytes than 64 bits count",
                      function(), inputText(i).text(), dimsText(given.rank, given.dims).text());
    }
    return true;
  }

  // An element of a view that lies on a device, as one of the host's.
  bool fetchElement(const keratin_tensor_t &view, int64_t index, void *element) {
    const keratin_device_t &device = deviceOf(view);
    code = device.copy_out(device.user, nullptr, 0, element, elementAddress(view, index),
                           size_t(dtypeSize(view.dtype)), status);
    return code == KERATIN_OK;
  }

  int64_t rankNumber(const keratin_symbol_desc_t &symbol) const {
    const bool isCount = symbol.source == KERATIN_SYMBOL_RANKS;
    if (!ranks.functions)
      return isCount ? 1 : 0;
    const char *axis = symbol.index ? descriptor.axes->names[symbol.index - 1] : nullptr;
    return isCount ? ranks.functions->count(ranks.group, axis)
                   : ranks.functions->place(ranks.group, axis);
  }

  bool readValue(const keratin_symbol_desc_t &symbol, int64_t &value) {
    keratin_tensor_t view = {};
    int64_t bytes = 0;
    if (isValueOfInput(symbol.source)) {
      view = arguments.inputs[symbol.input];
      bytes = lease.inputBytes[symbol.input];
    } else if (arguments.variables) {
      const keratin_variable_t &variable = *arguments.variables[symbol.input];
      if (variable.dtype != descriptor.variables[symbol.input].dtype)
        return refuseVariable(symbol.input);
      view = {.data = variable.value.data(),
              .dtype = variable.dtype,
              .rank = variable.rank,
              .dims = variable.dims,
              .strides = nullptr,
              .device = variable.session->device};
      bytes = int64_t(variable.bytes);
    }
    if (!view.data)
      return refuseValue(symbol, "which has no data here");
    if (symbol.index >= bytes / dtypeSize(view.dtype))
      return refuseValue(symbol, "which has too few elements");
    alignas(8) char fetched[8];
    const void *element = elementAddress(view, symbol.index);
    if (!isOnHost(view)) {
      if (!fetchElement(view, symbol.index, fetched))
        return false;
      element = fetched;
    }
    if (!readInteger(view.dtype, element, value))
      return refuseValue(symbol, "whose value is beyond 2^63");
    // Sizes are simplified, and code is made, for symbols that are not negative.
    if (value == INT64_MIN && isNegativePart(symbol.source))
      return refuseValue(symbol, "whose value is -2^63; needed more");
    value = symbolOfElement(symbol.source, value);
    if (value < 0) {
      char why[64];
      snprintf(why, sizeof(why), "whose value is %" PRId64 "; needed 0 or more", value);
      return refuseValue(symbol, why);
    }
    return true;
  }

  bool refuseValue(const keratin_symbol_desc_t &symbol, const char *why) {
    bool fromInput = isValueOfInput(symbol.source);
    return refuse(KERATIN_INVALID_ARGUMENT,
                  "function '%s': size '%s' is element %" PRId64 " of %s, %s", function(),
                  symbol.name ? symbol.name : "", symbol.index,
                  (fromInput ? inputText(symbol.input) : variableText(symbol.input)).text(), why);
  }

  bool evaluateSizes() {
    const int64_t *value = lease.key + layout.inputDims;
    for (int64_t i = 0; i < descriptor.num_symbols; ++i) {
      const keratin_symbol_desc_t &symbol = descriptor.symbols[i];
      if (symbol.source != KERATIN_SYMBOL_COMPUTED)
        lease.sizes[i] = symbol.source == KERATIN_SYMBOL_INPUT_DIM
                             ? arguments.inputs[symbol.input].dims[symbol.index]
                             : *value++;
    }
    return evaluateLevel(0);
  }

  // Computed sizes that a slot depends on, counted from the first.
  int64_t levelOf(int64_t slot) const {
    if (!descriptor.computed)
      return 0;
    if (slot >= descriptor.num_symbols)
      return descriptor.computed->program_levels[slot - descriptor.num_symbols];
    int64_t first = descriptor.num_symbols - descriptor.computed->num_sizes;
    return slot < first ? 0 : slot - first + 1;
  }

  // The slots that are known with the first `level` computed sizes, not with fewer.
  bool evaluateLevel(int64_t level) {
    int64_t *results = lease.sizes + descriptor.num_symbols;
    for (int64_t i = 0; i < descriptor.num_programs; ++i) {
      if (levelOf(descriptor.num_symbols + i) != level)
        continue;
      SizeProgramError error;
      // A check on earlier slots usually says better, with op and line, why a size cannot be
      // computed.
      if (!runSizeProgram(descriptor.programs[i], lease.sizes, results[i], error))
        return runChecks(level, descriptor.num_symbols + i) && refuseSize(error);
    }
    return runChecks(level, descriptor.num_symbols + descriptor.num_programs);
  }

  bool refuseSize(const SizeProgramError &error) {
    switch (error.kind) {
    case SizeProgramError::Kind::Broadcast:
      return refuseBroadcast() &&
             refuse(KERATIN_FAILED_PRECONDITION,
                    "function '%s': sizes %" PRId64 " and %" PRId64
                    " cannot be broadcast; they must be equal, or one of them 1",
                    function(), error.lhs, error.rhs);
    case SizeProgramError::Kind::DivisionByZero:
      return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': a size divides %" PRId64 " by 0",
                    function(), error.lhs);
    case SizeProgramError::Kind::Overflow:
      break;
    }
    return refuse(KERATIN_INVALID_ARGUMENT,
                  "function '%s': the sizes of this call do not fit in 64 bits (%" PRId64
                  " %s %" PRId64 ")",
                  function(), error.lhs, sizeOpcodeName(error.opcode), error.rhs);
  }

  // The check that needed a size which two others do not broadcast to knows op and line. True if
  // there is none.
  bool refuseBroadcast() {
    for (int64_t i = 0; i < descriptor.num_checks; ++i) {
      const keratin_check_t &check = descriptor.checks[i];
      int64_t program = check.rhs - descriptor.num_symbols, size;
      SizeProgramError error;
      if (check.kind == KERATIN_CHECK_BROADCAST && program >= 0 &&
          !runSizeProgram(descriptor.programs[program], lease.sizes, size, error) &&
          error.kind == SizeProgramError::Kind::Broadcast)
        return refuse(Code(check.status), "%s: found sizes %" PRId64 " and %" PRId64, check.message,
                      error.lhs, error.rhs);
    }
    return true;
  }

  // Which inputs the sizes of a check are those of, where they are: "; input 'x' has 3 on axis 0".
  ShortText inputSizes(const keratin_check_t &check) const {
    ShortText text;
    const char *separator = ";";
    for (int64_t slot : {check.lhs, check.rhs}) {
      if (slot >= descriptor.num_symbols ||
          descriptor.symbols[slot].source != KERATIN_SYMBOL_INPUT_DIM)
        continue;
      const keratin_symbol_desc_t &symbol = descriptor.symbols[slot];
      text.add("%s %s has %" PRId64 " on axis %" PRId64, separator, inputText(symbol.input).text(),
               lease.sizes[slot], symbol.index);
      separator = ",";
    }
    return text;
  }

  // The checks of this level both of whose slots lie below numSlots.
  bool runChecks(int64_t level, int64_t numSlots) {
    for (int64_t i = 0; i < descriptor.num_checks; ++i) {
      const keratin_check_t &check = descriptor.checks[i];
      if (check.lhs >= numSlots || check.rhs >= numSlots)
        continue;
      int64_t lhsLevel = levelOf(check.lhs), rhsLevel = levelOf(check.rhs);
      if ((lhsLevel > rhsLevel ? lhsLevel : rhsLevel) != level)
        continue;
      int64_t lhs = lease.sizes[check.lhs];
      int64_t rhs = lease.sizes[check.rhs];
      Code failure = Code(check.status);
      if (check.kind == KERATIN_CHECK_EQUAL && lhs != rhs)
        return refuse(failure, "%s: sizes %" PRId64 " and %" PRId64 " must be equal%s",
                      check.message, lhs, rhs, inputSizes(check).text());
      if (check.kind == KERATIN_CHECK_BROADCAST && lhs != rhs && lhs != 1)
        return refuse(failure, "%s: size %" PRId64 " must be %" PRId64 " or 1%s", check.message,
                      lhs, rhs, inputSizes(check).text());
      if (check.kind == KERATIN_CHECK_AT_LEAST && lhs < rhs)
        return refuse(failure, "%s: %" PRId64 " must be at least %" PRId64 "%s", check.message, lhs,
                      rhs, inputSizes(check).text());
      if (check.kind == KERATIN_CHECK_AT_MOST && lhs > rhs)
        return refuse(failure, "%s: %" PRId64 " must be at most %" PRId64 "%s", check.message, lhs,
                      rhs, inputSizes(check).text());
      if (check.kind == KERATIN_CHECK_MULTIPLE && (rhs <= 0 || lhs % rhs != 0))
        return refuse(failure, "%s: %" PRId64 " must be a multiple of %" PRId64 "%s", check.message,
                      lhs, rhs, inputSizes(check).text());
    }
    return true;
  }

  // A symbol has one source; where it stands for other dims too, generated code relies on them.
  bool checkInputDims() {
    for (int32_t i = 0; i < arguments.numInputs; ++i) {
      const keratin_tensor_t &given = arguments.inputs[i];
      const keratin_tensor_desc_t &stated = descriptor.inputs[i];
      for (int32_t axis = 0; axis < given.rank; ++axis) {
        int64_t size = statedSize(stated.dims[axis]);
        if (given.dims[axis] != size)
          return refuse(KERATIN_INVALID_ARGUMENT,
                        "function '%s': %s is fed a value of shape %s; axis %" PRId32
                        " of shape %s must be %" PRId64 " in this call",
                        function(), inputText(i).text(), dimsText(given.rank, given.dims).text(),
                        axis, signatureText(descriptor, stated).text(), size);
      }
    }
    return true;
  }

  bool refuseVariable(int32_t i) {
    const keratin_variable_t &given = *arguments.variables[i];
    const keratin_tensor_desc_t &stated = descriptor.variables[i];
    return refuse(KERATIN_INVALID_ARGUMENT,
                  "function '%s': %s has dtype %s and shape %s; dtype %s and shape %s are needed",
                  function(), variableText(i).text(), dtypeName(given.dtype),
                  dimsText(given.rank, given.dims).text(), dtypeName(stated.dtype),
                  signatureText(descriptor, stated).text());
  }

  bool checkVariables() {
    if (!arguments.variables)
      return true;
    for (int32_t i = 0; i < arguments.numVariables; ++i) {
      const keratin_variable_t &given = *arguments.variables[i];
      const keratin_tensor_desc_t &stated = descriptor.variables[i];
      bool fits = given.dtype == stated.dtype && given.rank == stated.rank;
      for (int32_t axis = 0; fits && axis < given.rank; ++axis)
        fits = given.dims[axis] == statedSize(stated.dims[axis]);
      if (!fits)
        return refuseVariable(i);
      // One buffer under two names would be read under one and written under the other.
      for (int32_t earlier = 0; descriptor.num_updates && earlier < i; ++earlier)
        if (arguments.variables[earlier] == &given)
          return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': %s is given twice", function(),
                        variableText(i).text());
    }
    return true;
  }

  bool planBuffers() {
    int64_t *dims = lease.outputDims;
    for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
      const keratin_tensor_desc_t &stated = descriptor.outputs[i];
      const int64_t *most = stated.capacity ? stated.capacity : stated.dims;
      for (int32_t axis = 0; axis < stated.rank; ++axis)
        dims[axis] = statedSize(most[axis]);
      if (!tensorBytes(stated.dtype, stated.rank, dims, lease.outputBytes[i]))
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': %s would have shape %s, which has a negative size or more "
                      "bytes than 64 bits count",
                      function(), tensorText("output", i, stated).text(),
                      dimsText(stated.rank, dims).text());
      dims += stated.rank;
    }
    lease.arenaBytes = descriptor.arena_slot < 0 ? 0 : lease.sizes[descriptor.arena_slot];
    return lease.arenaBytes >= 0 ||
           refuse(KERATIN_INTERNAL, "function '%s': the arena would have %" PRId64 " bytes",
                  function(), lease.arenaBytes);
  }

  const keratin_function_desc_t &descriptor;
  const LeaseLayout &layout;
  const Ranks &ranks;
  Lease &lease;
  const CallArguments &arguments;
  keratin_status_t *status;
  Code code = KERATIN_OK;
};

} // namespace

Code planCall(const keratin_executable_t &executable, Lease &lease, const CallArguments &arguments,
              keratin_status_t *status) {
  return Planner(executable, lease, arguments, status).run();
}

Code defineSize(const keratin_executable_t &executable, Lease &lease, int64_t number, int64_t value,
                keratin_status_t *status) {
  CallArguments none = {};
  return Planner(executable, lease, none, status).define(number, value);
}

Code outputDims(const keratin_executable_t &executable, Lease &lease, int32_t output, int64_t *dims,
                keratin_status_t *status) {
  CallArguments none = {};
  return Planner(executable, lease, none, status).outputDims(output, dims);
}

bool workspaceBytes(const keratin_executable_t &executable, const CallArguments &arguments,
                    const Lease &lease, int64_t &bytes) {
  const keratin_function_desc_t &descriptor = executable.descriptor;
  bool fits = true;
  bytes = KERATIN_ALIGNMENT; // to begin on a boundary
  auto add = [&](int64_t part) {
    fits = fits && part <= PTRDIFF_MAX - KERATIN_ALIGNMENT &&
           !__builtin_add_overflow(bytes, Workspace::roundUp(part), &bytes);
  };
  add(sizeof(Lease));
  add(int64_t(Lease::arrayBytes(descriptor, executable.layout)));
  add(lease.arenaBytes);
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    if (!isRowMajor(arguments.inputs[i]))
      add(lease.inputBytes[i]);
  int64_t scratch;
  fits =
      fits && !__builtin_mul_overflow(descriptor.scratch_bytes, int64_t(scratchSlots()), &scratch);
  if (fits)
    add(scratch);
  return fits;
}

} // namespace keratin::runtime
