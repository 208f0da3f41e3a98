//! Work that brings no output.

/// Counts steps that may bring no output: gaps that stay empty, values that are looked up. A long text with nothing but gaps, used over and
/// over, would keep a decoder busy for hours without a byte of output.
#[derive(Debug, Default)]
pub(crate) struct Idle(u64);

impl Idle {
    /// Steps for each byte of output, and to begin with.
    const A_BYTE: u64 = 64;
    const FREE: u64 = 1 << 20;

    /// So many steps more come, perhaps for nothing. Says whether these are too many for what is written.
    #[inline]
    pub(crate) const fn is_too_much(&mut self, steps: u64, written: u64) -> bool {
        self.0 = self.0.saturating_add(steps);
        self.0 > written.saturating_mul(Self::A_BYTE).saturating_add(Self::FREE)
    }
}
