def Api_max : Keratin_Function<"max", "reduction", "max(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_min : Keratin_Function<"min", "reduction", "min(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_sum : Keratin_Function<"sum", "reduction", "sum(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_prod : Keratin_Function<"prod", "reduction", "prod(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_mean : Keratin_Function<"mean", "reduction", "mean(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_var : Keratin_Function<"var", "reduction", "var(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_std : Keratin_Function<"std", "reduction", "std(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_any : Keratin_Function<"any", "reduction", "any(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_all : Keratin_Function<"all", "reduction", "all(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
def Api_argmax : Keratin_Function<"argmax", "reduction", "argmax(x, axis=-1)">;
def Api_argmin : Keratin_Function<"argmin", "reduction", "argmin(x, axis=-1)">;
def Api_cumsum : Keratin_Function<"cumsum", "reduction", "cumsum(x, axis=0)">;
def Api_cumprod : Keratin_Function<"cumprod", "reduction", "cumprod(x, axis=0)">;
def Api_logsumexp : Keratin_Function<"logsumexp", "reduction", "logsumexp(x, axis=None, keepdims=False)"> { let hasAddress = 0; }
