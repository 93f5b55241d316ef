// Search for the most likely label sequences.
#ifndef KERATIN_DECODING_OPS
#define KERATIN_DECODING_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_CtcBeamSearchOp : Keratin_Op<"ctc_beam_search", [Pure]> {
  let summary = "the most likely label sequences of connectionist temporal classification";
  let batching = "map";
  let savedSince = 1;
  let kernel = "BeamSearch";
  let runtimeFunction = "beam_search";
  let operations = "DimExpr(0)";
  let canFail = 1;
  let description = [{
    Prefix beam search (Graves, Jaitly: Towards end-to-end speech recognition with recurrent
    neural networks; ICML 2014) over logits[b, t, c], the last class being the blank, for the
    first lengths[b] frames, as api/spec.md 16.3 has it; of equally likely prefixes the one
    found first stays. Results: labels [b, paths, t] padded with -1, their numbers [b, paths]
    and log probabilities [b, paths], best first. Fewer prefixes than paths, or a length outside
    [0, time], is an error of the call. No gradient.
  }];
  let arguments = (ins Keratin_FloatTensor:$logits, Keratin_IntTensor:$lengths, I64Attr:$beam_width);
  let results = (outs TensorOf<[I64]>:$labels, TensorOf<[I64]>:$counts,
      Keratin_FloatTensor:$log_probabilities);
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

#endif // KERATIN_DECODING_OPS
