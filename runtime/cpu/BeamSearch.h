// Prefix beam search over the frames of one sample after the other (K::ctc_decode,
// keratin.ctc_beam_search).
#ifndef KERATIN_RUNTIME_CPU_BEAMSEARCH_H
#define KERATIN_RUNTIME_CPU_BEAMSEARCH_H

#include "runtime/abi/keratin_abi.h"

namespace keratin::runtime {

// keratin_context_t::beam_search.
void beamSearch(keratin_context_t *context, const keratin_beam_search_t *search, int64_t begin,
                int64_t end);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CPU_BEAMSEARCH_H
