#include "passes/simplify/BoundedRewrite.h"

#include "ir/dialect/Keratin.h"
#include "passes/simplify/GradientPins.h"
#include "passes/simplify/KeptPatterns.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace keratin::passes {

int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

void rewriteWithin(func::FuncOp function, const FrozenRewritePatternSet &patterns, int64_t maxOps) {
  int64_t ops = countOps(function);
  if (maxOps == 0)
    maxOps = std::max<int64_t>(4 * ops, 1024);
  int64_t budget = std::max<int64_t>(32 * ops, 1024);
  // The driver knows one limit, the number of rewrites; so it runs in rounds of as many as there
  // are ops, which also pays for its start, and the size is looked at in between. Few rewrites add
  // more than a handful of ops.
  bool changed = true;
  while (changed && budget > 0 && ops <= maxOps) {
    GreedyRewriteConfig config;
    config.maxIterations = 1; // the worklist itself goes on as long as something changes
    config.maxNumRewrites = std::max<int64_t>(std::min({ops, budget, (maxOps - ops) / 4}), 64);
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    changed = false;
    // Failure means only that the round ended before its worklist.
    (void)applyPatternsAndFoldGreedily(function, patterns, config, &changed);
    budget -= config.maxNumRewrites;
    ops = countOps(function);
  }
}

namespace {
class KeptPatterns : public DialectInterface::Base<KeptPatterns> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeptPatterns)

  explicit KeptPatterns(Dialect *dialect) : Base(dialect) {}

  template <typename Make>
  const FrozenRewritePatternSet &of(PhasedPatterns::Populate populate, RewritePhase phase,
                                    Make make) const {
    std::lock_guard lock(mutex);
    auto &set = sets[{populate, phase}];
    if (!set)
      set = make();
    return *set;
  }

private:
  mutable std::mutex mutex;
  mutable std::map<std::pair<PhasedPatterns::Populate, RewritePhase>,
                   std::optional<FrozenRewritePatternSet>>
      sets;
};
} // namespace

void keepPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, ir::KeratinDialect *dialect) { dialect->addInterfaces<KeptPatterns>(); });
}

const FrozenRewritePatternSet &PhasedPatterns::of(RewritePhase phase, MLIRContext *context) {
  auto make = [&] {
    RewritePatternSet set(context);
    populate(set, phase);
    return FrozenRewritePatternSet(std::move(set));
  };
  Dialect *dialect = context->getLoadedDialect<ir::KeratinDialect>();
  if (auto *kept = dialect->getRegisteredInterface<KeptPatterns>())
    return kept->of(populate, phase, make);
  if (!own[int(phase)])
    own[int(phase)] = make();
  return *own[int(phase)];
}

void PhasedPatterns::apply(func::FuncOp function, int64_t maxOps) {
  GradientPins pins(function);
  RewritePhase phase =
      pins.beforeGradients() ? RewritePhase::BeforeGradients : RewritePhase::AfterGradients;
  rewriteWithin(function, of(phase, function.getContext()), maxOps);
}

} // namespace keratin::passes
