#include "tests/judge/JudgedFunctions.h"

#include <map>

using namespace keratin;
using namespace keratin::judge;
using nlohmann::json;
namespace K = keratin::backend;

//===-- Arguments -----------------------------------------------------------------------------===//

static Shape shape(const json &args, const char *name) {
  const json &value = args.at(name);
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
      UNARY(square), UNARY(exp), UNARY(log), UNARY(sin), UNARY(cos), UNARY(abs), UNARY(sqrt),
      UNARY(round), UNARY(sign), UNARY(softplus), UNARY(softsign), UNARY(sigmoid),
      UNARY(hard_sigmoid), UNARY(tanh), BINARY(maximum), BINARY(minimum), BINARY(equal),
      BINARY(not_equal), BINARY(greater), BINARY(greater_equal), BINARY(less), BINARY(less_equal),
      {"pow", RESULT(K::pow(x[0], x[1]))},
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
      // Loops and sequences.
      {"rnn",
       [](const Tensors &x, const json &a) -> Tensors {
         RnnStep step = [&](const Tensor &in, const std::vector<Tensor> &states)
             -> std::pair<Tensor, std::vector<Tensor>> {
           Tensor state = K::tanh(K::dot(in, x[1]) + K::dot(states[0], x[2]));
           return {state, {state}};
         };
         Operand mask = x.size() > 4 ? Operand(x[4]) : Operand(None);
         auto [last, outputs, states] =
             K::rnn(step, x[0], {x[3]}, flag(a, "go_backwards"), mask, {}, flag(a, "unroll"), None,
                    false, flag(a, "zero_output_for_mask"));
         return {last, outputs, states[0]};
       }},
      {"ctc_batch_cost", RESULT(K::ctc_batch_cost(x[1], x[0], x[2], x[3]))},
  };
  return functions;
}

const Judged *keratin::judge::findJudged(const std::string &name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}
