// Passes of passes/memory; included by passes/Passes.td.
