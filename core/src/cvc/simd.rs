//! Conversions with instructions that are chosen at run time: F16C and AVX2 on x86-64, NEON on
//! aarch64.
//!
//! `kernel!` compiles a function for instructions that the build does not assume, and takes a token
//! that proves that the machine has them. Each kernel writes the bits that the portable loop of
//! `Payload::decode_f32` writes. `docs/tried/cvc.md` has the measurements.

use super::convert::half_to_f32;
use fearless_simd::prelude::*;
use fearless_simd::{Level, u8x16};

/// Returns the bytes of numbers, which are little-endian on the machines that have kernels.
pub(super) fn as_bytes(cells: &mut [f32]) -> Option<&mut [[u8; 4]]> {
    bytemuck::try_cast_slice_mut(cells).ok()
}

/// Converts as many half floats as both slices hold to the bytes of f32. Returns `false` and
/// converts nothing if the machine lacks the instructions.
pub(super) fn halves_to_f32(stored: &[[u8; 2]], to: &mut [[u8; 4]]) -> bool {
    #[cfg(target_arch = "x86_64")]
    let token = Level::new().as_avx2();
    #[cfg(target_arch = "aarch64")]
    let token = Level::new().as_neon();
    token.is_some_and(|token| {
        let len = stored.len().min(to.len());
        let (stored, rest) = stored.get(..len).unwrap_or_default().as_chunks();
        let (to, rest_to) = to.get_mut(..len).unwrap_or_default().as_chunks_mut();
        convert_halves(token, stored, to);
        one_by_one(rest, rest_to);
        true
    })
}

/// Converts codes of int8 likewise, for a finite `min` and `scale`. On aarch64 the portable loop is
/// compiled to the same instructions.
pub(super) fn codes_to_f32(stored: &[u8], min: f32, scale: f32, to: &mut [[u8; 4]]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = Level::new().as_avx2() {
        convert_codes(token, stored, min, scale, to);
        return true;
    }
    let _ = (stored, min, scale, to);
    false
}

/// Converts the halves of a group that has infinities or NaNs, or of the rest after all groups.
/// Instructions make a signalling NaN quiet, which numpy does not.
#[inline(never)]
fn one_by_one(stored: &[[u8; 2]], to: &mut [[u8; 4]]) {
    for (to, &half) in to.iter_mut().zip(stored) {
        *to = half_to_f32(u16::from_le_bytes(half)).to_le_bytes();
    }
}

/// Half floats that are converted at once.
const GROUP: usize = 16;

/// The largest finite half float, without its sign.
const MOST: i16 = 0x7BFF;

fearless_simd::kernel!(
    /// Hot loop: 16 halves take 2 conversions and 7 other instructions.
    fn convert_halves(avx2: Avx2, stored: &[[[u8; 2]; GROUP]], to: &mut [[[u8; 4]; GROUP]]) {
        use core::arch::x86_64::{
            __m128i, _mm_and_si128, _mm_cmpgt_epi16, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi16, _mm256_cvtph_ps,
        };
        use fearless_simd::{f32x8, u8x32};
        let (magnitude, most) = (_mm_set1_epi16(i16::MAX), _mm_set1_epi16(MOST));
        let is_special = |halves| _mm_cmpgt_epi16(_mm_and_si128(halves, magnitude), most);
        for (to, stored) in to.iter_mut().zip(stored) {
            let ([low, high], _) = stored.as_flattened().as_chunks::<16>() else { continue };
            let [low, high] = [low, high].map(|&halves| -> __m128i {
                let halves: u8x16<_> = halves.simd_into(avx2);
                halves.into()
            });
            if _mm_movemask_epi8(_mm_or_si128(is_special(low), is_special(high))) != 0 {
                one_by_one(stored, to);
                continue;
            }
            let ([to_low, to_high], _) = to.as_flattened_mut().as_chunks_mut::<32>() else { continue };
            for (to, halves) in [(to_low, low), (to_high, high)] {
                let floats: f32x8<_> = _mm256_cvtph_ps(halves).simd_into(avx2);
                floats.bitcast::<u8x32<_>>().store_slice(to);
            }
        }
    }
);

fearless_simd::kernel!(
    /// Hot loop: 16 halves take 4 conversions and 6 other instructions.
    fn convert_halves(neon: Neon, stored: &[[[u8; 2]; GROUP]], to: &mut [[[u8; 4]; GROUP]]) {
        use core::arch::aarch64::{
            float32x4_t, uint8x16_t, uint16x8_t, vandq_u16, vcvt_f32_f16, vcvt_high_f32_f16, vdupq_n_u16, vget_low_f16,
            vmaxq_u16, vmaxvq_u16, vreinterpretq_f16_u16, vreinterpretq_u16_u8,
        };
        use fearless_simd::f32x4;
        let magnitude = vdupq_n_u16(i16::MAX.cast_unsigned());
        for (to, stored) in to.iter_mut().zip(stored) {
            let ([low, high], _) = stored.as_flattened().as_chunks::<16>() else { continue };
            let [low, high] = [low, high].map(|&halves| -> uint16x8_t {
                let halves: u8x16<_> = halves.simd_into(neon);
                let halves: uint8x16_t = halves.into();
                vreinterpretq_u16_u8(halves)
            });
            let largest = vmaxvq_u16(vmaxq_u16(vandq_u16(low, magnitude), vandq_u16(high, magnitude)));
            if largest > MOST.cast_unsigned() {
                one_by_one(stored, to);
                continue;
            }
            let ([to_low, to_high], _) = to.as_flattened_mut().as_chunks_mut::<32>() else { continue };
            for (to, halves) in [(to_low, low), (to_high, high)] {
                let halves = vreinterpretq_f16_u16(halves);
                let floats: [float32x4_t; 2] = [vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)];
                for (to, floats) in to.as_chunks_mut::<16>().0.iter_mut().zip(floats) {
                    let floats: f32x4<_> = floats.simd_into(neon);
                    floats.bitcast::<u8x16<_>>().store_slice(to);
                }
            }
        }
    }
);

