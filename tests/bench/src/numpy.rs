//! The reference loader's conversion, in Python.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::beside::Beside;

/// Starts `cvc_numpy.py` on a file. With `cached`, the file is read once and the work starts from memory. With `thrifty`, the C
/// library gives no memory back between conversions: half of what numpy's temporary arrays cost in a process that
/// sets nothing is that the system clears their pages anew each time.
pub fn start(python: &str, file: &Path, cached: bool, thrifty: bool) -> Result<Beside> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cvc_numpy.py");
    let mut command = Command::new(python);
    command.arg(script).arg(file).arg(if cached { "cached" } else { "file" });
    if thrifty {
        command.env("MALLOC_TRIM_THRESHOLD_", "1000000000").env("MALLOC_MMAP_THRESHOLD_", "1000000000");
    }
    Beside::start(command)
}
