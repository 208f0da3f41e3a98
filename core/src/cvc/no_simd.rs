//! The same doors as `simd` for machines and builds that have no kernels: nothing is converted.

/// Converts nothing.
pub(super) const fn halves_to_f32(_: &[[u8; 2]], _: &mut [[u8; 4]]) -> bool {
    false
}

/// Converts nothing.
pub(super) const fn codes_to_f32(_: &[u8], _: f32, _: f32, _: &mut [[u8; 4]]) -> bool {
    false
}

/// Returns nothing: no kernel would write them.
pub(super) const fn as_bytes(_: &mut [f32]) -> Option<&mut [[u8; 4]]> {
    None
}
