// Passes of passes/autodiff; included by passes/Passes.td.
