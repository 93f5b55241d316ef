// Nets over images, written once as templates over their layers: GraphLayers makes the graph, with
// new variables; DoubleLayers computes what it means, in plain loops in double precision.
#ifndef KERATIN_BENCHMARKS_IMAGELAYERS_H
#define KERATIN_BENCHMARKS_IMAGELAYERS_H

#include "benchmarks/keratin-bench/Bench.h"

#include <cstdint>
#include <vector>

namespace keratin::bench {

enum class Padding { Same, Valid };

// Channels are last everywhere. Parameters are made and used in the order of the layers.
class GraphLayers {
public:
  using Image = Tensor;

  // Filters of size x size, without bias.
  Tensor convolution(const Tensor &x, int64_t size, int64_t filters, int64_t stride = 1,
                     Padding padding = Padding::Same);
  Tensor depthwise(const Tensor &x, int64_t size);
  Tensor bias(const Tensor &x);
  // With the statistics of the batch; what they are multiplied by is about `scale`.
  Tensor normalize(const Tensor &x, double scale = 1);
  Tensor relu(const Tensor &x) { return backend::relu(x); }
  Tensor relu6(const Tensor &x) { return backend::relu(x, 0, 6); }
  Tensor add(const Tensor &x, const Tensor &y) { return x + y; }
  Tensor maxPool(const Tensor &x, int64_t size = 2, int64_t stride = 2,
                 Padding padding = Padding::Valid);
  Tensor meanPool(const Tensor &x); // of each channel: (batch, channels)
  Tensor flatten(const Tensor &x) { return backend::batch_flatten(x); }
  Tensor dense(const Tensor &x, int64_t units);

  std::vector<Tensor> parameters;

private:
  Tensor make(std::vector<int64_t> dims, double low, double high);
};

struct DoubleImage {
  int64_t batch = 1, height = 1, width = 1, channels = 1;
  Doubles data;

  double &at(int64_t n, int64_t y, int64_t x, int64_t c) {
    return data[size_t(((n * height + y) * width + x) * channels + c)];
  }
  double at(int64_t n, int64_t y, int64_t x, int64_t c) const {
    return data[size_t(((n * height + y) * width + x) * channels + c)];
  }
};

class DoubleLayers {
public:
  using Image = DoubleImage;

  explicit DoubleLayers(const std::vector<Doubles> &parameters) : parameters(parameters) {}

  DoubleImage convolution(const DoubleImage &x, int64_t size, int64_t filters, int64_t stride = 1,
                          Padding padding = Padding::Same);
  DoubleImage depthwise(const DoubleImage &x, int64_t size);
  DoubleImage bias(DoubleImage x);
  DoubleImage normalize(DoubleImage x, double scale = 1);
  DoubleImage relu(DoubleImage x) { return clip(std::move(x), 1e300); }
  DoubleImage relu6(DoubleImage x) { return clip(std::move(x), 6); }
  DoubleImage add(DoubleImage x, const DoubleImage &y);
  DoubleImage maxPool(const DoubleImage &x, int64_t size = 2, int64_t stride = 2,
                      Padding padding = Padding::Valid);
  DoubleImage meanPool(const DoubleImage &x);
  DoubleImage flatten(DoubleImage x);
  DoubleImage dense(const DoubleImage &x, int64_t units);

  // Of all products so far, and of those of the first layer.
  double multiplyAdds = 0, firstMultiplyAdds = 0;

private:
  DoubleImage clip(DoubleImage x, double most);
  const Doubles &next() { return parameters[used++]; }
  void count(double products) {
    if (multiplyAdds == 0)
      firstMultiplyAdds = products;
    multiplyAdds += products;
  }

  const std::vector<Doubles> &parameters;
  size_t used = 0;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_IMAGELAYERS_H
