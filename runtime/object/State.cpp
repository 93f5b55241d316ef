#include "runtime/object/State.h"
#include "runtime/core/DType.h"
#include "runtime/core/Executable.h"
#include "runtime/object/CpuFeatures.h"

#include <inttypes.h>
#include <string.h>

using namespace keratin::runtime;

keratin_state_t::~keratin_state_t() {
  for (int32_t i = 0; executables && i < object->num_functions; ++i)
    keratin_executable_destroy(executables[i]);
  if (ranks)
    ranks->destroy(group);
  for (int32_t i = 0; variables && i < object->num_variables + numRankNumbers(*object); ++i)
    keratin_variable_release(variables[i]);
  keratin_session_destroy(session);
  deallocate(memory, memoryBytes, alignof(void *));
}

// Whose address tells one runtime of a process from another.
static constinit char anchor = 0;
// What stands for a state of another model: it begins as one that no runtime made.
static constexpr const void *refused = nullptr;

Code keratin::runtime::checkState(const keratin_state_t *state, const char *function,
                                  keratin_status_t *status) {
  if (Code code = checkPointers(status, function, {{state, "state"}}))
    return code;
  if (state->runtime != &anchor)
    return fail(status, KERATIN_INVALID_ARGUMENT, "%s: the state belongs to another model",
                function);
  return KERATIN_OK;
}

Code keratin::runtime::checkNumber(const keratin_state_t &state, const char *kind, int32_t count,
                                   int32_t number, keratin_status_t *status) {
  if (number >= 0 && number < count)
    return KERATIN_OK;
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "model '%s' has %" PRId32 " %ss; there is no %s %" PRId32, state.object->name, count,
              kind, kind, number);
}

namespace {

// Bounds far above any real model; they keep sums of counts from overflowing.
constexpr int32_t maxCount = 1 << 20;

Code damaged(const keratin_object_desc_t &object, keratin_status_t *status, const char *why) {
  return fail(status, KERATIN_INVALID_ARGUMENT, "the descriptor of model '%s' is damaged: %s",
              object.name ? object.name : "", why);
}

bool isNameless(const char *axis) { return axis && axis[0] == '\0'; }

Code validatePart(const keratin_object_desc_t &object, const keratin_object_part_t &part,
                  const keratin_tensor_desc_t &tensor, int64_t bytes, keratin_status_t *status) {
  const bool isAlong = part.kind == KERATIN_PART_ALONG;
  if (!isAlong && part.kind != KERATIN_PART_ELEMENTS)
    return damaged(object, status, "a variable is in parts of no known kind");
  if (bytes == 0 || tensor.rank == 0 || part.dimension < 0 ||
      part.dimension >= (isAlong ? tensor.rank : 1))
    return damaged(object, status, "a variable is in parts along no dimension");
  if (part.ranks < 0 || (part.ranks && (!isAlong || tensor.dims[part.dimension] % part.ranks)))
    return damaged(object, status, "a variable is in parts of no sensible number of ranks");
  if (isNameless(part.axis))
    return damaged(object, status, "an axis of a mesh has no name");
  if (part.reserved[0])
    return damaged(object, status, "a reserved field is not zero");
  return KERATIN_OK;
}

Code validateVariable(const keratin_object_desc_t &object,
                      const keratin_object_variable_t &variable, keratin_status_t *status) {
  const keratin_tensor_desc_t &tensor = variable.tensor;
  if (!tensor.name || !tensor.location)
    return damaged(object, status, "a variable has no name");
  if (!isDType(tensor.dtype))
    return damaged(object, status, "a variable has no dtype");
  if (tensor.rank < 0 || tensor.rank > KERATIN_MAX_RANK || (tensor.rank && !tensor.dims))
    return damaged(object, status, "a variable has no sensible rank");
  int64_t bytes;
  if (!tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes))
    return damaged(object, status, "a variable has no sensible shape");
  if (tensor.capacity || tensor.part || variable.reserved[0])
    return damaged(object, status, "a reserved field is not zero");
  return variable.part ? validatePart(object, *variable.part, tensor, bytes, status) : KERATIN_OK;
}

