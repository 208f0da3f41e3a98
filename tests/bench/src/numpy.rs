//! The conversion of the reference loader, in Python.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::beside::Beside;

/// Starts `cvc_numpy.py` on a file. With `cached`, it reads the file once and works from memory.
/// With `thrifty`, the C library keeps freed memory between conversions. By default the system
/// clears new pages for each temporary array, which is half of their cost.
pub fn start(python: &str, file: &Path, cached: bool, thrifty: bool) -> Result<Beside> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cvc_numpy.py");
    let mut command = Command::new(python);
    command.arg(script).arg(file).arg(if cached { "cached" } else { "file" });
    if thrifty {
        command.env("MALLOC_TRIM_THRESHOLD_", "1000000000").env("MALLOC_MMAP_THRESHOLD_", "1000000000");
    }
    Beside::start(command)
}
