// The process's graph: who has it, and what it knows of each thread.
#include "frontend/graph/Graph.h"

#include "codegen/llvm/Recovery.h"
#include "frontend/graph/AtThreadEnd.h"

#include "mlir/IR/Builders.h"

using namespace keratin;
using namespace keratin::frontend;

Graph &Graph::get() {
  static Graph *graph = new Graph;
  return *graph;
}

Graph::Graph() : context(mlir::MLIRContext::Threading::DISABLED) {
  codegen::expectNoMemory(); // K functions have LLVM's tables in hand before anything is compiled
  // The argument alone leaves types and attributes with tables of each thread, which are gone when
  // objects with static storage are destroyed.
  context.disableMultithreading();
  context.getOrLoadDialect<ir::KeratinDialect>();
  module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
}

mlir::Block *Graph::block() { return module->getBody(); }

//===-- The mutex -----------------------------------------------------------------------------===//

// Of this thread, null before its first K function. Without a destructor: those of a thread run
// before objects with static storage are destroyed, which may build graphs.
static thread_local ThreadState *ownState = nullptr;

void Graph::enter() {
  mutex.lock();
  entered();
  if (held == 1)
    eraseReleased();
}

void Graph::entered() {
  if (held++ == 0) {
    current = ownState;
    codegen::Reserve::begin();
  }
}

void Graph::leave() {
  if (held == 1)
    eraseReleased();
  Garbage mine;
  if (held == 1 && !garbage.empty())
    mine.swap(garbage);
  if (--held == 0)
    codegen::Reserve::end();
  mutex.unlock();
  if (!mine.empty())
    destroy(std::move(mine));
}

// What the destructors of this end is put behind it, so that a chain of objects is no recursion.
void Graph::destroy(Garbage list) {
  static thread_local Garbage *outer = nullptr;
  if (outer) {
    std::move(list.begin(), list.end(), std::back_inserter(*outer));
    return;
  }
  outer = &list;
  while (!list.empty()) {
    auto object = std::move(list.back());
    list.pop_back();
    object.reset();
  }
  outer = nullptr;
}

Graph::UserCode::UserCode(Graph &graph)
    : graph(graph), outerDepth(graph.current->userDepth), outerSeen(graph.current->seen) {
  if (!outerSeen)
    graph.suspended.push_back(graph.current);
  graph.current->userDepth = graph.current->depth;
  graph.current->seen = graph.lastSerial + 1;
  Garbage mine;
  mine.swap(graph.garbage);
  locks = std::exchange(graph.held, 0);
  codegen::Reserve::end();
  for (int i = 0; i < locks; ++i)
    graph.mutex.unlock();
  destroy(std::move(mine));
}

Graph::UserCode::~UserCode() {
  for (int i = 0; i < locks; ++i) {
    graph.mutex.lock();
    graph.entered();
  }
  graph.current->userDepth = outerDepth;
  graph.current->seen = outerSeen;
  if (!outerSeen)
    graph.suspended.erase(llvm::find(graph.suspended, graph.current));
}

//===-- Threads -------------------------------------------------------------------------------===//

static void endThisThread() { Graph::get().endThread(); }

ThreadState &Graph::threadState() {
  if (!current) {
    threads.push_back(std::make_unique<ThreadState>());
    current = ownState = threads.back().get();
    // Made once, also if the thread builds graphs after its end.
    static thread_local AtThreadEnd<endThisThread> end;
    (void)&end;
  }
  return *current;
}

// Objects that end scopes may outlive the thread that made them.
void Graph::endThread() {
  Lock lock(*this);
  if (!current || !current->isIdle())
    return;
  llvm::erase_if(threads, [&](const auto &thread) { return thread.get() == current; });
  current = ownState = nullptr;
}

void Graph::beginCall() { ++threadState().depth; }

void Graph::endCall() {
  if (--current->depth > 0)
    return;
  takeReleased();
  collect(*current);
  if (suspended.empty())
    forgetUnusedNames();
}

bool Graph::isCalledByUser() const { return current && current->depth == current->userDepth + 1; }

llvm::ArrayRef<Trace *> Graph::traces() const {
  return current ? llvm::ArrayRef(current->traces) : llvm::ArrayRef<Trace *>();
}

void Graph::beginTrace(Trace *trace) { threadState().traces.push_back(trace); }

void Graph::endTrace() { threadState().traces.pop_back(); }

std::shared_ptr<const std::string> Graph::scope() const {
  return current && !current->nameScopes.empty() ? current->nameScopes.back().name : nullptr;
}

void Graph::beginScope(const void *key, std::shared_ptr<const std::string> name) {
  threadState().nameScopes.push_back({key, std::move(name)});
}

// Usually that of this thread. Objects that live in one thread and die in another are of no use,
// but must not leave anything behind.
void Graph::endScope(const void *key) {
  for (const auto &thread : threads)
    llvm::erase_if(thread->nameScopes, [&](const auto &scope) { return scope.key == key; });
}

llvm::ArrayRef<ThreadState::ControlScope> Graph::controlScopes() const {
  return current ? llvm::ArrayRef(current->controlScopes)
                 : llvm::ArrayRef<ThreadState::ControlScope>();
}

void Graph::beginControl(const void *key, llvm::SmallVector<mlir::Value> ops) {
  threadState().controlScopes.push_back({key, std::move(ops), traces().size()});
}

void Graph::endControl(const void *key) {
  for (const auto &thread : threads)
    llvm::erase_if(thread->controlScopes, [&](const auto &scope) { return scope.key == key; });
}
