// Bundle adjustment: where cameras stood and where points are, from the places of the points in the
// cameras' images, by Levenberg's and Marquardt's method (Triggs et al., Bundle adjustment, a
// modern synthesis, 2000).
//
// Each residual is of one camera and one point, so the Jacobian is sparse. Of the normal equations
// the blocks of points are eliminated first, and what is left is a system of the cameras alone
// (Schur's complement). A call is a whole step: Jacobian, equations, their solution, and the loss
// behind it.
#include <keratin/backend.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace K = keratin::backend;

static constexpr int64_t cameras = 6, points = 60;
static constexpr double focalLength = 500, noise = 0.5; // pixels

// Where points are in images, for each pair of a camera and a point. A row of poses is a rotation,
// as the axis times the angle (Rodrigues), and a translation.
static K::Tensor project(const K::Tensor &x, const K::Tensor &camera, const K::Tensor &point) {
  K::Tensor pose = K::gather(K::reshape(x[K::Slice(0, 6 * cameras)], {cameras, 6}), camera);
  K::Tensor place = K::gather(K::reshape(x[K::Slice(6 * cameras)], {points, 3}), point);
  K::Tensor axis = pose[{K::All, K::Slice(0, 3)}], shift = pose[{K::All, K::Slice(3)}];
  // sin(a) / a and (1 - cos(a)) / a^2, also of no rotation.
  K::Tensor angle = K::norm(axis, {.axis = 1, .keepdims = true});
  K::Tensor sine = K::sinc(angle / M_PI), cosine = 0.5 * K::square(K::sinc(angle / (2 * M_PI)));
  K::Tensor turned = K::cross(axis, place);
  K::Tensor seen = place + sine * turned + cosine * K::cross(axis, turned) + shift;
  return focalLength * seen[{K::All, K::Slice(0, 2)}] / seen[{K::All, K::Slice(2)}];
}