Code validateRankNumbers(const keratin_object_desc_t &object, keratin_status_t *status) {
  const keratin_rank_numbers_t &numbers = *object.rank_numbers;
  if (numbers.num_numbers < 0 || numbers.num_numbers > maxCount)
    return damaged(object, status, "not a sensible count");
  if (numbers.num_numbers && !numbers.numbers)
    return damaged(object, status, "an array is missing");
  if (numbers.reserved[0] || numbers.reserved[1])
    return damaged(object, status, "a reserved field is not zero");
  for (int64_t i = 0; i < numbers.num_numbers; ++i) {
    const keratin_rank_number_t &number = numbers.numbers[i];
    if (number.kind < KERATIN_RANK_PLACE || number.kind > KERATIN_RANK_SIZE || number.size < 0)
      return damaged(object, status, "a number of the ranks is of no known kind");
    if (isNameless(number.axis))
      return damaged(object, status, "an axis of a mesh has no name");
    if (number.reserved[0])
      return damaged(object, status, "a reserved field is not zero");
  }
  return KERATIN_OK;
}

Code validate(const keratin_object_desc_t *object, keratin_status_t *status) {
  if (!object || object->magic != KERATIN_OBJECT_MAGIC)
    return fail(status, KERATIN_INVALID_ARGUMENT, "this is not the descriptor of a model");
  if (object->abi_version != KERATIN_OBJECT_ABI_VERSION)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "the model was compiled for object ABI version %" PRIu32
                "; this runtime has version %d",
                object->abi_version, KERATIN_OBJECT_ABI_VERSION);
  for (int32_t count : {object->num_functions, object->num_variables, object->num_variants})
    if (count < 0 || count > maxCount)
      return damaged(*object, status, "not a sensible count");
  if (object->num_variants < 1 || !object->variants ||
      (object->num_variables && !object->variables))
    return damaged(*object, status, "an array is missing");
  if (!object->name || !object->producer)
    return damaged(*object, status, "it has no name");
  if (object->threads < 0)
    return damaged(*object, status, "not a sensible number of threads");
  for (int32_t i = 0; i < object->num_variants; ++i) {
    const keratin_object_variant_t &variant = object->variants[i];
    if (!variant.cpu)
      return damaged(*object, status, "a processor has no name");
    if (variant.reserved[0] || variant.reserved[1])
      return damaged(*object, status, "a reserved field is not zero");
  }
  for (int32_t i = 0; i < object->num_variables; ++i)
    if (Code code = validateVariable(*object, object->variables[i], status))
      return code;
  for (void *reserved : object->reserved)
    if (reserved)
      return damaged(*object, status, "a reserved field is not zero");
  return object->rank_numbers ? validateRankNumbers(*object, status) : KERATIN_OK;
}

// Null where the processor can run none; `missing` then is a feature that the last one needs.
const keratin_object_variant_t *chooseVariant(const keratin_object_desc_t &object, int &missing) {
  CpuFeatureSet host = hostCpuFeatures();
  for (int32_t i = 0; i < object.num_variants; ++i) {
    const keratin_object_variant_t &variant = object.variants[i];
    missing = -1;
    for (int feature = 0; feature < 128 && missing < 0; ++feature)
      if ((variant.features[feature / 64] >> (feature % 64) & 1) && !host.has(feature))
        missing = feature;
    if (missing < 0)
      return &variant;
  }
  return nullptr;
}

class StateBuilder {
public:
  StateBuilder(const keratin_object_desc_t &object, keratin_status_t *status)
      : object(object), status(status) {}

