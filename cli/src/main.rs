//! `unspool`: inspects, decodes, queries and checks files.

fn main() -> std::process::ExitCode {
    unspool_cli::main()
}
