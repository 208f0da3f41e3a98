//! Passes errors to JavaScript as numbers.

#[cfg(feature = "messages")]
use alloc::string::String;
#[cfg(feature = "messages")]
use core::fmt::Write;

#[cfg(feature = "messages")]
use unspool::Class;
use unspool::{Error, ErrorKind};
use wasm_bindgen::prelude::*;

use crate::js::array_of;
use crate::number;

/// An error of the core on its way to JavaScript, where it is an array of three numbers: kind,
/// offset and need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub Error);

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl Fault {
    /// Returns kind, offset and need.
    pub fn numbers(self) -> [f64; 3] {
        let Error { kind, at, need } = self.0;
        [f64::from(code(kind)), number::from_u64(at), number::from_u64(need)]
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let [kind, at, need] = fault.numbers();
        array_of(kind, at, need)
    }
}

/// Returns the stable number of a kind.
pub(crate) const fn code(kind: ErrorKind) -> u16 {
    kind as u16
}

/// Returns the core's error table: one line for each kind with number, name, class, title of the
/// class and message, separated by tabs.
#[cfg(feature = "messages")]
#[wasm_bindgen]
pub fn error_kinds() -> String {
    let mut lines = String::new();
    for &kind in ErrorKind::ALL {
        let class = match kind.class() {
            Class::Truncated => "Truncated",
            Class::Corrupt => "Corrupt",
            Class::Checksum => "Checksum",
            Class::Unsupported => "Unsupported",
            Class::Limit => "Limit",
            Class::OutputTooSmall { .. } => "OutputTooSmall",
            Class::WorkspaceTooSmall { .. } => "WorkspaceTooSmall",
            Class::Misuse => "Misuse",
        };
        // Writing to a string cannot fail.
        let _ =
            writeln!(lines, "{}\t{}\t{class}\t{}\t{}", code(kind), kind.name(), kind.class().name(), kind.message());
    }
    lines
}
