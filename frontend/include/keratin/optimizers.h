// Optimizers: the updates of a training step, as graph. `using namespace keratin;`,
// `optimizers::Adam`, ….
//
//   optimizers::Adam adam(optimizers::CosineDecay(1e-3, 10000, {.warmup_steps = 500}));
//   K::Function step = K::function({x, y}, {{"loss", loss}}, adam.minimize(loss, net));
//
// An optimizer's variables are called after it and what they belong to: "adam/iterations",
// "adam/dense/kernel/m". Options have Keras's names and defaults.
#ifndef KERATIN_OPTIMIZERS_H
#define KERATIN_OPTIMIZERS_H

#include "keratin/backend.h"

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace keratin::layers {
class Layer;
} // namespace keratin::layers

namespace keratin::optimizers {

//===-- Learning rates ------------------------------------------------------------------------===//

// A learning rate: a number, a scalar tensor (a variable, for K::set_value), or a function that
// gives it for the number of steps done before, a scalar of floats.
class Schedule {
public:
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Schedule(T rate, SourceLocation location = SourceLocation::current())
      : Schedule(Operand(rate, location)) {}
  Schedule(const Tensor &rate, SourceLocation location = SourceLocation::current())
      : Schedule(Operand(rate, location)) {}
  template <typename F, typename = decltype(Tensor(std::declval<F &>()(std::declval<Tensor>())))>
  Schedule(F f) : function(std::move(f)) {}

  Tensor operator()(const Tensor &step) const { return function(step); }

private:
  explicit Schedule(const Operand &rate);

  std::function<Tensor(const Tensor &)> function;
};

// values[i] until step boundaries[i], the last value then: one value more than boundaries.
struct PiecewiseConstant : Schedule {
  PiecewiseConstant(const std::vector<int64_t> &boundaries, const std::vector<double> &values,
                    SourceLocation location = SourceLocation::current());
};

struct ExponentialDecayOptions {
  bool staircase = false; // whole steps of the exponent only
};
// rate * factor^(step / steps).
struct ExponentialDecay : Schedule {
  ExponentialDecay(double rate, int64_t steps, double factor,
                   const ExponentialDecayOptions &options = {},
                   SourceLocation location = SourceLocation::current());
};

struct CosineDecayOptions {
  double alpha = 0;         // the last rate is alpha * rate
  int64_t warmup_steps = 0; // before: from 0 to rate in a straight line
};
// rate * (alpha + (1 - alpha) * (1 + cos(pi * step / steps)) / 2), then alpha * rate; `steps` are
// counted behind those of the warm-up (Loshchilov and Hutter, SGDR, ICLR 2017; Goyal et al.,
// Accurate, large minibatch SGD, 2017).
struct CosineDecay : Schedule {
  CosineDecay(double rate, int64_t steps, const CosineDecayOptions &options = {},
              SourceLocation location = SourceLocation::current());
};

//===-- Optimizers ----------------------------------------------------------------------------===//

// What is done to gradients first, in this order (Pascanu, Mikolov and Bengio, ICML 2013).
struct Clip {
  std::optional<double> value = None;       // each element to [-value, value]
  std::optional<double> norm = None;        // each gradient to this length, if it is longer
  std::optional<double> global_norm = None; // all together, as one vector
};

// What all optimizers are. It trains one function: what minimize returns goes to one K::function.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  const std::string &name() const { return scopeName; }
  // Of the next step. As an output named "learning_rate" it stands in what training::fit shows.
  const Tensor &learningRate() const { return rate; }
  // How many steps were done: an int64 variable.
  const Tensor &iterations() const { return counter; }
  // That, and what minimize has made for the variables of the model.
  std::vector<Tensor> variables() const;

