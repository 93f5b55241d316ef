#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace K = keratin::backend;
using namespace keratin;
using namespace keratin::python;

static nb::object normalizeBatch(const Operand &x, const Operand &gamma, const Operand &beta,
                                 nb::handle axes, double epsilon, SourceLocation place) {
  const char *function = "normalize_batch_in_training";
  // Theano's word for the axis of the batch.
  const bool isPerActivation = PyUnicode_Check(axes.ptr()) &&
                               PyUnicode_CompareWithASCIIString(axes.ptr(), "per-activation") == 0;
  const Axes reduced = isPerActivation ? Axes(0) : fromPython<Axes>(axes, {function, 3, place});
  return toPython(K::normalize_batch_in_training(x, gamma, beta, reduced, epsilon, place));
}

void keratin::python::registerNeural(nb::module_ &m) {
  using Crossentropy = Tensor(const Operand &, const Operand &, bool, Axis, SourceLocation);
  add<exactly<Tensor(const Operand &, const Operand &, const Operand &, const Operand &,
                     const Operand &, Axis, double, SourceLocation)>(&K::batch_normalization)>(
      m, "batch_normalization");
  add<&K::bias_add>(m, "bias_add");
  add<&K::binary_crossentropy>(m, "binary_crossentropy");
  add<exactly<Crossentropy>(&K::categorical_crossentropy)>(m, "categorical_crossentropy");
  add<exactly<Tensor(const Operand &, double, const Shape &, std::optional<int64_t>,
                     SourceLocation)>(&K::dropout)>(m, "dropout");
  add<&K::elu>(m, "elu");
  add<&K::hard_sigmoid>(m, "hard_sigmoid");
  add<&K::in_top_k>(m, "in_top_k");
  add<&K::l2_normalize>(m, "l2_normalize");
  add<&normalizeBatch>(m, "normalize_batch_in_training");
  add<exactly<Tensor(const Operand &, double, std::optional<double>, double, SourceLocation)>(
      &K::relu)>(m, "relu");
  add<&K::softmax>(m, "softmax");
  add<&K::softsign>(m, "softsign");
  add<exactly<Crossentropy>(&K::sparse_categorical_crossentropy)>(
      m, "sparse_categorical_crossentropy");
  // CTC.
  add<&K::ctc_batch_cost>(m, "ctc_batch_cost");
  add<&K::ctc_cost>(m, "ctc_cost");
  add<&K::ctc_create_skip_idxs>(m, "ctc_create_skip_idxs");
  add<exactly<std::pair<std::vector<Tensor>, Tensor>(const Operand &, const Operand &, bool,
                                                     int64_t, int64_t, bool, SourceLocation)>(
      &K::ctc_decode)>(m, "ctc_decode");
  add<&K::ctc_interleave_blanks>(m, "ctc_interleave_blanks");
  add<&K::ctc_label_dense_to_sparse>(m, "ctc_label_dense_to_sparse");
  add<&K::ctc_path_probs>(m, "ctc_path_probs");
  add<&K::ctc_update_log_p>(m, "ctc_update_log_p");
}