  // `from` gives the values; null: those of the object.
  // On the device of this name, or null: that of the object.
  Code build(const char *asked, const keratin_state_t *from, keratin_state_t **result) {
    if (Code code =
            findDeviceFor("model", object.name, object.device ? object.device : cpuDevice.name,
                          asked, device, status))
      return code;
    state = makeObject<keratin_state_t>();
    if (!state)
      return noMemory();
    state->runtime = &anchor;
    state->object = &object;
    Code code = fill(from);
    if (code == KERATIN_OK)
      *result = state;
    else
      destroyObject(state);
    return code == KERATIN_OK ? succeed(status) : code;
  }

private:
  Code noMemory() {
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for a state of model '%s'",
                object.name);
  }

  Code fill(const keratin_state_t *from) {
    int missing = -1;
    state->variant = chooseVariant(object, missing);
    if (!state->variant) {
      const char *name = cpuFeatureName(missing);
      return fail(status, KERATIN_FAILED_PRECONDITION,
                  "model '%s' was compiled for '%s'; this processor lacks %s", object.name,
                  object.variants[object.num_variants - 1].cpu, name ? name : "what it needs");
    }
    if (Code code = checkFunctions())
      return code;
    if (!makeArrays())
      return noMemory();
    if (Code code = keratin_session_create_on(device, &state->session, status))
      return code;
    for (int32_t i = 0; i < numTensors(); ++i)
      if (Code code = makeVariable(i, from))
        return code;
    for (int32_t i = 0; i < object.num_functions; ++i)
      if (Code code = keratin_executable_create_on(state->variant->functions[i].descriptor, device,
                                                   &state->executables[i], status))
        return code;
    return reserveSpares(*state) ? KERATIN_OK : noMemory();
  }

  // Variables, and rank numbers behind them.
  int32_t numTensors() const { return object.num_variables + numRankNumbers(object); }

  Code checkFunctions() {
    if (object.num_functions && !state->variant->functions)
      return damaged(object, status, "the functions are missing");
    for (int32_t i = 0; i < object.num_functions; ++i) {
      const keratin_object_function_t &function = state->variant->functions[i];
      if (!function.descriptor || function.descriptor->num_variables < 0 ||
          function.descriptor->num_variables > maxCount ||
          (function.descriptor->num_variables && !function.variables))
        return damaged(object, status, "a function is missing");
      if (function.reserved[0])
        return damaged(object, status, "a reserved field is not zero");
      if (function.part_axes)
        if (Code code = checkPartAxes(*function.descriptor, *function.part_axes))
          return code;
      if (!object.device != !function.descriptor->device_code)
        return damaged(object, status, "a function is for another device than the model");
      for (int32_t k = 0; k < function.descriptor->num_variables; ++k) {
        const int32_t number = function.variables[k];
        if (number < 0 || number >= numTensors())
          return damaged(object, status, "a function uses a variable that there is not");
        if (!function.descriptor->variables || !isSame(function.descriptor->variables[k], number))
          return damaged(object, status, "a function uses a variable of another dtype or shape");
        if (number >= object.num_variables && updates(*function.descriptor, k))
          return damaged(object, status, "a function updates a number of the ranks");
      }
    }
    return KERATIN_OK;
  }

  Code checkPartAxes(const keratin_function_desc_t &function, const keratin_part_axes_t &axes) {
    auto areNamed = [](int32_t count, const keratin_tensor_desc_t *tensors,
                       const char *const *names) {
      if (count > 0 && (!tensors || !names))
        return false;
      for (int32_t i = 0; i < count; ++i)
        if (names[i] && (isNameless(names[i]) || !tensors[i].part))
          return false;
      return true;
    };
    auto areFurther = [&] {
      if (axes.num_further < 0 || axes.num_further > maxCount ||
          (axes.num_further && !axes.further))
        return false;
      for (int64_t i = 0; i < axes.num_further; ++i) {
        const keratin_further_part_t &part = axes.further[i];
        if (part.output < 0 || part.output >= function.num_outputs || isNameless(part.axis) ||
            !function.outputs[part.output].part || part.dimension < 0 ||
            part.dimension >= function.outputs[part.output].rank)
          return false;
      }
      return true;
    };
    return function.num_inputs <= maxCount && function.num_outputs <= maxCount &&
                   areNamed(function.num_inputs, function.inputs, axes.inputs) &&
                   areNamed(function.num_outputs, function.outputs, axes.outputs) && areFurther()
               ? KERATIN_OK
               : damaged(object, status, "a function lacks the axes that its parts are along");
  }

  static bool updates(const keratin_function_desc_t &function, int32_t variable) {
    if (!function.updates || function.num_updates > maxCount)
      return false; // the executable finds what is wrong there
    for (int32_t i = 0; i < function.num_updates; ++i)
      if (function.updates[i].variable == variable)
        return true;
    return false;
  }

  // Sizes of parts are another number on each rank: those of calls.
  bool isSame(const keratin_tensor_desc_t &used, int32_t number) const {
    if (used.rank && !used.dims)
      return false;
    if (number >= object.num_variables)
      return used.dtype == KERATIN_DTYPE_INT64 && used.rank == 0;
    const keratin_object_variable_t &variable = object.variables[number];
    const keratin_object_part_t *part = variable.part;
    if (part && part->kind == KERATIN_PART_ELEMENTS)
      return used.dtype == variable.tensor.dtype && used.rank == 1 && used.dims[0] < 0;
    if (used.dtype != variable.tensor.dtype || used.rank != variable.tensor.rank)
      return false;
    for (int32_t axis = 0; axis < used.rank; ++axis) {
      const int64_t size = variable.tensor.dims[axis];
      const bool isApart = part && axis == part->dimension;
      if (isApart && !part->ranks ? used.dims[axis] >= 0
                                  : used.dims[axis] != (isApart ? size / part->ranks : size))
        return false;
    }
    return true;
  }

  bool makeArrays() {
    int64_t length = int64_t(numTensors()) + 2 * int64_t(object.num_functions);
    for (int32_t i = 0; i < object.num_functions; ++i)
      length += state->variant->functions[i].descriptor->num_variables;
    state->memoryBytes = size_t(length) * sizeof(void *);
    state->memory = allocate(state->memoryBytes, alignof(void *));
    if (!state->memory)
      return false;
    memset(state->memory, 0, state->memoryBytes);
    auto **next = static_cast<void **>(state->memory);
    auto carve = [&next](int64_t count) {
      void **array = next;
      next += count;
      return array;
    };
    state->variables = reinterpret_cast<keratin_variable_t **>(carve(numTensors()));
    state->executables = reinterpret_cast<keratin_executable_t **>(carve(object.num_functions));
    state->functionVariables =
        reinterpret_cast<keratin_variable_t ***>(carve(object.num_functions));
    for (int32_t i = 0; i < object.num_functions; ++i)
      state->functionVariables[i] = reinterpret_cast<keratin_variable_t **>(
          carve(state->variant->functions[i].descriptor->num_variables));
    return true;
  }

  // Of a rank alone, which has the whole.
  Code createVariable(int32_t number, const keratin_state_t *from) {
    keratin_variable_t **made = &state->variables[number];
    if (number >= object.num_variables) {
      const int64_t value =
          rankNumber(object.rank_numbers->numbers[number - object.num_variables], 0, 1);
      return keratin_variable_create(state->session, KERATIN_DTYPE_INT64, 0, nullptr, &value, made,
                                     status);
    }
    const keratin_object_variable_t &variable = object.variables[number];
    const VariablePart part = partOf(*state, number);
    state->awaitsRanks |= variable.part && variable.part->ranks > 0;
    return keratin_variable_create(state->session, variable.tensor.dtype, part.rank(), part.dims(),
                                   from ? nullptr : variable.initial, made, status);
  }

  Code makeVariable(int32_t number, const keratin_state_t *from) {
    if (Code code = createVariable(number, from))
      return code;
    for (int32_t i = 0; i < object.num_functions; ++i)
      for (int32_t k = 0; k < state->variant->functions[i].descriptor->num_variables; ++k)
        if (state->variant->functions[i].variables[k] == number)
          state->functionVariables[i][k] = state->variables[number];
    return KERATIN_OK;
  }

  const keratin_object_desc_t &object;
  keratin_status_t *status;
  const keratin_device_t *device = nullptr;
  keratin_state_t *state = nullptr;
};

