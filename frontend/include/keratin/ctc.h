// K functions: connectionist temporal classification (Graves, Fernandez, Gomez, Schmidhuber:
// Connectionist temporal classification; ICML 2006).
//
// Of C classes the last, C - 1, is the blank.
#ifndef KERATIN_CTC_H
#define KERATIN_CTC_H

#include "keratin/arguments.h"

#include <utility>
#include <vector>

namespace keratin::backend {

// -log p(label | frames) of each sample, (samples, 1): the sum over all alignments of the labels to
// the first input_length frames, in the log domain. y_true (samples, labels) holds class numbers,
// of which the first label_length count; y_pred (samples, time, classes) probabilities, to which
// epsilon is added before they are scaled to sum to 1; lengths are (samples, 1) or (samples,).
// +inf, with gradient 0, where the frames are too few. Gradient: of y_pred only. A label outside
// [0, C - 2] or a length outside its range is an error of the call.
Tensor ctc_batch_cost(const Operand &y_true, const Operand &y_pred, const Operand &input_length,
                      const Operand &label_length,
                      SourceLocation location = SourceLocation::current());

// The most likely label sequences of each sample, from y_pred (samples, time, classes), to which
// epsilon is added and of which the logarithm is taken, z, in the first input_length frames;
// lengths are (samples,) or (samples, 1). Each is int64 (samples, longest), rows filled up with -1;
// how long the longest is is known only at the call. Greedy: the first largest of each frame,
// repeated ones once, without blanks; and minus the sum of the largest z, (samples, 1). Otherwise:
// the top_paths best of a search that keeps beam_width prefixes, best first, and their log
// probabilities (samples, top_paths), z being normalised; merge_repeated leaves out labels equal to
// the one before them. Fewer sequences than top_paths, or a length outside [0, time], is an error
// of the call. No gradient.
std::pair<std::vector<Tensor>, Tensor>
ctc_decode(const Operand &y_pred, const Operand &input_length, bool greedy = true,
           int64_t beam_width = 100, int64_t top_paths = 1, bool merge_repeated = false,
           SourceLocation location = SourceLocation::current());

// The first label_lengths[b] entries of each row of labels (samples, labels) as a sparse tensor of
// that shape and dtype, zeros among them. A length outside [0, labels] is an error of the call.
Tensor ctc_label_dense_to_sparse(const Operand &labels, const Operand &label_lengths,
                                 SourceLocation location = SourceLocation::current());

// The rest is for one sample: Y is a vector of labels, predict (time, classes) probabilities.

// Y with blanks, written -1, between and around: 2 n + 1 of them.
Tensor ctc_interleave_blanks(const Operand &Y, SourceLocation location = SourceLocation::current());
// For an interleaved Y: the states 1, 3, 5, … whose label differs from the next one's, int64; how
// many there are is known only at the call.
Tensor ctc_create_skip_idxs(const Operand &Y, SourceLocation location = SourceLocation::current());
// One step of the forward recursion over the states of an interleaved Y, of which the first
// `active` are reachable: (number of reachable states, their log probabilities, `zeros` behind
// them). skip_idxs: the states from which the next blank may be skipped.
std::pair<Tensor, Tensor> ctc_update_log_p(const Operand &skip_idxs, const Operand &zeros,
                                           const Operand &active, const Operand &log_p_curr,
                                           const Operand &log_p_prev,
                                           SourceLocation location = SourceLocation::current());
// For the interleaved Y: log probabilities of all paths through each state at each frame, and which
// states can be passed, both (time, states). Probabilities are mixed with alpha times the uniform
// distribution over Y.
std::pair<Tensor, Tensor> ctc_path_probs(const Operand &predict, const Operand &Y,
                                         double alpha = 1e-4,
                                         SourceLocation location = SourceLocation::current());
// -log of the paths' probabilities summed over states and frames, for a plain Y: the negative log
// likelihood less log(time).
Tensor ctc_cost(const Operand &predict, const Operand &Y,
                SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_CTC_H
