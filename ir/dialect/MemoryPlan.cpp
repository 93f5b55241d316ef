#include "ir/dialect/MemoryPlan.h"

#include "ir/dialect/DimsAssembly.h"
#include "ir/dialect/Signature.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace mlir;

static constexpr StringLiteral kMemories = "keratin.memories", kPlaces = "keratin.places",
                               kStates = "keratin.states", kStep = "keratin.step",
                               kRoom = "keratin.room";

bool keratin::ir::isNode(Operation *op) { return isa<KernelOp, LoopOpInterface, IfOp>(op); }

bool keratin::ir::isPrepared(Operation *node) { return node->hasAttr(kPreparedAttr); }

bool keratin::ir::isJoined(Operation *node) { return node->hasAttr(kJoinedAttr); }

bool keratin::ir::isFallible(Operation *node) {
  return node
      ->walk([](Operation *op) {
        bool fails = isa<DefineSizeOp>(op) || (isa<KernelOp>(op) && op->hasAttr(kFallibleAttr));
        return fails ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===-- Places --------------------------------------------------------------------------------===//

PlaceAttr PlaceAttr::inMemory(MLIRContext *context, unsigned memory, const DimExpr &offset) {
  return get(context, PlaceKind::Memory, memory, DimsAttr::get(context, {offset}), std::nullopt);
}

PlaceAttr PlaceAttr::of(MLIRContext *context, PlaceKind kind, unsigned number) {
  return get(context, kind, number, DimsAttr::get(context, ArrayRef<int64_t>()), std::nullopt);
}

PlaceAttr PlaceAttr::withOver(std::optional<unsigned> operand) const {
  return get(getContext(), getKind(), getNumber(), getPosition(), operand);
}

// Kinds by the word that stands for them.
static const std::pair<PlaceKind, StringLiteral> kPlaceWords[] = {
    {PlaceKind::Memory, "memory"},     {PlaceKind::Returned, "returned"},
    {PlaceKind::Variable, "variable"}, {PlaceKind::Nowhere, "nowhere"},
    {PlaceKind::Result, "result"},     {PlaceKind::Stack, "stack"}};

static bool isNumbered(PlaceKind kind) {
  return kind != PlaceKind::Nowhere && kind != PlaceKind::Result;
}

Attribute PlaceAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc start = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  auto named = llvm::find_if(kPlaceWords, [&](auto &entry) { return entry.second == word; });
  bool isArena = word == "arena";
  if (!isArena && named == std::end(kPlaceWords)) {
    parser.emitError(start, "expected arena, memory, returned, variable, nowhere, result or stack");
    return {};
  }
  PlaceKind kind = isArena ? PlaceKind::Memory : named->first;
  unsigned number = 0;
  if (!isArena && isNumbered(kind) && parser.parseInteger(number))
    return {};
  PlaceAttr place = of(context, PlaceKind::Nowhere);
  if (kind == PlaceKind::Memory) {
    if (parser.parseComma())
      return {};
    FailureOr<DimExpr> offset = parseDimExpr(parser);
    if (failed(offset))
      return {};
    place = inMemory(context, number, *offset);
  } else {
    place = of(context, kind, number);
  }
  if (succeeded(parser.parseOptionalComma())) {
    unsigned over = 0;
    if (parser.parseKeyword("over") || parser.parseInteger(over))
      return {};
    place = place.withOver(over);
  }
  return parser.parseGreater() ? PlaceAttr() : place;
}

void PlaceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (isInMemory() && getNumber() == 0)
    printer << "arena";
  else
    printer << llvm::find_if(kPlaceWords, [&](auto &entry) {
                 return entry.first == getKind();
               })->second;
  if (isNumbered(getKind()) && !(isInMemory() && getNumber() == 0))
    printer << " " << getNumber();
  if (isInMemory()) {
    printer << ", ";
    printDimExpr(printer, getOffset());
  }
  if (getOver())
    printer << ", over " << *getOver();
  printer << ">";
}

//===-- Rooms ---------------------------------------------------------------------------------===//

RoomAttr RoomAttr::get(MLIRContext *context, const DimExpr &bytes, const DimExpr &offset) {
  return get(context, DimsAttr::get(context, {bytes, offset}));
}

Attribute RoomAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DimExpr> bytes = parseDimExpr(parser);
  if (failed(bytes) || parser.parseComma() || parser.parseKeyword("at"))
    return {};
  FailureOr<DimExpr> offset = parseDimExpr(parser);
  if (failed(offset) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *bytes, *offset);
}

void RoomAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDimExpr(printer, getBytes());
  printer << ", at ";
  printDimExpr(printer, getOffset());
  printer << ">";
}

//===-- Memories ------------------------------------------------------------------------------===//

MemoryAttr MemoryAttr::get(MLIRContext *context, MemorySpace space, const DimExpr &bytes,
                           MemoryTime time, int64_t symbol) {
  return get(context, space, DimsAttr::get(context, {bytes}), time, symbol);
}

StringRef keratin::ir::memorySpaceName(MemorySpace space) {
  return space == MemorySpace::Host ? "host" : "device";
}

std::optional<MemorySpace> keratin::ir::memorySpaceByName(StringRef name) {
  for (MemorySpace space : {MemorySpace::Host, MemorySpace::Device})
    if (name == memorySpaceName(space))
      return space;
  return std::nullopt;
}

Attribute MemoryAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc spaceStart;
  if (parser.parseLess() || failed(parser.getCurrentLocation(&spaceStart)) ||
      parser.parseKeyword(&name))
    return {};
  std::optional<MemorySpace> space = memorySpaceByName(name);
  if (!space) {
    parser.emitError(spaceStart, "expected 'host' or 'device'");
    return {};
  }
  if (parser.parseComma())
    return {};
  FailureOr<DimExpr> bytes = parseDimExpr(parser);
  if (failed(bytes))
    return {};
  MemoryTime time = MemoryTime::Call;
  int64_t symbol = 0;
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("after")))
      time = MemoryTime::Size;
    else if (parser.parseKeyword("step") || parser.parseKeyword("of"))
      return {};
    else
      time = MemoryTime::Steps;
    SMLoc start = parser.getCurrentLocation();
    FailureOr<DimExpr> size = parseDimExpr(parser);
    if (failed(size))
      return {};
    if (!size->isSymbol()) {
      parser.emitError(start, "expected the symbol of a size");
      return {};
    }
    symbol = size->symbolId();
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *space, *bytes, time, symbol);
}

void MemoryAttr::print(AsmPrinter &printer) const {
  printer << "<" << memorySpaceName(getSpace()) << ", ";
  printDimExpr(printer, getBytes());
  if (waits())
    printer << (isTape() ? ", step of d" : ", after d") << getSymbol();
  printer << ">";
}

//===-- Reading -------------------------------------------------------------------------------===//

static PlaceAttr entryOf(Operation *op, StringRef name, unsigned index) {
  auto list = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(name));
  return list && index < list.size() ? dyn_cast<PlaceAttr>(list[index]) : PlaceAttr();
}

PlaceAttr keratin::ir::placeOf(OpResult result) {
  return entryOf(result.getOwner(), kPlaces, result.getResultNumber());
}

PlaceAttr keratin::ir::placeOfState(LoopOpInterface loop, unsigned state) {
  return entryOf(loop, kStates, state);
}

PlaceAttr keratin::ir::placeOfStep(LoopOpInterface loop) {
  return dyn_cast_or_null<PlaceAttr>(loop->getDiscardableAttr(kStep));
}

RoomAttr keratin::ir::roomOf(Operation *node) {
  return dyn_cast_or_null<RoomAttr>(node->getDiscardableAttr(kRoom));
}

SmallVector<MemoryAttr> keratin::ir::memoriesOf(FunctionOpInterface function) {
  SmallVector<MemoryAttr> memories;
  if (auto list = dyn_cast_or_null<ArrayAttr>(function->getDiscardableAttr(kMemories)))
    for (Attribute memory : list)
      memories.push_back(
          cast<MemoryAttr>(memory)); // the dialect's verifier has seen that it is one
  return memories;
}

