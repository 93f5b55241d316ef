#include "runtime/core/Descriptor.h"
#include "runtime/core/DType.h"
#include "runtime/core/SizeProgram.h"
#include "runtime/core/SymbolSource.h"

#include <inttypes.h>

namespace keratin::runtime {

namespace {

// Bounds far above any real function; they keep counts, and sums of counts, from overflowing.
constexpr int64_t maxCount = int64_t(1) << 24;

class Validator {
public:
  Validator(const keratin_function_desc_t &descriptor, keratin_status_t *status)
      : descriptor(descriptor), status(status) {}

  Code run() {
    if (descriptor.abi_version != KERATIN_ABI_VERSION)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "function '%s' was compiled for ABI version %" PRIu32
                  "; this runtime has version %d",
                  functionName(descriptor), descriptor.abi_version, KERATIN_ABI_VERSION);
    bool valid = checkCounts() && checkReserved() &&
                 checkTensors("input", descriptor.num_inputs, descriptor.inputs) &&
                 checkTensors("variable", descriptor.num_variables, descriptor.variables) &&
                 checkTensors("output", descriptor.num_outputs, descriptor.outputs) &&
                 checkSymbols() && checkPrograms() && checkComputed() && checkChecks() &&
                 checkSites() && checkUpdates() && checkConstants() && checkKernels() &&
                 checkPrepared() && checkGeneral();
    return valid ? KERATIN_OK : KERATIN_INVALID_ARGUMENT;
  }

private:
  bool refuse(const char *what, int64_t index, const char *why) {
    fail(status, KERATIN_INVALID_ARGUMENT,
         "the descriptor of function '%s' is damaged: %s %" PRId64 ": %s", functionName(descriptor),
         what, index, why);
    return false;
  }

  bool checkCount(const char *what, int64_t count, const void *array) {
    if (count < 0 || count > maxCount)
      return refuse(what, count, "not a sensible count");
    return count == 0 || array || refuse(what, count, "the array is missing");
  }

  bool checkCounts() {
    return checkCount("number of inputs", descriptor.num_inputs, descriptor.inputs) &&
           checkCount("number of variables", descriptor.num_variables, descriptor.variables) &&
           checkCount("number of outputs", descriptor.num_outputs, descriptor.outputs) &&
           checkCount("number of updates", descriptor.num_updates, descriptor.updates) &&
           checkCount("number of constants", descriptor.num_constants, descriptor.constants) &&
           checkCount("number of symbols", descriptor.num_symbols, descriptor.symbols) &&
           checkCount("number of programs", descriptor.num_programs, descriptor.programs) &&
           checkCount("number of checks", descriptor.num_checks, descriptor.checks) &&
           checkCount("number of sites", descriptor.num_sites, descriptor.sites) &&
           (!descriptor.computed ||
            (checkCount("number of computed sizes", numComputed(), descriptor.computed->sizes) &&
             (numComputed() <= descriptor.num_symbols ||
              refuse("number of computed sizes", numComputed(), "there are fewer symbols")) &&
             checkCount("number of memories", descriptor.computed->num_memories,
                        descriptor.computed->memories))) &&
           checkCount("number of kernels", descriptor.num_kernels, descriptor.kernels) &&
           (!descriptor.device_code || checkDeviceCode(*descriptor.device_code)) &&
           (!descriptor.axes || checkAxes(*descriptor.axes)) &&
           (descriptor.entry || refuse("entry", 0, "the function is missing"));
  }

  bool checkDeviceCode(const keratin_device_code_t &code) {
    if (!code.device || code.device[0] == '\0')
      return refuse("device code", 0, "the device has no name");
    if (!checkCount("number of images", code.num_images, code.images) ||
        !checkCount("number of device kernels", code.num_kernels, code.kernels))
      return false;
    for (int64_t i = 0; i < code.num_images; ++i) {
      const keratin_image_t &image = code.images[i];
      if (!image.kind || image.bytes < 0 || (image.bytes && !image.data) || image.reserved[0])
        return refuse("image", i, "it has no kind, no data, or a reserved field that is not zero");
    }
    for (int64_t i = 0; i < code.num_kernels; ++i)
      if (!code.kernels[i])
        return refuse("device kernel", i, "it has no name");
    return isZero("device code", code.reserved);
  }

