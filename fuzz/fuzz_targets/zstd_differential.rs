#![cfg_attr(fuzzing, no_main)]
unspool_fuzz::target!(zstd_differential);
