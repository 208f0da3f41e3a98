//! The machines: start-up code, instruction counters, and output through the emulator.

use core::arch::{asm, global_asm};

unsafe extern "C" {
    static mut stack_low: u32;
}

const PAINT: u32 = 0xA5C3_5A3C;
/// Words below the stack pointer that stay unpainted.
const MARGIN: usize = 16;

#[cfg(target_arch = "arm")]
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top",
    ".word reset",
    ".rept 14",
    ".word fault",
    ".endr",
    ".text",
    ".thumb",
    ".global reset",
    ".thumb_func",
    "reset:",
    "bl start",
    ".global fault",
    ".thumb_func",
    "fault:",
    "b fault",
);

#[cfg(target_arch = "riscv32")]
global_asm!(".section .vectors, \"ax\"", ".global reset", "reset:", "la sp, stack_top", "call start", "1: j 1b",);

#[unsafe(no_mangle)]
extern "C" fn start() -> ! {
    #[cfg(all(target_arch = "arm", target_abi = "eabihf"))]
    // SAFETY: turns on the floating-point unit, which nothing has used yet.
    unsafe {
        let control = 0xE000_ED88 as *mut u32;
        control.write_volatile(control.read_volatile() | 0xF << 20);
        asm!("dsb", "isb");
    }
    let top = paint();
    let before = instructions();
    let bytes = super::work();
    let after = instructions();
    let stack = (top as u32).wrapping_sub(lowest(top) as u32);
    say("bytes ", bytes as u32);
    say(", instructions ", after.wrapping_sub(before));
    say(", stack ", stack);
    #[cfg(feature = "image")]
    say(", hash ", super::hash(bytes));
    say(", heap ", super::HEAP_USED.load(core::sync::atomic::Ordering::Relaxed) as u32);
    text("\n\0");
    exit()
}

fn stack_pointer() -> *mut u32 {
    let top: *mut u32;
    // SAFETY: reads the stack pointer and touches nothing.
    #[cfg(target_arch = "arm")]
    unsafe {
        asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags))
    };
    // SAFETY: as above.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        asm!("mv {}, sp", out(reg) top, options(nomem, nostack, preserves_flags))
    };
    top
}

/// Fills the free stack with a pattern.
#[inline(always)]
fn paint() -> *mut u32 {
    let top = stack_pointer();
    // SAFETY: nothing is stored between the end of static data and the stack pointer.
    unsafe {
        let mut word = &raw mut stack_low;
        while word < top.wrapping_sub(MARGIN) {
            word.write_volatile(PAINT);
            word = word.wrapping_add(1);
        }
    }
    top
}

/// Returns the lowest word that has changed since.
fn lowest(top: *mut u32) -> *mut u32 {
    // SAFETY: as above; all of these words were written.
    unsafe {
        let mut word = &raw mut stack_low;
        while word < top && word.read_volatile() == PAINT {
            word = word.wrapping_add(1);
        }
        word
    }
}

/// Returns the number of instructions so far. With `-icount shift=0` each takes a nanosecond. The
/// timer of the emulated board ticks every 40 of them and wraps after 671 million.
#[cfg(target_arch = "arm")]
fn instructions() -> u32 {
    const CONTROL: *mut u32 = 0xE000_E010 as *mut u32;
    const RELOAD: *mut u32 = 0xE000_E014 as *mut u32;
    const CURRENT: *mut u32 = 0xE000_E018 as *mut u32;
    // SAFETY: the registers of SysTick, which exists on both boards and has no other user.
    unsafe {
        if CONTROL.read_volatile() & 1 == 0 {
            RELOAD.write_volatile(0xFF_FFFF);
            CURRENT.write_volatile(0);
            CONTROL.write_volatile(5);
            // The timer reads 0 until its first tick.
            while CURRENT.read_volatile() == 0 {}
        }
        (0xFF_FFFF - CURRENT.read_volatile()).wrapping_mul(40)
    }
}

#[cfg(target_arch = "riscv32")]
fn instructions() -> u32 {
    let count: u32;
    // SAFETY: reads the counter `instret`. Encoded as a word because the target has no name for it.
    unsafe {
        asm!(".insn i 0x73, 2, {0}, x0, -1022", out(reg) count, options(nomem, nostack));
    }
    count
}

fn semihost(operation: u32, argument: u32) {
    // SAFETY: the emulator answers, and changes only what the call asks it to read.
    #[cfg(target_arch = "arm")]
    unsafe {
        asm!("bkpt 0xAB", inout("r0") operation => _, in("r1") argument, options(nostack))
    };
    // SAFETY: as above; the three instructions must be uncompressed and adjacent.
    #[cfg(target_arch = "riscv32")]
    unsafe {
        asm!(
            ".option push", ".option norvc", ".balign 16", "slli x0, x0, 0x1f", "ebreak", "srai x0, x0, 7", ".option pop",
            inout("a0") operation => _, in("a1") argument, options(nostack)
        )
    };
}

fn text(zero_terminated: &str) {
    semihost(0x04, zero_terminated.as_ptr() as u32);
}

/// The values of decimal digits. A division would link code that a decoder could then use without
/// paying for it.
static PLACES: [u32; 10] = [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];

/// Prints a word and a number.
fn say(what: &str, mut n: u32) {
    what.bytes().for_each(|byte| semihost(0x03, (&raw const byte) as u32));
    let mut leading = true;
    for &place in &PLACES {
        let mut digit = b'0';
        while n >= place {
            n -= place;
            digit += 1;
        }
        leading &= digit == b'0' && place > 1;
        if !leading {
            semihost(0x03, (&raw const digit) as u32);
        }
    }
}

fn exit() -> ! {
    semihost(0x18, 0x2_0026);
    loop {
        core::hint::spin_loop();
    }
}
