#include "tests/judge/JudgedFunctions.h"

#include <map>

using namespace keratin;
using namespace keratin::judge;
using nlohmann::json;
namespace K = keratin::backend;

//===-- Arguments -----------------------------------------------------------------------------===//

static Shape shape(const json &args, const char *name) {
  const json &value = args.at(name);
  if (value.is_null())
    return None;
  if (value.is_number())
    return Shape(value.get<int64_t>());
  std::vector<Size> sizes;
  for (const json &entry : value)
    sizes.push_back(entry.is_null() ? Size(None) : Size(entry.get<int64_t>()));
  return sizes;
}

static Axes axes(const json &args, const char *name = "axis") {
  const json &value = args.at(name);
  if (value.is_null())
    return None;
  if (value.is_number())
    return value.get<int64_t>();
  return value.get<std::vector<int64_t>>();
}

static std::string text(const json &args, const char *name) {
  return args.at(name).get<std::string>();
}
static DataFormat format(const json &args) { return text(args, "data_format"); }
static int64_t integer(const json &args, const char *name) { return args.at(name).get<int64_t>(); }
static double number(const json &args, const char *name) { return args.at(name).get<double>(); }
static bool flag(const json &args, const char *name) { return args.at(name).get<bool>(); }
static DTypeArgument dtype(const json &args) {
  if (args.at("dtype").is_null())
    return None;
  return text(args, "dtype");
}
static std::vector<int64_t> integers(const json &args, const char *name) {
  return args.at(name).get<std::vector<int64_t>>();
}

//===-- The table -----------------------------------------------------------------------------===//

#define RESULT(expression)                                                                         \
  [](const Tensors &x, const json &a) -> Tensors {                                                 \
    (void)a;                                                                                       \
    return {expression};                                                                           \
  }
#define UNARY(name) {#name, RESULT(K::name(x[0]))}
#define BINARY(name) {#name, RESULT(K::name(x[0], x[1]))}
#define REDUCTION(name) {#name, RESULT(K::name(x[0], axes(a), flag(a, "keepdims")))}

// A scan whose state and output are functions of all that there is.
static Tensors judgedRnn(const Tensors &x, const json &a) {
  bool hasConstant = flag(a, "constant");
  RnnStep step = [&](const Tensor &in, const Tensors &states) -> RnnStepResult {
    Tensor h = K::tanh(K::dot(in, x[1]) + K::dot(states[0], x[2]));
    Tensor c = K::sin(states[1]) + 0.5 * h;
    if (hasConstant)
      c = c * states[2];
    return {h * c, {h, c}};
  };
  Tensors constants;
  if (hasConstant)
    constants.push_back(x[5]);
  Operand mask = None, length = None;
  if (!a.at("selector").is_null())
    (text(a, "selector") == "lengths" ? length : mask) = x.back();
  auto [last, outputs, states] =
      K::rnn(step, x[0], {x[3], x[4]}, flag(a, "go_backwards"), mask, constants, flag(a, "unroll"),
             length, flag(a, "time_major"), flag(a, "zero_output_for_mask"));
  return {last, outputs, states[0], states[1]};
}

static Tensors judgedFold(const Tensors &x, bool fromLeft) {
  auto step = [&](const Tensor &sum, const Tensor &element) {
    return K::tanh(sum * x[1]) + element * sum;
  };
  Operand initial = x.size() > 2 ? Operand(x[2]) : Operand(None);
  return {fromLeft ? K::foldl(step, x[0], initial) : K::foldr(step, x[0], initial)};
}

static Tensors judgedMap(const Tensors &x) {
  if (x.size() < 3)
    return {K::map_fn([&](const Tensor &a) { return K::tanh(a) * x[1] + 1.0; }, x[0])};
  auto ofPair = [&](const Tensor &a, const Tensor &b) { return K::tanh(a) * x[1] + K::sin(b) * a; };
  return {K::map_fn(ofPair, {x[0], x[2]})};
}

static Tensors judgedPhase(const Tensors &x, const json &a, bool trains) {
  auto first = [&] { return K::exp(x[1]) * x[2]; };
  auto second = [&] { return x[1] * K::sin(x[2]); };
  Branch then = flag(a, "functions") ? Branch(first) : Branch(first()),
         other = flag(a, "functions") ? Branch(second) : Branch(second());
  Operand phase = flag(a, "own") ? Operand(x[0]) : Operand(None);
  return {trains ? K::in_train_phase(then, other, phase) : K::in_test_phase(then, other, phase)};
}

