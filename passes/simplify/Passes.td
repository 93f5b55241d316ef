// Passes of passes/simplify; included by passes/Passes.td.
