//! Runs every target, so that none needs a file or a `[[bin]]` of its own.
//!
//! Under cargo-fuzz it fuzzes the target in the variable `UNSPOOL_FUZZ`, or the one that it is
//! named after.
//!
//! Otherwise, `cargo run -- TARGET FILE...` runs a target over files, to replay and debug a finding
//! on stable Rust. With `--mutations N` after the target it also runs over mutations of the files;
//! `--seed S` chooses others. The last line counts the executions. `--list` names the targets.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
mod fuzzing {
    use std::sync::LazyLock;

    static BODY: LazyLock<fn(&[u8])> = LazyLock::new(|| {
        let own = || Some(std::env::current_exe().ok()?.file_stem()?.to_string_lossy().into_owned());
        let name = std::env::var("UNSPOOL_FUZZ").ok().or_else(own).expect("UNSPOOL_FUZZ names the target");
        unspool_fuzz::target(&name).expect("a target of that name").body
    });

    libfuzzer_sys::fuzz_target!(|bytes: &[u8]| BODY(bytes));
}

#[cfg(not(fuzzing))]
fn main() {
    let mut args = std::env::args_os().skip(1);
    let name = args.next().unwrap_or_default();
    if name == "--list" {
        return unspool_fuzz::TARGETS.iter().for_each(|target| println!("{}", target.name));
    }
    let Some(target) = name.to_str().and_then(unspool_fuzz::target) else {
        let names: Vec<_> = unspool_fuzz::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("usage: cargo run -- TARGET [--mutations N] [--seed S] FILE...\ntargets: {}", names.join(", "));
        std::process::exit(2);
    };
    let mut args = args.peekable();
    let mut number = |option: &str| -> Option<u64> {
        args.next_if(|arg| arg == option)?;
        Some(args.next().and_then(|value| value.to_str()?.parse().ok()).expect("a number after the option"))
    };
    let (mutations, seed) = (number("--mutations").unwrap_or(0), number("--seed").unwrap_or(1));
    let files: Vec<_> = args.map(|path| std::fs::read(path).expect("the file can be read")).collect();
    files.iter().for_each(|bytes| (target.body)(bytes));
    let mut random = unspool_fuzz::Random(seed);
    for _ in 0..mutations {
        let (seed, other) = (&files[random.below(files.len())], &files[random.below(files.len())]);
        (target.body)(&unspool_fuzz::mutate(seed, other, &mut random));
    }
    println!("{}: nothing found in {} executions", target.name, files.len() as u64 + mutations);
}
