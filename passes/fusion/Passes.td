// Passes of passes/fusion; included by passes/Passes.td.