  bool checkAxes(const keratin_message_axes_t &axes) {
    if (!checkCount("number of axes", axes.num_axes, axes.names))
      return false;
    for (int64_t i = 0; i < axes.num_axes; ++i)
      if (!axes.names[i])
        return refuse("axis", i, "it has no name");
    return isZero("axes", axes.reserved);
  }

  template <size_t count> bool isZero(const char *what, void *const (&reserved)[count]) {
    for (void *field : reserved)
      if (field)
        return refuse(what, 0, "a reserved field is not zero");
    return true;
  }

  bool checkReserved() {
    if (descriptor.num_collectives < 0)
      return refuse("number of collectives", descriptor.num_collectives, "it is negative");
    if (descriptor.computed && !isZero("computed sizes", descriptor.computed->reserved))
      return false;
    if (descriptor.scratch_bytes < 0)
      return refuse("scratch", 0, "a negative size");
    return isSlot(descriptor.arena_slot) || descriptor.arena_slot == -1 ||
           refuse("arena slot", descriptor.arena_slot, "no such slot");
  }

  bool isSlot(int64_t slot) const {
    return slot >= 0 && slot < descriptor.num_symbols + descriptor.num_programs;
  }

  bool isDim(int64_t dim) const { return dim >= 0 || isSlot(-1 - dim); }

  bool checkTensors(const char *role, int32_t count, const keratin_tensor_desc_t *tensors) {
    for (int32_t index = 0; index < count; ++index) {
      const keratin_tensor_desc_t &tensor = tensors[index];
      if (!isDType(tensor.dtype))
        return refuse(role, index, "unknown dtype");
      if (tensor.rank < 0 || tensor.rank > KERATIN_MAX_RANK || (tensor.rank && !tensor.dims))
        return refuse(role, index, "bad rank");
      for (int32_t axis = 0; axis < tensor.rank; ++axis)
        if (!isDim(tensor.dims[axis]) || (tensor.capacity && !isDim(tensor.capacity[axis])))
          return refuse(role, index, "a dimension names no slot");
      if (tensor.part < 0 || tensor.part > tensor.rank)
        return refuse(role, index, "it is a part along no dimension");
    }
    return true;
  }

  bool checkSymbols() {
    for (int64_t index = 0; index < descriptor.num_symbols; ++index) {
      const keratin_symbol_desc_t &symbol = descriptor.symbols[index];
      bool fromVariable = isValueOfVariable(symbol.source);
      if (index >= descriptor.num_symbols - numComputed()) {
        if (symbol.source != KERATIN_SYMBOL_COMPUTED ||
            symbol.index != index - (descriptor.num_symbols - numComputed()))
          return refuse("symbol", index, "it must be the next computed size");
        continue;
      }
      if (isRankNumber(symbol.source)) {
        if (symbol.index < 0 || symbol.index > (descriptor.axes ? descriptor.axes->num_axes : 0))
          return refuse("symbol", index, "no such axis");
        continue;
      }
      if (symbol.source != KERATIN_SYMBOL_INPUT_DIM && !isValue(symbol.source))
        return refuse("symbol", index, "unknown source");
      if (symbol.input < 0 ||
          symbol.input >= (fromVariable ? descriptor.num_variables : descriptor.num_inputs))
        return refuse("symbol", index, "no such input or variable");
      const keratin_tensor_desc_t &tensor =
          (fromVariable ? descriptor.variables : descriptor.inputs)[symbol.input];
      if (symbol.index < 0 ||
          (symbol.source == KERATIN_SYMBOL_INPUT_DIM && symbol.index >= tensor.rank))
        return refuse("symbol", index, "no such dimension or element");
      if (symbol.source != KERATIN_SYMBOL_INPUT_DIM && !isInteger(tensor.dtype))
        return refuse("symbol", index, "its source is not of an integer dtype");
    }
    return true;
  }

  int64_t numComputed() const { return descriptor.computed ? descriptor.computed->num_sizes : 0; }

  // How many computed sizes must be defined before a slot is known.
  int64_t levelOf(int64_t slot) const {
    if (!descriptor.computed)
      return 0;
    if (slot >= descriptor.num_symbols)
      return descriptor.computed->program_levels[slot - descriptor.num_symbols];
    int64_t first = descriptor.num_symbols - numComputed();
    return slot < first ? 0 : slot - first + 1;
  }

