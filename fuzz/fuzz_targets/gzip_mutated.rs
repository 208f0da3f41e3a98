#![cfg_attr(fuzzing, no_main)]
unspool_fuzz::target!(gzip_mutated);
