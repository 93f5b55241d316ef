def Api_ctc_label_dense_to_sparse : Keratin_Function<"ctc_label_dense_to_sparse", "ctc",
    "ctc_label_dense_to_sparse(labels, label_lengths)">;
def Api_ctc_batch_cost : Keratin_Function<"ctc_batch_cost", "ctc",
    "ctc_batch_cost(y_true, y_pred, input_length, label_length)">;
def Api_ctc_decode : Keratin_Function<"ctc_decode", "ctc",
    "ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, merge_repeated=False)"> { let hasAddress = 0; }
def Api_ctc_interleave_blanks : Keratin_Function<"ctc_interleave_blanks", "ctc", "ctc_interleave_blanks(Y)">;
def Api_ctc_create_skip_idxs : Keratin_Function<"ctc_create_skip_idxs", "ctc", "ctc_create_skip_idxs(Y)">;
def Api_ctc_update_log_p : Keratin_Function<"ctc_update_log_p", "ctc",
    "ctc_update_log_p(skip_idxs, zeros, active, log_p_curr, log_p_prev)">;
def Api_ctc_path_probs : Keratin_Function<"ctc_path_probs", "ctc",
    "ctc_path_probs(predict, Y, alpha=0.0001)">;
def Api_ctc_cost : Keratin_Function<"ctc_cost", "ctc", "ctc_cost(predict, Y)">;
