//! The JSON of headers: checked once, then walked without allocation.
//!
//! The writers of CVC and AT-1 write Python's JSON, which is wider than RFC 8259: bare `NaN`,
//! `Infinity` and `-Infinity`, duplicate keys, lone surrogate escapes, a byte order mark.
//!
//! [`check`] reads the whole text once and refuses what Python refuses. After that, [`Node`] walks
//! over well-formed text and cannot fail.

mod check;
mod node;
mod text;

pub(crate) use check::check;
pub(crate) use node::{Elements, Member, Node};
pub use text::Text;
