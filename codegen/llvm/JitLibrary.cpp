#include "codegen/llvm/JitLibrary.h"

#include "codegen/llvm/Recovery.h"

#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace keratin::codegen;
using namespace llvm::orc;

struct JitLibrary::Impl {
  std::unique_ptr<ExecutionSession> session;
  std::unique_ptr<ObjectLinkingLayer> layer;
  JITDylib *library = nullptr;

  ~Impl() {
    std::string ignored;
    if (session && recover([this] { end(); }, ignored) != Ending::Done) {
      (void)layer.release(); // lost, for lack of memory to take them apart
      (void)session.release();
    }
  }

  void end() {
    if (llvm::Error error = session->endSession())
      llvm::consumeError(std::move(error)); // the code is unloaded either way
    layer.reset();
    session.reset();
  }
};

JitLibrary::JitLibrary() : impl(std::make_unique<Impl>()) {}
JitLibrary::~JitLibrary() = default;

std::unique_ptr<JitLibrary>
JitLibrary::load(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects, std::string *error) {
  auto fail = [&](llvm::Error problem) {
    *error = llvm::toString(std::move(problem));
    return nullptr;
  };
  auto control = SelfExecutorProcessControl::Create();
  if (!control)
    return fail(control.takeError());
  std::unique_ptr<JitLibrary> library(new JitLibrary());
  Impl &impl = *library->impl;
  impl.session = std::make_unique<ExecutionSession>(std::move(*control));
  // A failed link is reported through the look-up below; the session must not print to the host's
  // stderr.
  impl.session->setErrorReporter(
      [](llvm::Error problem) { llvm::consumeError(std::move(problem)); });
  impl.layer = std::make_unique<ObjectLinkingLayer>(
      *impl.session, impl.session->getExecutorProcessControl().getMemMgr());
  impl.library = &impl.session->createBareJITDylib("keratin");
  auto generator = DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
  if (!generator)
    return fail(generator.takeError());
  impl.library->addGenerator(std::move(*generator));
  std::vector<std::string> symbols;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (llvm::Error problem = impl.layer->add(*impl.library, std::move(object)))
      return fail(std::move(problem));
  return library;
}

void *JitLibrary::lookup(const std::string &symbol) const {
  auto found = impl->session->lookup({impl->library}, impl->session->intern(symbol));
  if (!found) {
    llvm::consumeError(found.takeError());
    return nullptr;
  }
  return found->getAddress().toPtr<void *>();
}