MemorySpace keratin::ir::spaceOf(FunctionOpInterface function) {
  SmallVector<MemoryAttr> memories = memoriesOf(function);
  return memories.empty() ? MemorySpace::Host : memories.front().getSpace();
}

MemoryAttr keratin::ir::preparedMemoryOf(FunctionOpInterface function) {
  SmallVector<MemoryAttr> memories = memoriesOf(function);
  return memories.size() > 1 && !memories[1].waits() ? memories[1] : MemoryAttr();
}

std::optional<int64_t> keratin::ir::preparedBytes(FunctionOpInterface function) {
  MemoryAttr memory = preparedMemoryOf(function);
  return memory ? std::optional(memory.getBytes().constantValue()) : std::nullopt;
}

//===-- Writing -------------------------------------------------------------------------------===//

static ArrayAttr listOf(MLIRContext *context, ArrayRef<PlaceAttr> places) {
  return ArrayAttr::get(context, SmallVector<Attribute>(places.begin(), places.end()));
}

void keratin::ir::setPlaces(Operation *node, ArrayRef<PlaceAttr> places) {
  node->setDiscardableAttr(kPlaces, listOf(node->getContext(), places));
}

void keratin::ir::setLoopPlaces(LoopOpInterface loop, ArrayRef<PlaceAttr> states, PlaceAttr step) {
  loop->setDiscardableAttr(kStates, listOf(loop->getContext(), states));
  if (step)
    loop->setDiscardableAttr(kStep, step);
}

void keratin::ir::setRoom(Operation *node, RoomAttr room) { node->setDiscardableAttr(kRoom, room); }

void keratin::ir::setMemories(func::FuncOp function, ArrayRef<MemoryAttr> memories) {
  SmallVector<Attribute> list(memories.begin(), memories.end());
  function->setDiscardableAttr(kMemories, ArrayAttr::get(function.getContext(), list));
}

void keratin::ir::setJoined(KernelOp kernel) {
  kernel->setAttr(kJoinedAttr, UnitAttr::get(kernel.getContext()));
}

void keratin::ir::removePlan(Operation *op) {
  for (StringRef name : {kMemories, kPlaces, kStates, kStep, kRoom, StringLiteral(kJoinedAttr)})
    op->removeDiscardableAttr(name);
}

//===-- Verifying -----------------------------------------------------------------------------===//

template <typename Element> static bool isListOf(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<Element>);
}

LogicalResult keratin::ir::verifyPlanAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  auto require = [&](bool holds, const char *what) -> LogicalResult {
    return holds ? success() : op->emitError() << name << " must be " << what;
  };
  if (name == kMemories) {
    if (!isa<FunctionOpInterface>(op) || !isListOf<MemoryAttr>(value))
      return require(false, "a list of memories of a function");
    auto list = cast<ArrayAttr>(value);
    for (auto [number, memory] : llvm::enumerate(list.getAsRange<MemoryAttr>())) {
      const bool isPrepared = number == 1 && !memory.waits() && memory.getBytes().isConstant();
      if (memory.waits() != (number != 0) && !isPrepared)
        return require(false,
                       "an arena that waits for nothing, what is prepared, of so many bytes, "
                       "if anything is, then memories that wait for sizes");
    }
    for (MemoryAttr memory : list.getAsRange<MemoryAttr>())
      if (memory.getSpace() != cast<MemoryAttr>(list[0]).getSpace())
        return require(false, "memories of one space");
    return require(!list.empty(), "an arena at least");
  }
  if (name == kJoinedAttr)
    return require(isa<KernelOp>(op), "of a kernel");
  if (name == kPlaces)
    return require(isNode(op) && isListOf<PlaceAttr>(value),
                   "a list of places of a kernel, a loop or a branch");
  if (name == kStates)
    return require(isa<LoopOpInterface>(op) && isListOf<PlaceAttr>(value),
                   "a list of places of a loop");
  if (name == kStep)
    return require(isa<LoopOpInterface>(op) && isa<PlaceAttr>(value), "a place of a loop");
  if (name == kRoom)
    return require(isa<LoopOpInterface, IfOp>(op) && isa<RoomAttr>(value),
                   "a room of a loop or a branch");
  return success();
}

