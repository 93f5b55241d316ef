def Api_learning_phase : Keratin_Function<"learning_phase", "training-phase", "learning_phase()">;
def Api_set_learning_phase : Keratin_Function<"set_learning_phase", "training-phase",
    "set_learning_phase(value)">;
def Api_in_train_phase : Keratin_Function<"in_train_phase", "training-phase",
    "in_train_phase(x, alt, training=None)">;
def Api_in_test_phase : Keratin_Function<"in_test_phase", "training-phase",
    "in_test_phase(x, alt, training=None)">;
