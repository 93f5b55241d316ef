#include "tests/cuda/emulator/Decode.h"

#include "tests/cuda/emulator/Flow.h"

#include <algorithm>

namespace keratin::ptx {

Decoder::Decoder(const Program &program, const Function &entry, Code &code)
    : program(program), entry(entry), code(code) {}

uint32_t Decoder::reserveIn(uint32_t &size, uint64_t bytes, uint32_t alignment) {
  uint64_t place = (uint64_t(size) + alignment - 1) / alignment * alignment;
  size = uint32_t(place + bytes);
  return uint32_t(place);
}

uint32_t Decoder::reserve(uint32_t bytes) {
  return reserveIn(code.registerBytes, bytes, std::min(bytes, 64u));
}

void Decoder::run() {
  link(entry);
  layOutParameters();
  for (const Function *each : functions)
    layOut(*each);
  layOutShared();
  for (const Function *each : functions)
    decodeFunction(*each);
  for (auto [index, callee] : callsToPatch)
    code.instructions[index].target = entryOf.at(callee);
  code.registerBytes = (code.registerBytes + 63) / 64 * 64;
}

// The functions that can be reached, callers first.
void Decoder::link(const Function &next) {
  static constexpr size_t deepest = 64;
  if (!next.hasBody)
    throw ParseError(next.line,
                     "the function " + next.name + " is called and has no body in this module");
  if (std::find(functions.begin(), functions.end(), &next) != functions.end())
    return;
  functions.push_back(&next);
  if (functions.size() > deepest * deepest)
    throw ParseError(next.line, "too many functions");
  for (const Statement &each : next.statements) {
    if (each.words[0] != "call")
      continue;
    const Operand &name = each.operands[0];
    const Function *callee =
        name.kind == Operand::FunctionName ? program.function(name.name) : nullptr;
    if (!callee)
      throw ParseError(
          each.line, "found a call of '" + std::string(name.name) +
                         "', expected the name of a function: indirect calls and functions of the "
                         "system are not emulated");
    link(*callee);
  }
}

void Decoder::layOutParameters() {
  for (const auto &parameter : entry.parameters) {
    uint32_t place = reserveIn(parameterSize, parameter->bytes, parameter->alignment);
    placeOf[parameter.get()] = place;
    parameterPlaces.push_back({parameter.get(), place});
  }
}

// Registers, and what is a thread's own: local variables and the parameters of functions. Each
// function has its own places for good, as there is no recursion.
void Decoder::layOut(const Function &each) {
  std::vector<uint32_t> &offsets = registersOf[&each];
  for (const Register &reg : each.registers)
    offsets.push_back(reserve(reg.type == Type::Pred ? 4 : std::max(2u, bytesOf(reg.type)) * 32));
  auto layOutLocal = [&](const Variable &variable) {
    placeOf[&variable] =
        reserveIn(code.localBytes, variable.bytes, std::max(variable.alignment, 1u));
  };
  if (&each != &entry)
    for (const auto *list : {&each.parameters, &each.results})
      for (const auto &variable : *list)
        layOutLocal(*variable);
  for (const auto &variable : each.variables)
    if (variable->space == Space::Local || variable->space == Space::Parameter)
      layOutLocal(*variable);
}

namespace {
void collectShared(const Operand &operand, std::vector<const Variable *> &into) {
  const Variable *variable = operand.variable;
  if (variable && variable->space == Space::Shared &&
      std::find(into.begin(), into.end(), variable) == into.end())
    into.push_back(variable);
  for (const Operand &element : operand.elements)
    collectShared(element, into);
}
} // namespace

// The static shared variables that the kernel names, then the dynamic ones, which share one place.
void Decoder::layOutShared() {
  std::vector<const Variable *> named;
  for (const Function *each : functions)
    for (const Statement &line : each->statements)
      for (const Operand &operand : line.operands)
        collectShared(operand, named);
  for (const Variable *variable : named)
    if (!variable->unsized)
      placeOf[variable] = reserveIn(code.sharedBytes, variable->bytes, variable->alignment);
  for (const Variable *variable : named)
    if (variable->unsized)
      code.dynamicAlignment = std::max(code.dynamicAlignment, variable->alignment);
  code.sharedBytes = (code.sharedBytes + code.dynamicAlignment - 1) / code.dynamicAlignment *
                     code.dynamicAlignment;
  for (const Variable *variable : named)
    if (variable->unsized)
      placeOf[variable] = code.sharedBytes;
}

void Decoder::decodeFunction(const Function &each) {
  function = &each;
  uint32_t first = uint32_t(code.instructions.size());
  entryOf[&each] = first;
  readsOf.clear();
  writesOf.clear();
  movesOf.clear();
  ignoredOf.clear();
  for (const Statement &line : each.statements)
    decodeStatement(line);
  // Falling out of a function returns from it.
  Statement end;
  end.line = each.statements.empty() ? each.line : each.statements.back().line;
  end.words = {"ret"};
  end.text = "the end of the function";
  decodeStatement(end);
  finishFunction(first);
}

void Decoder::decodeStatement(const Statement &line) {
  statement = &line;
  now = Instruction();
  now.line = line.line;
  words.assign(line.words.begin() + 1, line.words.end());
  reads.clear();
  writes.clear();
  moves = false;
  ignored = 0;
  if (line.guarded) {
    now.guard = registersOf[function][line.guard];
    now.guardFlip = line.guardNegated ? ~0u : 0;
    reads.push_back(now.guard);
  }
  auto method = methods().find(line.words[0]);
  if (method == methods().end())
    fail("the instruction '" + std::string(line.words[0]) + "' is not known");
  (this->*method->second)();
  finishWords();
  code.instructions.push_back(now);
  code.texts.push_back(line.text);
  readsOf.push_back(reads);
  writesOf.push_back(writes);
  movesOf.push_back(moves);
  ignoredOf.push_back(ignored);
}

void Decoder::finishFunction(uint32_t first) {
  uint32_t count = uint32_t(code.instructions.size()) - first;
  FlowGraph graph(code, first, count);
  graph.setReconvergence();
  std::map<uint32_t, std::string> names;
  const std::vector<uint32_t> &offsets = registersOf[function];
  for (size_t i = 0; i < offsets.size(); ++i)
    names[offsets[i]] = function->registers[i].name;
  graph.traceUnwritten({readsOf, writesOf, movesOf, ignoredOf, names});
  noteProductRegisters(first);
}

const std::unordered_map<std::string_view, Decoder::Method> &Decoder::methods() {
  using D = Decoder;
  static const std::unordered_map<std::string_view, Method> table = [] {
    std::unordered_map<std::string_view, Method> made;
    auto all = [&](Method method, std::initializer_list<std::string_view> names) {
      for (std::string_view name : names)
        made[name] = method;
    };
    all(&D::arithmetic,
        {"add",  "sub",   "mul", "mad", "fma", "div",  "rem",  "min",   "max",  "neg",   "abs",
         "sad",  "and",   "or",  "xor", "not", "cnot", "popc", "clz",   "brev", "bfind", "rcp",
         "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2",  "tanh", "mul24", "mad24"});
    all(&D::carryArithmetic, {"addc", "subc", "madc"});
    all(&D::shift, {"shl", "shr"});
    all(&D::funnelShift, {"shf"});
    all(&D::field, {"bfe", "bfi"});
    all(&D::permuteBytes, {"prmt"});
    all(&D::lookUp, {"lop3"});
    all(&D::dotProduct, {"dp4a"});
    all(&D::select, {"selp"});
    all(&D::selectBySign, {"slct"});
    all(&D::comparison, {"setp"});
    all(&D::comparisonToValue, {"set"});
    all(&D::property, {"testp"});
    all(&D::copySign, {"copysign"});
    all(&D::moveValue, {"mov"});
    all(&D::convertAddress, {"cvta"});
    all(&D::testSpaceOf, {"isspacep"});
    all(&D::conversion, {"cvt"});
    all(&D::load, {"ld", "ldu"});
    all(&D::store, {"st"});
    all(&D::atomicUpdate, {"atom", "red"});
    all(&D::asyncCopy, {"cp"});
    all(&D::matrixLoad, {"ldmatrix"});
    all(&D::matrixProduct, {"mma"});
    all(&D::warpgroup, {"wgmma"});
    all(&D::prefetch, {"prefetch", "prefetchu", "discard", "applypriority"});
    all(&D::branch, {"bra"});
    all(&D::indexedBranch, {"brx"});
    all(&D::endThreads, {"ret", "exit", "trap", "brkpt"});
    all(&D::call, {"call"});
    all(&D::barrier, {"bar", "barrier"});
    all(&D::fence, {"membar", "fence"});
    all(&D::exchange, {"shfl"});
    all(&D::voting, {"vote"});
    all(&D::matching, {"match"});
    all(&D::reduction, {"redux"});
    all(&D::active, {"activemask"});
    all(&D::elect, {"elect"});
    all(&D::nothing, {"nanosleep", "griddepcontrol", "pmevent", "setmaxnreg"});
    return made;
  }();
  return table;
}

} // namespace keratin::ptx
