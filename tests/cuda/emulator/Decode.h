// From statements to instructions: one Code for each kernel, with the functions that it calls.
#pragma once

#include "tests/cuda/emulator/Code.h"
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/ptx/Lexer.h"

#include <map>
#include <set>
#include <unordered_map>

namespace keratin::ptx {

class Decoder {
public:
  Decoder(const Program &program, const Function &entry, Code &code);
  // Throws ParseError.
  void run();
  // Where the parameters lie in their block.
  struct Place {
    const Variable *variable;
    uint32_t offset;
  };
  const std::vector<Place> &parameters() const { return parameterPlaces; }
  uint32_t parameterBytes() const { return parameterSize; }

private:
  using Method = void (Decoder::*)();
  static const std::unordered_map<std::string_view, Method> &methods();

  // Layout (Decode.cpp).
  void link(const Function &function);
  void layOut(const Function &function);
  void layOutParameters();
  void layOutShared();
  void decodeFunction(const Function &function);
  void decodeStatement(const Statement &statement);
  void finishFunction(uint32_t first);
  uint32_t reserve(uint32_t bytes);
  static uint32_t reserveIn(uint32_t &size, uint64_t bytes, uint32_t alignment);

  // Words of the mnemonic after the first (DecodeOperands.cpp).
  bool take(std::string_view word);
  std::string_view takeOneOf(std::initializer_list<std::string_view> words);
  Type takeType(const char *what = "a type");
  bool takeCacheHint();
  Rounding takeRounding(bool &found, bool &integral);
  void finishWords();
  [[noreturn]] void fail(const std::string &what) const;
  void needOperands(size_t least, size_t most);
  const Operand &operand(size_t index) const;

  // Operands.
  uint32_t constant(uint64_t bits, uint32_t bytes);
  uint32_t special(std::string_view name, Type type);
  uint32_t variableAddress(const Variable &variable, int64_t offset, uint32_t bytes);
  uint32_t registerAt(const Operand &operand, bool written);
  uint32_t registerBytes(const Operand &operand) const;
  uint64_t immediate(const Operand &operand, Type type) const;
  uint32_t source(const Operand &operand, Type type);
  uint32_t destination(const Operand &operand, Type type);
  uint32_t predicate(const Operand &operand, bool &negated);
  uint32_t predicateTo(const Operand &operand);
  MemoryAccess address(const Operand &operand, Space space);
  void checkSize(const Operand &operand, uint32_t bytes) const;

  // Instructions (DecodeArithmetic.cpp).
  void arithmetic();
  void floatArithmetic(std::string name, Type type, bool chosen);
  void integerArithmetic(std::string name, Type type);
  void useLanes(const std::string &name);
  void setOperands(Type d, std::initializer_list<Type> sources);
  void carryArithmetic();
  void shift();
  void funnelShift();
  void field();
  void permuteBytes();
  void lookUp();
  void dotProduct();
  void select();
  void selectBySign();
  void comparison();
  void comparisonToValue();
  std::string comparisonName(std::string_view relation, bool flush, Type type) const;
  void property();
  void copySign();
  void moveValue();
  void moveVector(Type type);
  void convertAddress();
  void testSpaceOf();
  void conversion();
  bool quickConversion(bool rounded, Rounding rounding, bool plain, Type to, Type from);
  void predicateOp(Logic logic);

  // (DecodeMemory.cpp)
  void load();
  void store();
  MemoryAccess takeElements(bool isStore);
  void accessElements(MemoryAccess &access, const Operand &values, Type type, bool written);
  void takeAccessWords(MemoryAccess &access, Space &space);
  void atomicUpdate();
  void asyncCopy();
  void matrixLoad();
  void matrixProduct();
  void prefetch();
  void noteSmallest(const MemoryAccess &access);
  bool operandsWithHint(size_t expected) const;

  // (DecodeWarpgroups.cpp)
  void warpgroup();
  void warpgroupProduct();
  uint32_t takeColumns(uint32_t &depths);
  int64_t oneOf(const Operand &operand, std::initializer_list<int64_t> values) const;
  void noteProductRegisters(uint32_t first);

  // (DecodeControl.cpp)
  void branch();
  void indexedBranch();
  void endThreads();
  void call();
  void barrier();
  void fence();
  void exchange();
  void voting();
  void matching();
  void reduction();
  void active();
  void elect();
  void nothing();

  const Program &program;
  const Function &entry;
  Code &code;
  std::vector<const Function *> functions;
  std::map<const Function *, uint32_t> entryOf;
  std::map<const Function *, std::vector<uint32_t>> registersOf;
  std::map<const Variable *, uint32_t> placeOf; // in shared, local or parameter space
  std::vector<Place> parameterPlaces;
  uint32_t parameterSize = 0;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants;
  std::map<std::pair<const Variable *, int64_t>, uint32_t> variableSlots;
  std::map<Special, uint32_t> specials;
  std::vector<std::pair<uint32_t, const Function *>> callsToPatch;

  // What is being decoded.
  const Function *function = nullptr;
  const Statement *statement = nullptr;
  Instruction now;
  std::vector<std::string_view> words;
  std::vector<uint32_t> reads, writes; // offsets of registers
  bool moves = false;
  uint8_t ignored = 0; // Code::Trace
  // By instruction of the function: for the analysis of unwritten registers.
  std::vector<std::vector<uint32_t>> readsOf, writesOf;
  std::vector<bool> movesOf;
  std::vector<uint8_t> ignoredOf;
};

} // namespace keratin::ptx
