//! Runs every target, so that none needs a file or a `[[bin]]` of its own.
//!
//! Under cargo-fuzz it fuzzes the target in the variable `UNSPOOL_FUZZ`. Otherwise, `cargo run --
//! TARGET FILE...` runs a target over files, to replay and debug a finding on stable Rust. With
//! `--mutations N` after the target it also runs over mutations of the files.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
mod fuzzing {
    use std::sync::LazyLock;

    static BODY: LazyLock<fn(&[u8])> = LazyLock::new(|| {
        let name = std::env::var("UNSPOOL_FUZZ").expect("UNSPOOL_FUZZ names the target");
        unspool_fuzz::target(&name).expect("a target of that name").body
    });

    libfuzzer_sys::fuzz_target!(|bytes: &[u8]| BODY(bytes));
}

#[cfg(not(fuzzing))]
fn main() {
    let mut args = std::env::args_os().skip(1);
    let name = args.next().unwrap_or_default();
    let Some(target) = name.to_str().and_then(unspool_fuzz::target) else {
        let names: Vec<_> = unspool_fuzz::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("usage: cargo run -- TARGET [--mutations N] FILE...\ntargets: {}", names.join(", "));
        std::process::exit(2);
    };
    let mut args = args.peekable();
    let mutations = args.next_if(|arg| arg == "--mutations").and_then(|_| args.next()?.to_str()?.parse::<u32>().ok());
    let files: Vec<_> = args.map(|path| std::fs::read(path).expect("the file can be read")).collect();
    files.iter().for_each(|bytes| (target.body)(bytes));
    let mut random = unspool_fuzz::Random(1);
    for _ in 0..mutations.unwrap_or(0) {
        let (seed, other) = (&files[random.below(files.len())], &files[random.below(files.len())]);
        (target.body)(&unspool_fuzz::mutate(seed, other, &mut random));
    }
    println!("{}: nothing found in {} files and {} mutations", target.name, files.len(), mutations.unwrap_or(0));
}