Code checkFunction(const keratin_state_t &state, int32_t function, keratin_status_t *status) {
  if (state.awaitsRanks)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "model '%s' was compiled for the ranks of a mesh; its state has joined none",
                state.object->name);
  return checkNumber(state, "function", state.object->num_functions, function, status);
}

int32_t numVariables(const keratin_state_t &state, int32_t function) {
  return state.variant->functions[function].descriptor->num_variables;
}

} // namespace

bool keratin::runtime::reserveSpares(keratin_state_t &state) {
  for (int32_t i = 0; i < state.object->num_functions; ++i) {
    const keratin_function_desc_t &descriptor = *state.variant->functions[i].descriptor;
    for (int32_t k = 0; k < descriptor.num_updates; ++k) {
      keratin_variable_t &variable = *state.functionVariables[i][descriptor.updates[k].variable];
      if (!descriptor.updates[k].in_place && !variable.spare.reserve(variable.bytes))
        return false;
    }
  }
  return true;
}

extern "C" keratin_status_code_t keratin_state_create(const keratin_object_desc_t *object,
                                                      keratin_state_t **state,
                                                      keratin_status_t *status) {
  return keratin_state_create_on(object, nullptr, state, status);
}

extern "C" keratin_status_code_t keratin_state_create_on(const keratin_object_desc_t *object,
                                                         const char *device,
                                                         keratin_state_t **state,
                                                         keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_state_create", {{state, "state"}}))
    return code;
  if (Code code = validate(object, status))
    return code;
  if (object->threads > 0) {
    // Once for the model, not to undo what the program sets later.
    static constinit std::atomic<bool> isSet{false};
    if (!isSet.exchange(true))
      keratin_set_num_threads(object->threads);
  }
  return StateBuilder(*object, status).build(device, nullptr, state);
}

