//! Shared by every program: measures the stack, prints the result, and fails to link if a panic is
//! reachable.
//!
//! A program in `src/bin` decodes files in flash into `static` buffers and compares the result:
//!
//! ```ignore
//! firmware::file!(FILE, "../../vectors/cvc/x.cvc");
//!
//! #[entry]
//! fn main() -> ! {
//!     static mut OUT: [u8; 64] = [0; 64];
//!     let mut test = Test::new("cvc");
//!     test.case("one shot", || decode(FILE.get(), OUT) == Ok(64), 64);
//!     test.finish()
//! }
//! ```
#![no_std]

pub mod damage;
pub mod flash;
mod say;
mod stack;

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::debug;
use unspool::{End, Status, Step};

pub use cortex_m_rt::entry;
pub use say::{number, say};

/// Puts a file into flash as `static $name: File`, in a section of its own, so that code and files
/// can be measured separately.
#[macro_export]
macro_rules! file {
    ($name:ident, $path:literal) => {
        #[unsafe(link_section = ".files")]
        static $name: $crate::File<{ include_bytes!($path).len() }> = $crate::File(*include_bytes!($path));
    };
}

/// A file in flash.
pub struct File<const N: usize>(pub [u8; N]);

impl<const N: usize> File<N> {
    /// Returns the bytes. Hides them from the optimiser, which could otherwise decode the file at
    /// compile time.
    #[inline(never)]
    pub fn get(&self) -> &[u8] {
        core::hint::black_box(&self.0)
    }
}

/// Returns `true` if a stream decodes to `expected`. It gets 64 bytes at a time, as from a serial
/// port, and room for 16.
pub fn streams(
    bytes: &[u8],
    expected: &[u8],
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> unspool::Result<Step>,
) -> bool {
    let (mut rest, mut expected, mut piece) = (bytes, expected, [0; 16]);
    loop {
        let (input, end) = match rest.get(..64) {
            Some(input) => (input, End::NotYet),
            None => (rest, End::Here),
        };
        let Ok(step) = step(input, end, &mut piece) else { return false };
        let Some((same, more)) = expected.split_at_checked(step.wrote) else { return false };
        if piece.get(..step.wrote) != Some(same) {
            return false;
        }
        expected = more;
        rest = rest.get(step.read..).unwrap_or(&[]);
        if step.status == Status::Done {
            return expected.is_empty();
        }
    }
}

/// Counts what a program has verified, and the deepest stack.
pub struct Test {
    format: &'static str,
    bytes: u32,
    stack: u32,
    failed: bool,
}

impl Test {
    /// Starts the test of a format.
    pub fn new(format: &'static str) -> Self {
        Self { format, bytes: 0, stack: 0, failed: false }
    }

    /// Runs a case, which returns `true` if its output is right. `bytes` is the number of bytes
    /// that it compares.
    pub fn case(&mut self, name: &str, work: impl FnOnce() -> bool, bytes: usize) {
        let (right, stack) = stack::measure(work);
        self.bytes += bytes as u32;
        self.stack = self.stack.max(stack);
        if !right {
            self.failed = true;
            say(&[self.format, ": ", name, ": WRONG\n"]);
        }
    }

    /// Prints the sum and ends the emulator, with 0 if every case passed.
    pub fn finish(self) -> ! {
        let verdict = if self.failed { ": FAILED, " } else { ": ok, " };
        let (mut bytes, mut stack) = ([0; 10], [0; 10]);
        say(&[
            self.format,
            verdict,
            number(self.bytes, &mut bytes),
            " bytes, stack high-water ",
            number(self.stack, &mut stack),
            " bytes\n",
        ]);
        exit(!self.failed && self.bytes > 0)
    }
}

fn exit(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        // An attached debugger may let the program continue.
        core::hint::spin_loop();
    }
}

/// Refers to a symbol that nothing defines: a program that can reach the panic handler does not
/// link.
#[cfg(not(feature = "open"))]
#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe extern "C" {
        fn a_panic_is_reachable() -> !;
    }
    // SAFETY: never called, because no program that could call it exists.
    unsafe { a_panic_is_reachable() }
}

/// With the gate open, a program links and contains the location of every panic that it can reach.
#[cfg(feature = "open")]
#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    core::hint::black_box(info);
    exit(false)
}

/// Handles a bad address or a stack overflow. Without it, the emulator would loop until its time
/// limit.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    say(&["hard fault\n"]);
    exit(false)
}