static Tensors judgedDecoding(const Tensors &x, const json &a, bool greedy) {
  auto [paths, scores] = greedy ? K::ctc_decode(x[0], x[1])
                                : K::ctc_decode(x[0], x[1], false, integer(a, "beam_width"),
                                                integer(a, "top_paths"), flag(a, "merge_repeated"));
  paths.push_back(scores);
  return paths;
}

static Tensors judgedLabels(const Tensors &x) {
  Tensor labels = K::ctc_label_dense_to_sparse(x[0], x[1]);
  Tensor ones = K::ones({K::shape(x[0])[1], 1}, x[0].dtype());
  return {labels, K::flatten(K::dot(labels, ones))};
}

// The old value, whatever is assigned in the same call.
static Tensors judgedUpdate(const Tensor &update, const Tensors &x) {
  return {update, x[0] * x[1]};
}

static Tensors judgedDependency(const Tensors &x) {
  Tensor before = x[0] * 2.0;
  K::control_dependencies scope({K::update_add(x[0], x[1])});
  return {x[0] * 2.0, before};
}

static Tensors judgedGradients(const Tensors &x) {
  Tensor middle = K::sin(x[0]) * x[1];
  auto found = K::gradients(K::sum(middle * middle * x[0]), {middle, x[0]});
  return {found[0].value(), found[1].value()};
}

static Tensors judgedFilled(const Tensors &x, const json &a, bool ones) {
  std::vector<Size> sizes = shape(a, "shape").entries();
  if (flag(a, "like"))
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
      sizes[i] = K::shape(x[0])[int64_t(i)];
  return {ones ? K::ones(sizes, dtype(a)) : K::zeros(sizes, dtype(a))};
}

