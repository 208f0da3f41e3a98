#![cfg_attr(fuzzing, no_main)]
unspool_fuzz::target!(at1_query);
