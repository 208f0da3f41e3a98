#![cfg_attr(fuzzing, no_main)]
unspool_fuzz::target!(xz_mutated);