int main() try {
  K::set_floatx("float64");
  // Cameras in a half circle around points in a cube; about 70 % of the pairs see each other.
  K::Tensor angles = K::linspace(-1.2, 1.2, cameras), zeros = K::zeros({cameras});
  K::Tensor poses = K::stack({0.1 * angles, angles, zeros, zeros, 0.1 * angles, zeros + 5.0}, 1);
  K::Tensor truth =
      K::concatenate({K::flatten(poses), K::random_uniform({3 * points}, -1.0, 1.0, K::None, 1)});
  K::Array visible =
      K::eval(K::random_uniform({cameras, points}, K::RandomUniformOptions{.seed = 2}) < 0.7);
  std::vector<int64_t> cameraOf, pointOf;
  for (int64_t i = 0; i < cameras * points; ++i)
    if (visible.item<int64_t>(i)) {
      cameraOf.push_back(i / points);
      pointOf.push_back(i % points);
    }
  const int64_t count = int64_t(cameraOf.size());
  K::Tensor camera = K::constant(cameraOf, "int64"), point = K::constant(pointOf, "int64");
  K::Array images = K::eval(project(truth, camera, point) +
                            K::random_normal({count, 2}, {.stddev = noise, .seed = 3}));
  K::Array x0 =
      K::eval(truth + K::random_normal({6 * cameras + 3 * points}, {.stddev = 0.1, .seed = 4}));

  // Residuals in units of the noise, so that half their squares are minus the log likelihood.
  K::Tensor x = K::placeholder({6 * cameras + 3 * points}, {.name = "x"});
  K::Tensor seen = K::placeholder({count, 2}, {.name = "seen"});
  K::Tensor damping = K::placeholder(K::Shape{}, {.name = "damping"});
  auto residuals = [&](const K::Tensor &at) { return (project(at, camera, point) - seen) / noise; };
  auto lossOf = [](const K::Tensor &residual) { return 0.5 * K::sum(K::square(residual)); };
  K::Tensor residual = residuals(x);

  // Of each pair the derivatives by the six numbers of the camera and the three of the point.
  std::vector<K::Tensor> parts = K::sparse_parts(K::sparse_jacobian(residual, x));
  K::Tensor row = parts[0], column = parts[1];
  K::Tensor place = K::where(column < 6 * cameras, column % 6, 6 + column % 3);
  K::Tensor slopes =
      K::reshape(K::segment_sum(parts[2], 9 * row + place, 2 * 9 * count), {count, 2, 9});
  K::Tensor byCamera = slopes[{K::All, K::All, K::Slice(0, 6)}];
  K::Tensor byPoint = slopes[{K::All, K::All, K::Slice(6)}];

  // The blocks of the normal equations, summed over pairs, and what is on their right.
  auto product = [](const K::Tensor &a, const K::Tensor &b) {
    return K::einsum("nri,nrj->nij", {a, b});
  };
  K::Tensor errors = K::expand_dims(residual);
  K::Tensor u = K::segment_sum(product(byCamera, byCamera), camera, cameras);
  K::Tensor v = K::segment_sum(product(byPoint, byPoint), point, points);
  K::Tensor w =
      K::segment_sum(product(byPoint, byCamera), point * cameras + camera, points * cameras);
  w = K::reshape(K::permute_dimensions(K::reshape(w, {points, cameras, 3, 6}), {0, 2, 1, 3}),
                 {points, 3, 6 * cameras});
  K::Tensor ofCameras = K::flatten(K::segment_sum(product(byCamera, errors), camera, cameras));
  K::Tensor ofPoints = K::segment_sum(product(byPoint, errors), point, points);
  u = u * (1.0 + damping * K::eye(6));
  v = v * (1.0 + damping * K::eye(3));

  K::Tensor l = K::cholesky(v);
  K::Tensor y = K::cholesky_solve(l, w), z = K::cholesky_solve(l, ofPoints);
  K::Tensor diagonal =
      K::reshape(K::einsum("cd,cij->cidj", {K::eye(cameras), u}), {6 * cameras, 6 * cameras});
  K::Tensor complement = diagonal - K::einsum("pki,pkj->ij", {w, y});
  K::Tensor reduced = ofCameras - K::einsum("pki,pkj->i", {w, z});
  K::Tensor move = K::cholesky_solve(K::cholesky(complement), reduced);
  K::Tensor moveOfPoints = K::squeeze(z, -1) - K::einsum("pki,i->pk", {y, move});
  K::Tensor next = x - K::concatenate({move, K::flatten(moveOfPoints)});
  K::Function step = K::function(
      {x, seen, damping},
      {{"loss", lossOf(residual)}, {"next", next}, {"next_loss", lossOf(residuals(next))}}, {},
      "step");

  K::Array at = x0;
  double loss = 0, lambda = 1e-3;
  bool isConverged = false;
  for (int i = 0; i < 50 && !isConverged; ++i) {
    keratin::Results result = step({at, images, lambda});
    loss = result["loss"].item();
    const double nextLoss = result["next_loss"].item();
    std::printf("step %2d  loss %.6f  damping %.0e\n", i, loss, lambda);
    isConverged = std::abs(loss - nextLoss) < 1e-9 * loss;
    if (nextLoss < loss) {
      at = result["next"];
      // Never 0, since the whole scene may be moved, turned and scaled.
      lambda = std::max(lambda / 10, 1e-8);
    } else {
      lambda *= 10;
    }
  }

  // Twice the loss is distributed as chi-squared, with this mean and twice as much variance.
  const double free = double(2 * count - 6 * cameras - 3 * points + 7);
  std::printf("%ld residuals, error %.4f pixels, of noise %.4f +- %.4f\n", long(2 * count),
              noise * std::sqrt(2 * loss / free), noise, noise / std::sqrt(2 * free));
  return isConverged && std::abs(2 * loss - free) < 4 * std::sqrt(2 * free) ? 0 : 1;
} catch (const K::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