namespace {

// What a node's places may refer to.
class NodeVerifier {
public:
  explicit NodeVerifier(Operation *node) : node(node) {}

  LogicalResult verify() {
    if (Attribute places = node->getDiscardableAttr(kPlaces))
      if (failed(verifyPlaces(cast<ArrayAttr>(places))))
        return failure();
    auto loop = dyn_cast<LoopOpInterface>(node);
    if (!loop)
      return success();
    if (Attribute states = node->getDiscardableAttr(kStates))
      if (failed(verifyStates(loop, cast<ArrayAttr>(states))))
        return failure();
    PlaceAttr step = placeOfStep(loop);
    if (step && (!step.isInMemory() || step.getOver() || !isKnown(step)))
      return node->emitError() << "has its step number at the unknown place " << step;
    return success();
  }

private:
  bool isKnown(PlaceAttr place) {
    if (!place.isInMemory() || place.getNumber() == 0)
      return true;
    auto function = node->getParentOfType<FunctionOpInterface>();
    auto memories = function ? dyn_cast_or_null<ArrayAttr>(function->getDiscardableAttr(kMemories))
                             : ArrayAttr();
    return memories && place.getNumber() < memories.size();
  }

  // Of a result.
  bool isPossible(PlaceAttr place) {
    switch (place.getKind()) {
    case PlaceKind::Memory:
      return isKnown(place);
    case PlaceKind::Returned:
      return place.getNumber() < node->getBlock()->back().getNumOperands();
    case PlaceKind::Variable: {
      auto function = dyn_cast_or_null<FunctionOpInterface>(node->getParentOp());
      return function && Signature(function).hasVariable(place.getNumber());
    }
    case PlaceKind::Nowhere:
      return true;
    case PlaceKind::Result:
    case PlaceKind::Stack:
      break; // of states
    }
    return false;
  }

  LogicalResult verifyPlaces(ArrayAttr places) {
    if (places.size() != node->getNumResults())
      return node->emitError() << "has no place for each result";
    for (auto [index, place] : llvm::enumerate(places.getAsRange<PlaceAttr>())) {
      if (!isPossible(place))
        return node->emitError() << "result " << index << " has the unknown place " << place;
      if (place.getOver() && *place.getOver() >= node->getNumOperands())
        return node->emitError() << "result " << index << " reuses the unknown operand "
                                 << *place.getOver();
    }
    return success();
  }

  LogicalResult verifyStates(LoopOpInterface loop, ArrayAttr states) {
    if (states.size() != loop.getNumStates())
      return node->emitError() << "has no place for its states";
    for (auto [state, place] : llvm::enumerate(states.getAsRange<PlaceAttr>())) {
      bool isPlaceOfState = place.isInResult() || (place.isInMemory() && isKnown(place)) ||
                            (place.isInStack() && place.getNumber() < loop.getStacks().size());
      if (!isPlaceOfState || place.getOver())
        return node->emitError() << "state " << state << " has the unknown place " << place;
    }
    return success();
  }

  Operation *node;
};

} // namespace

LogicalResult keratin::ir::verifyNodePlan(Operation *node) { return NodeVerifier(node).verify(); }

LogicalResult keratin::ir::verifyMemoryPlan(func::FuncOp function) {
  if (!function->hasAttr(kMemories) || !function.getBody().hasOneBlock())
    return function.emitError("has no memory plan");
  llvm::DenseSet<int64_t> defined;
  WalkResult walk = function.walk([&](Operation *op) {
    if (auto define = dyn_cast<DefineSizeOp>(op))
      defined.insert(define.getSymbol());
    if (!isNode(op))
      return WalkResult::advance();
    if (!op->getDiscardableAttr(kPlaces)) {
      op->emitError("has no place for each result");
      return WalkResult::interrupt();
    }
    if (isa<LoopOpInterface>(op) && !op->getDiscardableAttr(kStates)) {
      op->emitError("has no place for its states");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto [number, memory] : llvm::enumerate(memoriesOf(function)))
    if (memory.waits() && !defined.contains(memory.getSymbol()))
      return function.emitError("memory ") << number << " waits for d" << memory.getSymbol()
                                           << ", which the call does not compute";
  return success();
}
