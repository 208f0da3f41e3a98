//! Prints text to the standard output of the emulator, without `core::fmt`, whose tables and panics
//! would add to the measurements.

use cortex_m_semihosting::hio;

/// Prints the parts in order.
pub fn say(parts: &[&str]) {
    if let Ok(mut out) = hio::hstdout() {
        for part in parts {
            let _ = out.write_all(part.as_bytes());
        }
    }
}

/// Formats a number in decimal.
pub fn number(mut n: u32, digits: &mut [u8; 10]) -> &str {
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (n % 10) as u8;
        n /= 10;
        used += 1;
        if n == 0 {
            break;
        }
    }
    let text = digits.get(10 - used..).unwrap_or(&[]);
    core::str::from_utf8(text).unwrap_or("?")
}
