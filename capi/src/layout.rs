//! Written by `cargo xtask header`.

/// A hash of every declaration in the headers. The low two bits are free for the build.
pub const LAYOUT: u32 = 0x171E_5324;
