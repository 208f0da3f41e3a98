//! Tokens, and their lookup in loops.

/// The longest token.
pub const MAX_TOKEN_LEN: usize = 16;
/// The most tokens that codes of 16 bits can name.
pub const MAX_TOKENS: usize = 1 << 16;

/// A dictionary as the loops see it: the dictionary itself, or its wide copy.
pub(super) trait Tokens<'t>: Copy {
    /// Returns a lookup that yields 16 readable bytes and the token's length: the token, and
    /// whatever follows it. The lookup yields `None` for a code that names no token, and for a
    /// token after which the dictionary ends too early. A dictionary that is shorter than 16 bytes
    /// has no such lookup.
    ///
    /// Call it before a loop: the compiler then uses the comparisons made here within the loop.
    fn padded_lookup(self) -> Option<impl Fn(u16) -> Option<(&'t [u8; MAX_TOKEN_LEN], usize)>>;

    /// A token by itself. `None` for a code that names none.
    fn token(self, code: u16) -> Option<&'t [u8]>;

    /// Its length.
    fn token_len(self, code: u16) -> Option<u8>;
}