static const std::map<std::string, Judged> &table() {
  static const std::map<std::string, Judged> functions = {
      // Windows.
      {"conv1d", RESULT(K::conv1d(x[0], x[1], shape(a, "strides"), text(a, "padding"), format(a),
                                  shape(a, "dilation_rate")))},
      {"conv2d", RESULT(K::conv2d(x[0], x[1], shape(a, "strides"), text(a, "padding"), format(a),
                                  shape(a, "dilation_rate")))},
      {"conv3d", RESULT(K::conv3d(x[0], x[1], shape(a, "strides"), text(a, "padding"), format(a),
                                  shape(a, "dilation_rate")))},
      {"conv2d_transpose",
       RESULT(K::conv2d_transpose(x[0], x[1], shape(a, "output_shape"), shape(a, "strides"),
                                  text(a, "padding"), format(a), shape(a, "dilation_rate")))},
      {"conv3d_transpose",
       RESULT(K::conv3d_transpose(x[0], x[1], shape(a, "output_shape"), shape(a, "strides"),
                                  text(a, "padding"), format(a)))},
      {"depthwise_conv2d", RESULT(K::depthwise_conv2d(x[0], x[1], shape(a, "strides"),
                                                      text(a, "padding"), format(a),
                                                      shape(a, "dilation_rate")))},
      {"separable_conv1d", RESULT(K::separable_conv1d(x[0], x[1], x[2], shape(a, "strides"),
                                                      text(a, "padding"), format(a),
                                                      shape(a, "dilation_rate")))},
      {"separable_conv2d", RESULT(K::separable_conv2d(x[0], x[1], x[2], shape(a, "strides"),
                                                      text(a, "padding"), format(a),
                                                      shape(a, "dilation_rate")))},
      {"local_conv1d", RESULT(K::local_conv1d(x[0], x[1], shape(a, "kernel_size"),
                                              shape(a, "strides"), format(a)))},
      {"local_conv2d",
       RESULT(K::local_conv2d(x[0], x[1], shape(a, "kernel_size"), shape(a, "strides"),
                              shape(a, "output_shape"), format(a)))},
      {"pool2d", RESULT(K::pool2d(x[0], shape(a, "pool_size"), shape(a, "strides"),
                                  text(a, "padding"), format(a), text(a, "pool_mode")))},
      {"pool3d", RESULT(K::pool3d(x[0], shape(a, "pool_size"), shape(a, "strides"),
                                  text(a, "padding"), format(a), text(a, "pool_mode")))},
      {"resize_images",
       RESULT(K::resize_images(x[0], integer(a, "height_factor"), integer(a, "width_factor"),
                               format(a), text(a, "interpolation")))},
      {"resize_volumes",
       RESULT(K::resize_volumes(x[0], integer(a, "depth_factor"), integer(a, "height_factor"),
                                integer(a, "width_factor"), format(a)))},
      // Elementwise.
      {"mod", RESULT(x[0] % x[1])},
      {"neg", RESULT(-x[0])},
      UNARY(square), UNARY(exp), UNARY(log), UNARY(sin), UNARY(cos), UNARY(abs), UNARY(sqrt),
      UNARY(round), UNARY(sign), UNARY(softplus), UNARY(softsign), UNARY(sigmoid),
      UNARY(hard_sigmoid), UNARY(tanh), BINARY(maximum), BINARY(minimum), BINARY(equal),
      BINARY(not_equal), BINARY(greater), BINARY(greater_equal), BINARY(less), BINARY(less_equal),
      {"pow", RESULT(K::pow(x[0], x[1]))},
      {"pow-number", RESULT(K::pow(x[0], number(a, "exponent")))},
      {"clip-tensors", RESULT(K::clip(x[0], x[1], x[2]))},
      {"clip", RESULT(K::clip(x[0], number(a, "min_value"), number(a, "max_value")))},
      {"add", RESULT(x[0] + x[1])},
      {"sub", RESULT(x[0] - x[1])},
      {"mul", RESULT(x[0] * x[1])},
      {"div", RESULT(x[0] / x[1])},
      {"relu", RESULT(K::relu(x[0], number(a, "alpha"),
                              a.at("max_value").is_null()
                                  ? std::optional<double>()
                                  : std::optional<double>(number(a, "max_value")),
                              number(a, "threshold")))},
      {"elu", RESULT(K::elu(x[0], number(a, "alpha")))},
      {"softmax", RESULT(K::softmax(x[0], integer(a, "axis")))},
      // Reductions.
      REDUCTION(sum), REDUCTION(prod), REDUCTION(max), REDUCTION(min), REDUCTION(mean),
      REDUCTION(var), REDUCTION(std), REDUCTION(logsumexp),
      {"any", RESULT(K::any(x[0], axes(a), flag(a, "keepdims")))},
      {"all", RESULT(K::all(x[0], axes(a), flag(a, "keepdims")))},
      {"argmax", RESULT(K::argmax(x[0], integer(a, "axis")))},
      {"argmin", RESULT(K::argmin(x[0], integer(a, "axis")))},
      {"cumsum", RESULT(K::cumsum(x[0], integer(a, "axis")))},
      {"cumprod", RESULT(K::cumprod(x[0], integer(a, "axis")))},
      // Linear algebra.
      BINARY(dot), UNARY(transpose), BINARY(gather),
      {"batch_dot", RESULT(K::batch_dot(x[0], x[1], axes(a, "axes")))},
      // Moving elements.
      UNARY(flatten), UNARY(batch_flatten),
      {"concatenate", RESULT(K::concatenate({x[0], x[1]}, integer(a, "axis")))},
      {"stack", RESULT(K::stack({x[0], x[1]}, integer(a, "axis")))},
      {"reshape", RESULT(K::reshape(x[0], shape(a, "shape")))},
      {"permute_dimensions", RESULT(K::permute_dimensions(x[0], integers(a, "pattern")))},
      {"repeat_elements", RESULT(K::repeat_elements(x[0], integer(a, "rep"), integer(a, "axis")))},
      {"repeat", RESULT(K::repeat(x[0], integer(a, "n")))},
      {"tile", RESULT(K::tile(x[0], shape(a, "n")))},
      {"expand_dims", RESULT(K::expand_dims(x[0], integer(a, "axis")))},
      {"squeeze", RESULT(K::squeeze(x[0], integer(a, "axis")))},
      {"reverse", RESULT(K::reverse(x[0], axes(a, "axes")))},
      {"slice", RESULT(K::slice(x[0], shape(a, "start"), shape(a, "size")))},
      {"temporal_padding", RESULT(K::temporal_padding(x[0], integers(a, "padding")))},
      {"spatial_2d_padding",
       RESULT(K::spatial_2d_padding(x[0], a.at("padding").get<K::Paddings>(), format(a)))},
      {"spatial_3d_padding",
       RESULT(K::spatial_3d_padding(x[0], a.at("padding").get<K::Paddings>(), format(a)))},
      {"one_hot", RESULT(K::one_hot(x[0], integer(a, "num_classes")))},
      {"pattern_broadcast",
       RESULT(K::pattern_broadcast(x[0], a.at("broadcastable").get<std::vector<bool>>()))},
      {"getitem", RESULT((x[0][{keratin::Slice(integer(a, "first"), integer(a, "last")), None,
                                integer(a, "index")}]))},
      // Neural networks.
      {"categorical_crossentropy",
       RESULT(K::categorical_crossentropy(x[0], x[1], flag(a, "from_logits"), integer(a, "axis")))},
      {"sparse_categorical_crossentropy",
       RESULT(K::sparse_categorical_crossentropy(x[0], x[1], flag(a, "from_logits"),
                                                 integer(a, "axis")))},
      {"binary_crossentropy",
       RESULT(K::binary_crossentropy(x[0], x[1], flag(a, "from_logits")))},
      {"l2_normalize", RESULT(K::l2_normalize(x[0], axes(a)))},
      {"in_top_k", RESULT(K::in_top_k(x[0], x[1], integer(a, "k")))},
      {"bias_add", RESULT(K::bias_add(x[0], x[1], format(a)))},
      {"batch_normalization",
       RESULT(K::batch_normalization(x[0], x[1], x[2], x[3], x[4], integer(a, "axis"),
                                     number(a, "epsilon")))},
      {"normalize_batch_in_training",
       [](const Tensors &x, const json &a) -> Tensors {
         auto [normed, mean, variance] = K::normalize_batch_in_training(
             x[0], x[1], x[2], axes(a, "reduction_axes"), number(a, "epsilon"));
         return {normed, mean, variance};
       }},
      // Loops and choices.
      {"rnn", judgedRnn},
      {"map_fn", [](const Tensors &x, const json &) { return judgedMap(x); }},
      {"foldl", [](const Tensors &x, const json &) { return judgedFold(x, true); }},
      {"foldr", [](const Tensors &x, const json &) { return judgedFold(x, false); }},
      {"switch", RESULT(K::switch_(
                     x[0], [&] { return K::sin(x[1]) * x[2]; },
                     [&] { return x[1] - K::cos(x[2]) * x[2]; }))},
      {"switch-elements", RESULT(K::switch_(x[0], x[1], x[2]))},
      {"learning_phase", RESULT(K::sin(x[1]) * K::cast(x[0], K::dtype(x[1])))},
      {"in_train_phase",
       [](const Tensors &x, const json &a) { return judgedPhase(x, a, true); }},
      {"in_test_phase",
       [](const Tensors &x, const json &a) { return judgedPhase(x, a, false); }},
      // Label sequences.
      {"ctc_batch_cost", RESULT(K::ctc_batch_cost(x[0], x[1], x[2], x[3]))},
      {"ctc_cost", RESULT(K::ctc_cost(x[0], x[1]))},
      {"ctc_decode-greedy",
       [](const Tensors &x, const json &a) { return judgedDecoding(x, a, true); }},
      {"ctc_decode-beam",
       [](const Tensors &x, const json &a) { return judgedDecoding(x, a, false); }},
      {"ctc_decode-all",
       [](const Tensors &x, const json &a) { return judgedDecoding(x, a, false); }},
      UNARY(ctc_interleave_blanks),
      UNARY(ctc_create_skip_idxs),
      {"ctc_update_log_p",
       [](const Tensors &x, const json &) -> Tensors {
         auto [active, logP] = K::ctc_update_log_p(x[0], x[1], x[2], x[3], x[4]);
         return {active, logP};
       }},
      {"ctc_path_probs",
       [](const Tensors &x, const json &a) -> Tensors {
         auto [logP, mask] = K::ctc_path_probs(x[0], x[1], number(a, "alpha"));
         return {K::switch_(mask, logP, K::zeros_like(logP)), mask};
       }},
      {"ctc_label_dense_to_sparse",
       [](const Tensors &x, const json &) { return judgedLabels(x); }},
      // Sparse tensors.
      UNARY(to_dense),
      {"to_dense-integers", RESULT(K::to_dense(x[0]))},
      {"dot-sparse", RESULT(K::dot(x[0], x[1]))},
      {"dot-sparse-chain",
       RESULT(K::dot(K::cast(K::concatenate({x[0], x[1]}, integer(a, "axis")), K::dtype(x[2])),
                     x[2]))},
      {"concatenate-sparse", RESULT(K::concatenate({x[0], x[1]}, integer(a, "axis")))},
      {"identity-sparse", RESULT(K::identity(x[0]))},
      {"cast-sparse", RESULT(K::cast(x[0], dtype(a)))},
      {"shape-sparse", RESULT(K::shape(x[0]))},
      // Creation.
      {"constant", RESULT(K::constant(Array(a.at("values").get<std::vector<double>>(),
                                            integers(a, "dims")),
                                      dtype(a), shape(a, "shape")))},
      {"zeros", [](const Tensors &x, const json &a) { return judgedFilled(x, a, false); }},
      {"ones", [](const Tensors &x, const json &a) { return judgedFilled(x, a, true); }},
      {"eye", RESULT(K::eye(shape(a, "size"), "float64"))},
      {"zeros_like", RESULT(K::zeros_like(x[0], dtype(a)))},
      {"ones_like", RESULT(K::ones_like(x[0], dtype(a)))},
      UNARY(identity),
      UNARY(print_tensor),
      {"arange", RESULT(x.empty() ? K::arange(integer(a, "start"), integer(a, "stop"),
                                              integer(a, "step"))
                                  : K::arange(x[0], x[1], x[2]))},
      {"cast", RESULT(K::cast(x[0], dtype(a)))},
      UNARY(cast_to_floatx),
      // What is known of a graph, and its derivatives.
      UNARY(shape),
      UNARY(size),
      {"stop_gradient", RESULT(K::stop_gradient(K::sin(x[0])) * x[0])},
      {"gradients", [](const Tensors &x, const json &) { return judgedGradients(x); }},
      // Variables.
      {"variable", RESULT(K::sin(x[0]) * x[1])},
      {"update",
       [](const Tensors &x, const json &) { return judgedUpdate(K::update(x[0], x[1]), x); }},
      {"update_add",
       [](const Tensors &x, const json &) { return judgedUpdate(K::update_add(x[0], x[1]), x); }},
      {"update_sub",
       [](const Tensors &x, const json &) { return judgedUpdate(K::update_sub(x[0], x[1]), x); }},
      {"moving_average_update",
       [](const Tensors &x, const json &) {
         return judgedUpdate(K::moving_average_update(x[0], x[1], x[2]), x);
       }},
      {"control_dependencies", [](const Tensors &x, const json &) { return judgedDependency(x); }},
      // Random numbers.
      {"random_normal", RESULT(K::random_normal(shape(a, "shape"), x[0], x[1], x[0].dtype(),
                                                integer(a, "seed")))},
      {"truncated_normal", RESULT(K::truncated_normal(shape(a, "shape"), x[0], x[1], x[0].dtype(),
                                                      integer(a, "seed")))},
      {"random_uniform", RESULT(K::random_uniform(shape(a, "shape"), x[0], x[1], x[0].dtype(),
                                                  integer(a, "seed")))},
      {"random_uniform-integers",
       RESULT(K::random_uniform(shape(a, "shape"), integer(a, "low"), integer(a, "high"), "int32",
                                integer(a, "seed")))},
      {"random_binomial",
       RESULT(K::random_binomial(shape(a, "shape"), number(a, "p"), None, integer(a, "seed")))},
      {"random_uniform_variable",
       RESULT(K::random_uniform_variable(shape(a, "shape"), number(a, "a"), number(a, "b"), None,
                                         "", integer(a, "seed")))},
      {"random_normal_variable",
       RESULT(K::random_normal_variable(shape(a, "shape"), number(a, "a"), number(a, "b"), None,
                                        "", integer(a, "seed")))},
      {"dropout", RESULT(K::dropout(x[0], number(a, "level"), shape(a, "noise_shape"),
                                    integer(a, "seed")))},
  };
  return functions;
}

const Judged *keratin::judge::findJudged(const std::string &name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}
