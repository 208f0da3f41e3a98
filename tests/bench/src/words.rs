//! Generates words, in the same order in every run.

/// Words with natural frequencies: the n-th has a probability of about 1/n.
pub struct Words {
    state: u64,
    words: Vec<String>,
}

impl Words {
    pub fn new() -> Self {
        let mut words = Self { state: 42, words: vec![] };
        let syllables = [
            "an", "ber", "co", "da", "el", "fir", "gon", "hi", "ing", "jo", "ka", "lo", "mer", "no", "or", "pa", "que",
            "ri", "son", "the", "ul", "ver", "wy", "xa", "yo", "zet",
        ];
        for rank in 0..20_000usize {
            let word: String = (0..1 + (rank + 1).ilog10() as usize / 2 + words.below(3))
                .map(|_| syllables[words.below(syllables.len())])
                .collect();
            words.words.push(word);
        }
        words
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap_or(0) % n
    }

    pub fn word(&mut self) -> &str {
        let range = self.words.len() as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the number of words"
        )]
        let rank = range.powf(self.below(1 << 20) as f64 / f64::from(1 << 20)) as usize;
        &self.words[rank.min(self.words.len() - 1)]
    }

    pub fn pick<'w>(&mut self, from: &[&'w str]) -> &'w str {
        from[self.below(from.len())]
    }
}

/// Returns a dozen words or more, with commas and a full stop.
pub fn sentence(words: &mut Words, out: &mut String) {
    for at in 0..12 + words.below(10) {
        if at > 0 {
            *out += words.pick(&[" ", " ", " ", " the ", ", ", " of "]);
        }
        *out += words.word();
    }
    out.push('.');
}
