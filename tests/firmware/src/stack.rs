//! How deep a call went: fill the free stack with a pattern, call, look for the lowest word that changed.

const PAINT: u32 = 0xA5C3_5A3C;
/// Words below the stack pointer that stay unpainted, because the painter itself may be using them.
const MARGIN: usize = 16;

unsafe extern "C" {
    /// From the linker script of `cortex-m-rt`: the end of everything static, where an overflowing stack would arrive.
    static mut _stack_end: u32;
}

/// What `work` gives, and how many bytes of stack it took. Accurate to the word above 64 bytes.
#[inline(never)]
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, u32) {
    let end = &raw mut _stack_end;
    let top: *mut u32;
    // SAFETY: reads the stack pointer and touches nothing.
    unsafe { core::arch::asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) };

    // SAFETY: from the end of everything static to below the stack pointer nothing lives. No interrupt is enabled, so
    // nothing else runs. Volatile, because to the compiler these words are nobody's.
    unsafe {
        let mut word = end;
        while word < top.wrapping_sub(MARGIN) {
            word.write_volatile(PAINT);
            word = word.wrapping_add(1);
        }
    }
    let result = work();
    // SAFETY: as above; all of these words were written.
    let lowest = unsafe {
        let mut word = end;
        while word < top.wrapping_sub(MARGIN) && word.read_volatile() == PAINT {
            word = word.wrapping_add(1);
        }
        word
    };
    (result, (top as u32).wrapping_sub(lowest as u32))
}