  // What is computed later must not be read before.
  bool checkComputed() {
    if (!descriptor.computed)
      return true;
    int64_t count = numComputed();
    const int64_t *levels = descriptor.computed->program_levels;
    if (descriptor.num_programs && !levels)
      return refuse("number of computed sizes", count, "the levels of size programs are missing");
    for (int64_t index = 0; index < count; ++index) {
      const keratin_computed_size_t &size = descriptor.computed->sizes[index];
      if (!isSlot(size.bound) || levelOf(size.bound) > index)
        return refuse("computed size", index, "its bound is not known when it is defined");
      if (!isFailure(size.status) || !size.message || size.reserved)
        return refuse("computed size", index, "it lacks a status or a message");
    }
    for (int64_t index = 0; index < descriptor.num_programs; ++index) {
      const keratin_size_program_t &program = descriptor.programs[index];
      if (levels[index] < 0 || levels[index] > count)
        return refuse("size program", index, "it needs a computed size that does not exist");
      for (int64_t position = 0; position < program.length; ++position) {
        int64_t opcode = program.code[position];
        if (opcode != KERATIN_SIZE_CONST && opcode != KERATIN_SIZE_SLOT)
          continue;
        int64_t operand = program.code[++position];
        if (opcode == KERATIN_SIZE_SLOT && levelOf(operand) > levels[index])
          return refuse("size program", index, "it reads a slot that is computed later");
      }
    }
    for (int64_t index = 0; index < descriptor.computed->num_memories; ++index) {
      const keratin_memory_t &memory = descriptor.computed->memories[index];
      bool isTape = memory.kind == KERATIN_MEMORY_TAPE;
      if (!isTape && memory.kind != KERATIN_MEMORY_ARENA)
        return refuse("memory", index, "unknown kind");
      if (memory.size < 0 || memory.size >= count)
        return refuse("memory", index, "it needs a computed size that does not exist");
      if (!isSlot(memory.slot) || levelOf(memory.slot) > memory.size + !isTape)
        return refuse("memory", index, "its bytes are not known when it is asked for");
    }
    if (descriptor.arena_slot >= 0 && levelOf(descriptor.arena_slot) != 0)
      return refuse("arena slot", descriptor.arena_slot, "it is not known before the call");
    for (int32_t index = 0; index < descriptor.num_outputs; ++index) {
      const keratin_tensor_desc_t &tensor = descriptor.outputs[index];
      const int64_t *dims = tensor.capacity ? tensor.capacity : tensor.dims;
      for (int32_t axis = 0; axis < tensor.rank; ++axis)
        if (dims[axis] < 0 && levelOf(-1 - dims[axis]) != 0)
          return refuse("output", index, "its bytes are not known before the call");
    }
    return true;
  }

  bool checkPrograms() {
    for (int64_t index = 0; index < descriptor.num_programs; ++index)
      if (const char *why =
              validateSizeProgram(descriptor.programs[index], descriptor.num_symbols + index))
        return refuse("size program", index, why);
    return true;
  }

  bool checkChecks() {
    for (int64_t index = 0; index < descriptor.num_checks; ++index) {
      const keratin_check_t &check = descriptor.checks[index];
      if (check.kind < KERATIN_CHECK_EQUAL || check.kind > KERATIN_CHECK_MULTIPLE)
        return refuse("check", index, "unknown kind");
      if (!isSlot(check.lhs) || !isSlot(check.rhs))
        return refuse("check", index, "no such slot");
      if (!isFailure(check.status) || !check.message)
        return refuse("check", index, "it lacks a status or a message");
      if (isAssumed(check) &&
          (check.kind != KERATIN_CHECK_EQUAL || levelOf(check.lhs) || levelOf(check.rhs) ||
           (index > 0 && !isAssumed(descriptor.checks[index - 1]))))
        return refuse("check", index,
                      "what is assumed is no equality, not known before the call, or not first");
    }
    return true;
  }

  bool checkSites() {
    for (int64_t index = 0; index < descriptor.num_sites; ++index)
      if (!isFailure(descriptor.sites[index].status) || !descriptor.sites[index].message)
        return refuse("site", index, "it lacks a status or a message");
    return true;
  }

  static bool isFailure(int32_t code) { return code > KERATIN_OK && code <= KERATIN_SIZES_DIFFER; }