  // The updates of a step that lowers the loss: of the variables, of the optimizer's own, and for a
  // layer of what its calls for training change besides (layers::Layer::updates). Of a layer, those
  // it says are trainable. A constraint of a variable holds after the step. ValueError for no
  // variables, and for one that the loss does not depend on.
  std::vector<Update> minimize(const Tensor &loss, const TensorList &variables,
                               SourceLocation location = SourceLocation::current());
  std::vector<Update> minimize(const Tensor &loss, const layers::Layer &layer,
                               SourceLocation location = SourceLocation::current());
  // The same of gradients that were made otherwise, one for each variable.
  std::vector<Update> apply(const TensorList &gradients, const TensorList &variables,
                            SourceLocation location = SourceLocation::current());

protected:
  Optimizer(const std::string &name, const Schedule &rate, const Clip &clip,
            SourceLocation location);

  // One variable of a step: its gradient, the learning rate and the number of the step, from 1.
  struct Step {
    const Tensor &parameter, &gradient;
    Tensor rate, number;
    std::vector<Update> &updates;
    SourceLocation location;
  };
  // The variable's new value. To be written for another optimizer.
  virtual Tensor next(const Step &step) = 0;
  // A variable beside the parameter, zeros at first.
  Tensor slot(const Step &step, const char *name);

private:
  struct Slot {
    Tensor parameter;
    std::string name;
    Tensor variable;
  };

  std::vector<Tensor> clipped(std::vector<Tensor> gradients, SourceLocation location) const;

  std::string scopeName;
  Clip clip;
  Tensor counter, rate;
  std::vector<Slot> slots;
};

struct SGDOptions {
  double momentum = 0;
  bool nesterov = false;
  Clip clip = {};
  std::string name = "sgd";
};
// p - rate * g. With momentum (Polyak, 1964): v' = momentum * v - rate * g, p + v'; Nesterov's
// (Sutskever et al., ICML 2013): p + momentum * v' - rate * g.
class SGD : public Optimizer {
public:
  explicit SGD(const Schedule &rate = 0.01, const SGDOptions &options = {},
               SourceLocation location = SourceLocation::current());

protected:
  Tensor next(const Step &step) override;

private:
  SGDOptions options;
};

struct RMSpropOptions {
  double rho = 0.9;
  double momentum = 0;
  double epsilon = 1e-7;
  bool centered = false;
  Clip clip = {};
  std::string name = "rmsprop";
};
// a' = rho * a + (1 - rho) * g^2, p - rate * g / (sqrt(a') + epsilon) (Tieleman and Hinton, 2012).
// Centered: less the square of the mean m' = rho * m + (1 - rho) * g (Graves, 2013). With momentum
// what is subtracted is v' = momentum * v + that.
class RMSprop : public Optimizer {
public:
  explicit RMSprop(const Schedule &rate = 0.001, const RMSpropOptions &options = {},
                   SourceLocation location = SourceLocation::current());

protected:
  Tensor next(const Step &step) override;

private:
  RMSpropOptions options;
};

struct AdamOptions {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  Clip clip = {};
  std::string name = "adam";
};
// m' = beta_1 * m + (1 - beta_1) * g, v' = beta_2 * v + (1 - beta_2) * g^2, in step t
// p - rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) * m' / (sqrt(v') + epsilon) (Kingma and Ba, ICLR
// 2015). amsgrad: of the greatest v so far (Reddi, Kale and Kumar, ICLR 2018).
class Adam : public Optimizer {
public:
  explicit Adam(const Schedule &rate = 0.001, const AdamOptions &options = {},
                SourceLocation location = SourceLocation::current());

protected:
  Tensor next(const Step &step) override;

private:
  AdamOptions options;
};

struct AdamWOptions {
  double weight_decay = 0.004;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  Clip clip = {};
  // Variables that do not decay: those whose names have one of these as their last part, as
  // "dense/bias" has "bias".
  std::vector<std::string> exclude_from_weight_decay = {};
  std::string name = "adamw";
};
// Adam on p * (1 - rate * weight_decay) (Loshchilov and Hutter, ICLR 2019).
class AdamW : public Adam {
public:
  explicit AdamW(const Schedule &rate = 0.001, const AdamWOptions &options = {},
                 SourceLocation location = SourceLocation::current());

protected:
  Tensor next(const Step &step) override;

private:
  double decay;
  std::vector<std::string> excluded;
};

} // namespace keratin::optimizers

#endif // KERATIN_OPTIMIZERS_H
