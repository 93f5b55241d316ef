// What the sources of symbols (keratin_symbol_source_t) have in common.
#ifndef KERATIN_RUNTIME_CORE_SYMBOLSOURCE_H
#define KERATIN_RUNTIME_CORE_SYMBOLSOURCE_H

#include "runtime/abi/keratin_abi.h"

namespace keratin::runtime {

inline bool isPositivePart(int32_t source) {
  return source == KERATIN_SYMBOL_INPUT_POSITIVE_PART ||
         source == KERATIN_SYMBOL_VARIABLE_POSITIVE_PART;
}

inline bool isNegativePart(int32_t source) {
  return source == KERATIN_SYMBOL_INPUT_NEGATIVE_PART ||
         source == KERATIN_SYMBOL_VARIABLE_NEGATIVE_PART;
}

inline bool isValueOfInput(int32_t source) {
  return source == KERATIN_SYMBOL_INPUT_VALUE || source == KERATIN_SYMBOL_INPUT_POSITIVE_PART ||
         source == KERATIN_SYMBOL_INPUT_NEGATIVE_PART;
}

inline bool isValueOfVariable(int32_t source) {
  return source == KERATIN_SYMBOL_VARIABLE_VALUE ||
         source == KERATIN_SYMBOL_VARIABLE_POSITIVE_PART ||
         source == KERATIN_SYMBOL_VARIABLE_NEGATIVE_PART;
}

// Whether it is read out of an element, at the call.
inline bool isValue(int32_t source) { return isValueOfInput(source) || isValueOfVariable(source); }

// Whether it is a number that the ranks that call have: their places, or how many they are.
inline bool isRankNumber(int32_t source) {
  return source == KERATIN_SYMBOL_RANK || source == KERATIN_SYMBOL_RANKS;
}

// Whether it is looked at in each call, whatever the dims of inputs are.
inline bool isRead(int32_t source) { return isValue(source) || isRankNumber(source); }

// Whether the function needs to know the ranks that call it.
inline bool isOfRanks(const keratin_function_desc_t &function) {
  for (int64_t i = 0; i < function.num_symbols; ++i)
    if (isRankNumber(function.symbols[i].source))
      return true;
  return function.num_collectives > 0;
}

// What the symbol is if this is the element; a negative part is one of more than -2^63.
inline int64_t symbolOfElement(int32_t source, int64_t element) {
  int64_t part = isNegativePart(source) ? -element : element;
  return part < 0 && (isPositivePart(source) || isNegativePart(source)) ? 0 : part;
}

// Behind the name of the input or variable, for people: "n_value". Precondition: isValue(source).
inline const char *valueSuffix(int32_t source) {
  return isPositivePart(source)   ? "_positive_part"
         : isNegativePart(source) ? "_negative_part"
                                  : "_value";
}

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_SYMBOLSOURCE_H