  bool checkUpdates() {
    for (int32_t index = 0; index < descriptor.num_updates; ++index) {
      const keratin_update_desc_t &update = descriptor.updates[index];
      if (update.variable < 0 || update.variable >= descriptor.num_variables)
        return refuse("update", index, "no such variable");
      if (update.in_place != 0 && update.in_place != 1)
        return refuse("update", index, "in_place is neither 0 nor 1");
      for (int32_t earlier = 0; earlier < index; ++earlier)
        if (descriptor.updates[earlier].variable == update.variable)
          return refuse("update", index, "the variable has two updates");
    }
    return true;
  }

  bool checkConstants() {
    for (int32_t index = 0; index < descriptor.num_constants; ++index) {
      const keratin_constant_desc_t &constant = descriptor.constants[index];
      if (constant.bytes < 0 || (constant.bytes && !constant.data))
        return refuse("constant", index, "it has no data");
      if (uintptr_t(constant.data) % KERATIN_ALIGNMENT != 0)
        return refuse("constant", index, "it is not aligned");
    }
    return true;
  }

  bool checkKernels() {
    for (int64_t index = 0; index < descriptor.num_kernels; ++index)
      if (!descriptor.kernels[index].name || !descriptor.kernels[index].location)
        return refuse("kernel", index, "it lacks a name or a location");
    return true;
  }

  bool checkPrepared() {
    const keratin_prepared_t *prepared = descriptor.prepared;
    if (!prepared)
      return true;
    if (prepared->bytes < 0 || prepared->bytes > PTRDIFF_MAX / 2 || descriptor.device_code)
      return refuse("prepared bytes", prepared->bytes, "no memory that the host has");
    if (!checkCount("number of prepared variables", prepared->num_variables, prepared->variables))
      return false;
    for (int64_t i = 0; i < prepared->num_variables; ++i) {
      const int64_t variable = prepared->variables[i];
      if (variable < 0 || variable >= descriptor.num_variables)
        return refuse("prepared variable", i, "no such variable");
      for (int32_t k = 0; k < descriptor.num_updates; ++k)
        if (descriptor.updates[k].variable == variable)
          return refuse("prepared variable", i, "the function updates it");
    }
    return isZero("prepared", prepared->reserved);
  }

  static bool sameTensors(int32_t count, const keratin_tensor_desc_t *a,
                          const keratin_tensor_desc_t *b) {
    for (int32_t i = 0; i < count; ++i)
      if (a[i].dtype != b[i].dtype || a[i].rank != b[i].rank)
        return false;
    return true;
  }

  // Itself it is checked when it becomes an executable.
  bool checkGeneral() {
    const keratin_function_desc_t *general = descriptor.general;
    if (!general)
      return true;
    bool isSame = general->num_inputs == descriptor.num_inputs &&
                  general->num_variables == descriptor.num_variables &&
                  general->num_outputs == descriptor.num_outputs &&
                  sameTensors(descriptor.num_inputs, descriptor.inputs, general->inputs) &&
                  sameTensors(descriptor.num_variables, descriptor.variables, general->variables) &&
                  sameTensors(descriptor.num_outputs, descriptor.outputs, general->outputs);
    return (isSame && !general->general) ||
           refuse("general code", 0, "it is of another signature, or not the last");
  }

  const keratin_function_desc_t &descriptor;
  keratin_status_t *status;
};

} // namespace

Code validateDescriptor(const keratin_function_desc_t &descriptor, keratin_status_t *status) {
  return Validator(descriptor, status).run();
}

ShortText tensorText(const char *role, int32_t index, const keratin_tensor_desc_t &tensor) {
  ShortText text;
  if (tensor.name && tensor.name[0])
    text.add("%s '%s'", role, tensor.name);
  else
    text.add("%s %" PRId32, role, index);
  if (tensor.location && tensor.location[0])
    text.add(" (%s)", tensor.location);
  return text;
}

ShortText signatureText(const keratin_function_desc_t &descriptor,
                        const keratin_tensor_desc_t &tensor) {
  ShortText text;
  text.add("(");
  for (int32_t axis = 0; axis < tensor.rank; ++axis) {
    int64_t dim = tensor.dims[axis];
    text.add("%s", axis ? ", " : "");
    int64_t slot = -1 - dim;
    const char *symbol =
        dim < 0 && slot < descriptor.num_symbols ? descriptor.symbols[slot].name : nullptr;
    if (dim >= 0)
      text.add("%" PRId64, dim);
    else
      text.add("%s", symbol && symbol[0] ? symbol : "None");
  }
  text.add(tensor.rank == 1 ? ",)" : ")");
  return text;
}

} // namespace keratin::runtime
