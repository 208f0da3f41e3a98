//! Elements of an output of f32.

use super::simd;

/// An element of an output of f32: the number itself, or its four little-endian bytes.
pub(super) trait Cell: Sized {
    fn put(&mut self, value: f32);

    /// Returns the little-endian bytes of all cells, for the kernels of [`simd`]; `None` if this
    /// build has none.
    fn bytes(cells: &mut [Self]) -> Option<&mut [[u8; 4]]>;
}

impl Cell for f32 {
    #[inline(always)]
    fn put(&mut self, value: f32) {
        *self = value;
    }

    #[inline(always)]
    fn bytes(cells: &mut [Self]) -> Option<&mut [[u8; 4]]> {
        simd::as_bytes(cells)
    }
}

impl Cell for [u8; 4] {
    #[inline(always)]
    fn put(&mut self, value: f32) {
        *self = value.to_le_bytes();
    }

    #[inline(always)]
    fn bytes(cells: &mut [Self]) -> Option<&mut [[u8; 4]]> {
        Some(cells)
    }
}