fearless_simd::kernel!(
    /// Hot loop: the portable loop, compiled for AVX2. Product and sum stay two instructions, which
    /// round twice.
    fn convert_codes(avx2: Avx2, stored: &[u8], min: f32, scale: f32, to: &mut [[u8; 4]]) {
        for (to, &code) in to.iter_mut().zip(stored) {
            *to = super::convert::code_to_f32(code, min, scale).to_le_bytes();
        }
    }
);

#[cfg(test)]
mod tests {
    use super::super::convert::code_to_f32;
    use super::*;

    /// Returns whether this machine has the instructions, found out in another way.
    fn has_instructions() -> bool {
        #[cfg(target_arch = "x86_64")]
        let found = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("f16c");
        #[cfg(target_arch = "aarch64")]
        let found = true;
        found
    }

    /// Compares with the portable conversion, and that nothing after the values changes.
    fn check_halves(halves: &[u16]) {
        let stored: Vec<[u8; 2]> = halves.iter().map(|half| half.to_le_bytes()).collect();
        let mut to = vec![[0xAA; 4]; halves.len() + 3];
        let (exact, after) = to.split_at_mut(halves.len());
        assert_eq!(halves_to_f32(&stored, exact), has_instructions());
        if has_instructions() {
            for (&half, cell) in halves.iter().zip(&*exact) {
                assert_eq!(u32::from_le_bytes(*cell), half_to_f32(half).to_bits(), "{half:04x}");
            }
        }
        assert_eq!(after, [[0xAA; 4]; 3]);
    }

    #[test]
    fn every_half_in_every_lane_has_the_portable_bits() {
        let all: Vec<u16> = (0..=u16::MAX).collect();
        for lane in 0..GROUP {
            check_halves(&[&vec![0x3C00; lane], &*all].concat());
        }
        // One special value among finite ones, so that each lane is looked at.
        for lane in 0..GROUP {
            for special in [0x7C00, 0xFC00, 0x7C01, 0xFDFF, 0x7E00, 0xFFFF] {
                let mut halves = [0x0001u16; GROUP];
                halves[lane] = special;
                check_halves(&halves);
            }
        }
    }

    #[test]
    fn every_length_ends_where_it_should() {
        for len in 0..=64u16 {
            for start in [0, 0x3BF0, 0x7BF0, 0x8000, 0xFBF8] {
                check_halves(&(start..).take(usize::from(len)).collect::<Vec<_>>());
            }
        }
        // The shorter slice counts.
        let mut to = [[0xAA; 4]; 40];
        if halves_to_f32(&[[0, 0x3C]; 33], &mut to) {
            assert_eq!(to[..33], [1f32.to_le_bytes(); 33]);
            assert_eq!(to[33..], [[0xAA; 4]; 7]);
            to.fill([0xAA; 4]);
            assert!(halves_to_f32(&[[0, 0x3C]; 40], &mut to[..18]));
            assert_eq!((to[..18].to_vec(), to[18]), (vec![1f32.to_le_bytes(); 18], [0xAA; 4]));
        }
    }

    #[test]
    fn every_code_at_every_length_has_the_portable_bits() {
        let codes: Vec<u8> = (0..=255).chain(0..=64).collect();
        let numbers = [0.0, -0.0, 1.0, -0.3, 0.1, 1e-40, -3.4e38, f32::MIN_POSITIVE, 1.000_000_1, 7.843_137e-3];
        for (min, scale) in numbers.into_iter().flat_map(|min| numbers.map(|scale| (min, scale))) {
            for len in (0..=64).chain([codes.len()]) {
                let mut to = vec![[0xAA; 4]; len + 3];
                let (exact, after) = to.split_at_mut(len);
                let stored = &codes[codes.len() - len..];
                let done = codes_to_f32(stored, min, scale, exact);
                assert_eq!(done, cfg!(target_arch = "x86_64") && has_instructions());
                for (cell, &code) in exact.iter().zip(stored).take(if done { len } else { 0 }) {
                    assert_eq!(*cell, code_to_f32(code, min, scale).to_le_bytes(), "{code} * {scale} + {min}");
                }
                assert_eq!(after, [[0xAA; 4]; 3]);
            }
        }
    }
}