// Of a variable of which ranks have parts: what they are together.
static Code copyShared(const keratin_state_t &from, int32_t number, keratin_variable_t &to,
                       keratin_status_t *status) {
  Block whole;
  if (Code code = readWhole(from, number, whole, status))
    return code;
  const keratin_device_t &device = *to.session->device;
  return device.copy_in(device.user, nullptr, 0, to.value.data(), whole.data(), to.bytes, status);
}

// Together: no update of the other state falls between two of its variables.
static Code copyValues(const keratin_state_t &from, keratin_state_t &to, keratin_status_t *status) {
  SessionGuard guard(&from.session->lock, /*exclusive=*/false);
  const keratin_device_t &device = *from.session->device;
  for (int32_t i = 0; i < from.object->num_variables; ++i)
    if (isShared(from, i)) {
      if (Code code = copyShared(from, i, *to.variables[i], status))
        return code;
    } else if (size_t bytes = from.variables[i]->bytes) {
      if (Code code = device.copy_within(device.user, nullptr, 0, to.variables[i]->value.data(),
                                         from.variables[i]->value.data(), bytes, status))
        return code;
    }
  return KERATIN_OK;
}

extern "C" keratin_status_code_t
keratin_state_copy(const keratin_state_t *from, keratin_state_t **copy, keratin_status_t *status) {
  if (Code code = checkState(from, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__, {{copy, "copy"}}))
    return code;
  const keratin_device_t &device = *from->session->device;
  keratin_state_t *made = nullptr;
  if (Code code = StateBuilder(*from->object, status).build(device.name, from, &made))
    return tellRanks(*from, code, status);
  if (Code code = copyValues(*from, *made, status)) {
    destroyObject(made);
    return code;
  }
  *copy = made;
  return succeed(status);
}

