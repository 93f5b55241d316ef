// Graves, Fernandez, Gomez, Schmidhuber: Connectionist temporal classification; ICML 2006.
def Api_ctc_label_dense_to_sparse : Keratin_Function<"ctc_label_dense_to_sparse", "ctc",
    "ctc_label_dense_to_sparse(labels, label_lengths)"> {
  let documentation = [{
    The first labels of each row, as a sparse tensor.

    Args:
        labels: a tensor of shape (samples, length).
        label_lengths: how many of each row are stored, a vector of integers.

    Returns:
        A sparse tensor of the shape and dtype of labels, in which zeros are stored too.

    Raises:
        ValueError: at the call, for a length that is not from 0 to the number of columns.
  }];
}
def Api_ctc_batch_cost : Keratin_Function<"ctc_batch_cost", "ctc",
    "ctc_batch_cost(y_true, y_pred, input_length, label_length)"> {
  let documentation = [{
    The CTC loss: -log p(labels | frames), over all alignments of the labels to the frames.

    Graves et al. 2006, Connectionist temporal classification: labelling unsegmented sequence data
    with recurrent neural networks. The last class is the blank.

    Args:
        y_true: the labels, a tensor of shape (samples, length) of numbers of classes.
        y_pred: probabilities (samples, time, classes); epsilon() is added, and they are scaled to
            sum to 1.
        input_length: how many frames count, (samples, 1) or (samples,).
        label_length: how many labels count, likewise.

    Returns:
        A tensor of shape (samples, 1); inf, with gradient 0, where the frames are too few. The
        gradient goes to y_pred alone.

    Raises:
        ValueError: for other shapes; at the call for a label that is no class, or is the blank,
            and for lengths outside the tensors.
  }];
}
def Api_ctc_decode : Keratin_Function<"ctc_decode", "ctc",
    "ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, "
    "merge_repeated=False)"> {
  let pythonResult = "Tuple[List[Tensor], Tensor]";
  let hasAddress = 0;
  let documentation = [{
    The likeliest labels for the frames of each sample.

    Greedy: the likeliest class of each frame (Graves et al. 2006). Otherwise a beam search over
    prefixes (Graves & Jaitly 2014, Towards end-to-end speech recognition with recurrent neural
    networks). The last class is the blank.

    Args:
        y_pred: probabilities (samples, time, classes); epsilon() is added.
        input_length: how many frames count, (samples,) or (samples, 1).
        greedy: whether the best class of each frame is taken, repeated ones once.
        beam_width: how many prefixes the search keeps.
        top_paths: how many sequences it returns, at most beam_width.
        merge_repeated: whether equal neighbours in its sequences become one label.

    Returns:
        (list of sequences, scores). Each entry is int64 (samples, longest), filled up with -1.
        Scores: greedy, minus the sum of the chosen log(y_pred + epsilon()), (samples, 1);
        otherwise the log probabilities (samples, top_paths), best first. No gradient.

    Raises:
        ValueError: for top_paths above beam_width; at the call for lengths outside the tensor,
            and for fewer sequences than top_paths.
  }];
}
def Api_ctc_interleave_blanks : Keratin_Function<"ctc_interleave_blanks", "ctc",
    "ctc_interleave_blanks(Y)"> {
  let documentation = [{
    Labels with blanks, written -1, around them: [3, 5] becomes [-1, 3, -1, 5, -1].

    Args:
        Y: a vector of n integers.

    Returns:
        A vector of 2 * n + 1 integers.
  }];
}
def Api_ctc_create_skip_idxs : Keratin_Function<"ctc_create_skip_idxs", "ctc",
    "ctc_create_skip_idxs(Y)"> {
  let documentation = [{
    The places of labels from which a path may skip the next blank: the next label differs.

    Args:
        Y: what ctc_interleave_blanks() returns.

    Returns:
        An int64 vector of places 1, 3, 5, ..., whose size is known at the call only.
  }];
}
def Api_ctc_update_log_p : Keratin_Function<"ctc_update_log_p", "ctc",
    "ctc_update_log_p(skip_idxs, zeros, active, log_p_curr, log_p_prev)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    One frame of the forward recursion of CTC, over the states of interleaved labels.

    Args:
        skip_idxs: what ctc_create_skip_idxs() returns.
        zeros: a vector with an element for each state, which states out of reach are given.
        active: how many states, from the first, are in reach: a scalar of integers.
        log_p_curr: the log probability of each state's label in this frame, a vector.
        log_p_prev: the log probabilities of the paths so far, a vector.

    Returns:
        (states in reach after it, int32; log probabilities of the paths with this frame).
  }];
}
def Api_ctc_path_probs : Keratin_Function<"ctc_path_probs", "ctc",
    "ctc_path_probs(predict, Y, alpha=0.0001)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    The log probabilities of all paths through each state at each frame, forward and backward.

    Args:
        predict: probabilities (time, classes), the last class being the blank.
        Y: what ctc_interleave_blanks() returns.
        alpha: the part of a uniform distribution over Y that is mixed in, a number.

    Returns:
        (log_probs, mask), both (time, states): the mask says which states a path can pass; of the
        others log_probs mean nothing.
  }];
}
def Api_ctc_cost : Keratin_Function<"ctc_cost", "ctc", "ctc_cost(predict, Y)"> {
  let documentation = [{
    The CTC loss of one sample summed over all frames: -log p(labels | frames) - log(time).

    Args:
        predict: probabilities (time, classes), the last class being the blank.
        Y: the labels, a vector of integers, without blanks.

    Returns:
        A scalar; ctc_path_probs() has its smoothing. See ctc_batch_cost() for the loss itself.
  }];
}
