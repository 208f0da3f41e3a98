//! `unspool`: inspects, decodes, queries and checks files.

use unspool_cli::memory::Counting;

#[global_allocator]
static HEAP: Counting = Counting;

fn main() -> std::process::ExitCode {
    unspool_cli::main()
}
