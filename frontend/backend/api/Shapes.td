def Api_concatenate : Keratin_Function<"concatenate", "shape", "concatenate(tensors, axis=-1)">;
def Api_reshape : Keratin_Function<"reshape", "shape", "reshape(x, shape)">;
def Api_permute_dimensions : Keratin_Function<"permute_dimensions", "shape",
    "permute_dimensions(x, pattern)">;
def Api_resize_images : Keratin_Function<"resize_images", "shape",
    "resize_images(x, height_factor, width_factor, data_format, interpolation='nearest')">;
def Api_resize_volumes : Keratin_Function<"resize_volumes", "shape",
    "resize_volumes(x, depth_factor, height_factor, width_factor, data_format)">;
def Api_repeat_elements : Keratin_Function<"repeat_elements", "shape", "repeat_elements(x, rep, axis)">;
def Api_repeat : Keratin_Function<"repeat", "shape", "repeat(x, n)">;
def Api_tile : Keratin_Function<"tile", "shape", "tile(x, n)">;
def Api_flatten : Keratin_Function<"flatten", "shape", "flatten(x)">;
def Api_batch_flatten : Keratin_Function<"batch_flatten", "shape", "batch_flatten(x)">;
def Api_expand_dims : Keratin_Function<"expand_dims", "shape", "expand_dims(x, axis=-1)">;
def Api_squeeze : Keratin_Function<"squeeze", "shape", "squeeze(x, axis)">;
def Api_temporal_padding : Keratin_Function<"temporal_padding", "shape",
    "temporal_padding(x, padding=(1, 1))">;
def Api_spatial_2d_padding : Keratin_Function<"spatial_2d_padding", "shape",
    "spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None)">;
def Api_spatial_3d_padding : Keratin_Function<"spatial_3d_padding", "shape",
    "spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None)">;
def Api_stack : Keratin_Function<"stack", "shape", "stack(x, axis=0)">;
def Api_one_hot : Keratin_Function<"one_hot", "shape", "one_hot(indices, num_classes)">;
def Api_reverse : Keratin_Function<"reverse", "shape", "reverse(x, axes)">;
def Api_pattern_broadcast : Keratin_Function<"pattern_broadcast", "shape",
    "pattern_broadcast(x, broadcastable)">;
def Api_slice : Keratin_Function<"slice", "shape", "slice(x, start, size)">;
