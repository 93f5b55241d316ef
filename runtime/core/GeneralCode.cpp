#include "runtime/core/GeneralCode.h"

#include "runtime/core/Descriptor.h"
#include "runtime/core/SymbolSource.h"

namespace keratin::runtime {

// The value of a slot if it is a dim of an input, or a number.
static bool knownSize(const keratin_function_desc_t &descriptor, const CallArguments &arguments,
                      int64_t slot, int64_t &size) {
  if (slot >= descriptor.num_symbols) {
    const keratin_size_program_t &program = descriptor.programs[slot - descriptor.num_symbols];
    if (program.length != 2 || program.code[0] != KERATIN_SIZE_CONST)
      return false;
    size = program.code[1];
    return true;
  }
  const keratin_symbol_desc_t &symbol = descriptor.symbols[slot];
  if (symbol.source != KERATIN_SYMBOL_INPUT_DIM || symbol.input >= arguments.numInputs ||
      !arguments.inputs)
    return false;
  const keratin_tensor_t &input = arguments.inputs[symbol.input];
  if (symbol.index >= input.rank || !input.dims)
    return false;
  size = input.dims[symbol.index];
  return true;
}

bool mayServe(const keratin_function_desc_t &descriptor, const CallArguments &arguments) {
  for (int64_t i = 0; i < descriptor.num_checks && isAssumed(descriptor.checks[i]); ++i) {
    int64_t lhs, rhs;
    if (knownSize(descriptor, arguments, descriptor.checks[i].lhs, lhs) &&
        knownSize(descriptor, arguments, descriptor.checks[i].rhs, rhs) && lhs != rhs)
      return false;
  }
  return true;
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" keratin_status_code_t keratin_executable_set_general(keratin_executable_t *executable,
                                                                keratin_executable_t *general,
                                                                keratin_status_t *status) {
  if (Code code =
          checkPointers(status, __func__, {{executable, "executable"}, {general, "general"}}))
    return code;
  keratin_function_desc_t both = executable->descriptor;
  both.general = &general->descriptor;
  if (Code code = validateDescriptor(both, status))
    return code;
  if (isOfRanks(general->descriptor))
    general->ranks = executable->ranks;
  keratin_executable_t *none = nullptr;
  if (executable->layout.device != general->layout.device ||
      !executable->general.compare_exchange_strong(none, general, std::memory_order_release))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "function '%s' has general code already, or runs on another device than that",
                functionName(executable->descriptor));
  return succeed(status);
}
