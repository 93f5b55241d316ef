def Api_normalize_batch_in_training : Keratin_Function<"normalize_batch_in_training", "nn",
    "normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001)">;
def Api_batch_normalization : Keratin_Function<"batch_normalization", "nn",
    "batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=0.001)"> { let hasAddress = 0; }
def Api_relu : Keratin_Function<"relu", "nn", "relu(x, alpha=0.0, max_value=None, threshold=0.0)"> { let hasAddress = 0; }
def Api_elu : Keratin_Function<"elu", "nn", "elu(x, alpha=1.0)">;
def Api_softmax : Keratin_Function<"softmax", "nn", "softmax(x, axis=-1)">;
def Api_softplus : Keratin_Function<"softplus", "nn", "softplus(x)">;
def Api_softsign : Keratin_Function<"softsign", "nn", "softsign(x)">;
def Api_sigmoid : Keratin_Function<"sigmoid", "nn", "sigmoid(x)">;
def Api_hard_sigmoid : Keratin_Function<"hard_sigmoid", "nn", "hard_sigmoid(x)">;
def Api_tanh : Keratin_Function<"tanh", "nn", "tanh(x)">;
def Api_categorical_crossentropy : Keratin_Function<"categorical_crossentropy", "nn",
    "categorical_crossentropy(target, output, from_logits=False, axis=-1)"> { let hasAddress = 0; }
def Api_sparse_categorical_crossentropy : Keratin_Function<"sparse_categorical_crossentropy", "nn",
    "sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1)"> { let hasAddress = 0; }
def Api_binary_crossentropy : Keratin_Function<"binary_crossentropy", "nn",
    "binary_crossentropy(target, output, from_logits=False)">;
def Api_dropout : Keratin_Function<"dropout", "nn", "dropout(x, level, noise_shape=None, seed=None)"> { let hasAddress = 0; }
def Api_l2_normalize : Keratin_Function<"l2_normalize", "nn", "l2_normalize(x, axis=None)">;
def Api_in_top_k : Keratin_Function<"in_top_k", "nn", "in_top_k(predictions, targets, k)">;
def Api_bias_add : Keratin_Function<"bias_add", "nn", "bias_add(x, bias, data_format=None)">;