extern "C" void keratin_state_destroy(keratin_state_t *state) {
  if (state && state->runtime == &anchor)
    destroyObject(state);
}

extern "C" const char *keratin_state_cpu(const keratin_state_t *state) {
  return checkState(state, "", nullptr) == KERATIN_OK ? state->variant->cpu : "";
}

extern "C" keratin_state_t *keratin_state_of(const keratin_object_desc_t *object,
                                             const keratin_state_t *state) {
  // Of a state that another runtime made, nothing but that is known.
  bool isAnothers = state && state->runtime == &anchor && state->object != object;
  const void *result = isAnothers ? &refused : static_cast<const void *>(state);
  return static_cast<keratin_state_t *>(const_cast<void *>(result));
}

extern "C" keratin_status_code_t keratin_state_output_dims(keratin_state_t *state, int32_t function,
                                                           const keratin_tensor_t *inputs,
                                                           int32_t num_inputs, int32_t output,
                                                           int64_t *dims,
                                                           keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkFunction(*state, function, status))
    return code;
  return keratin_executable_output_dims(
      state->executables[function], state->functionVariables[function],
      numVariables(*state, function), inputs, num_inputs, output, dims, status);
}

extern "C" keratin_status_code_t keratin_state_workspace_bytes(keratin_state_t *state,
                                                               int32_t function,
                                                               const keratin_tensor_t *inputs,
                                                               int32_t num_inputs, int64_t *bytes,
                                                               keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkFunction(*state, function, status))
    return code;
  return keratin_executable_workspace_bytes(
      state->executables[function], state->functionVariables[function],
      numVariables(*state, function), inputs, num_inputs, bytes, status);
}

extern "C" keratin_status_code_t
keratin_state_invoke(keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs,
                     int32_t num_inputs, const keratin_tensor_t *outputs, int32_t num_outputs,
                     void *workspace, size_t workspace_bytes, keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkFunction(*state, function, status))
    return code;
  keratin_executable_t *executable = state->executables[function];
  keratin_variable_t **variables = state->functionVariables[function];
  int32_t count = numVariables(*state, function);
  if (workspace)
    return keratin_invoke_in(executable, variables, count, inputs, num_inputs, outputs, num_outputs,
                             workspace, workspace_bytes, status);
  return keratin_invoke(executable, variables, count, inputs, num_inputs, outputs, num_outputs,
                        status);
}

extern "C" keratin_status_code_t
keratin_state_invoke_with(keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs,
                          int32_t num_inputs, const keratin_tensor_t *outputs, int32_t num_outputs,
                          const keratin_call_options_t *options, keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkFunction(*state, function, status))
    return code;
  return keratin_invoke_with(state->executables[function], state->functionVariables[function],
                             numVariables(*state, function), inputs, num_inputs, outputs,
                             num_outputs, options, status);
}

extern "C" keratin_status_code_t keratin_state_invoke_on_stream(
    keratin_state_t *state, int32_t function, const keratin_tensor_t *inputs, int32_t num_inputs,
    const keratin_tensor_t *outputs, int32_t num_outputs, void *stream, keratin_status_t *status) {
  keratin_call_options_t options = {
      .bytes = sizeof(options), .has_stream = 1, .stream = stream, .reserved = {}};
  return keratin_state_invoke_with(state, function, inputs, num_inputs, outputs, num_outputs,
                                   &options, status);
}

extern "C" const keratin_device_t *keratin_state_device(const keratin_state_t *state) {
  return checkState(state, "", nullptr) == KERATIN_OK ? state->session->device : nullptr;
}
