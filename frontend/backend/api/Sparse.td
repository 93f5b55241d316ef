def Api_is_sparse : Keratin_Function<"is_sparse", "sparse", "is_sparse(tensor)">;
def Api_to_dense : Keratin_Function<"to_dense", "sparse", "to_dense(tensor)">;
