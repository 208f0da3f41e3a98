//! `unspool`: inspects, decodes, queries and checks files.

use unspool_cli::memory::Counting;

#[global_allocator]
static HEAP: Counting = Counting;

/// Functions in this section run before the runtime of Rust starts.
#[cfg(unix)]
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = unspool_cli::look_at_stdout;

fn main() -> std::process::ExitCode {
    unspool_cli::main()
}
