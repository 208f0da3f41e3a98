//! Measures the stack of a call: fills the free stack with a pattern, calls, and finds the lowest
//! word that changed.

const PAINT: u32 = 0xA5C3_5A3C;
/// Words below the stack pointer that stay unpainted, because the painter may use them.
const MARGIN: usize = 16;

unsafe extern "C" {
    /// From the linker script of `cortex-m-rt`: the end of all static data, which a stack overflow
    /// would reach.
    static mut _stack_end: u32;
}

/// Returns the result of `work` and the bytes of stack that it used, to the word above 64 bytes.
#[inline(never)]
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, u32) {
    let end = &raw mut _stack_end;
    let top: *mut u32;
    // SAFETY: reads the stack pointer and touches nothing.
    unsafe { core::arch::asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) };

    // SAFETY: nothing is stored between the end of static data and the stack pointer. No interrupt
    // is enabled, so nothing else runs. Volatile, because the compiler knows of no other use of
    // these words.
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
