def Api_dot : Keratin_Function<"dot", "linear algebra", "dot(x, y)">;
def Api_batch_dot : Keratin_Function<"batch_dot", "linear algebra", "batch_dot(x, y, axes=None)">;
def Api_transpose : Keratin_Function<"transpose", "linear algebra", "transpose(x)">;
def Api_gather : Keratin_Function<"gather", "linear algebra", "gather(reference, indices)">;
