//! The trace, and the counts of bins.

use super::*;

/// Adds up the bits of the offsets of each variable.
#[derive(Default)]
struct OffsetBits([u64; 3]);

impl Trace for OffsetBits {
    fn enter(&mut self, _: Name, _: Value<'_>) {}

    fn leave(&mut self) {}

    fn leaf(&mut self, _: Part, name: Name, bits: Range<u64>, _: Value<'_>) {
        let roles = [Name::LookbackOffsets, Name::PrimaryOffsets, Name::SecondaryOffsets];
        if let Some(role) = roles.iter().position(|&role| role == name) {
            self.0[role] += bits.end - bits.start;
        }
    }
}

#[test]
fn counts_bins_as_often_as_their_offsets_occur() {
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::NONE).unwrap();
        let mut at = file.first();
        while let Some(chunk) = file.chunk(at, &mut ()).unwrap() {
            let mut told = OffsetBits::default();
            let mut numbers = vec![0; chunk.len * chunk.number_type().size()];
            let words = &mut workspace(&chunk, Plan::Batches);
            at = chunk.decode_bytes(&mut numbers, words, &mut told).unwrap();
            for variable in chunk.meta.variables.iter().flatten() {
                let mut counts = vec![7; variable.bins as usize];
                chunk.count_bins(variable.role, &mut counts, &mut workspace(&chunk, Plan::CompactWhole)).unwrap();
                let stored = counts.iter().map(|&count| count as usize).sum::<usize>();
                // Latents of the page's metadata are in no bin.
                let in_metadata = chunk.meta.delta.state_len();
                let expected = [chunk.len, chunk.len.saturating_sub(in_metadata)];
                assert!(variable.bins == 0 || expected.contains(&stored), "{name}: {stored}");
                let bits = counts.iter().zip(variable.iter()).map(|(&count, bin)| u64::from(count * bin.offset_bits));
                assert_eq!(bits.sum::<u64>(), told.0[variable.role as usize], "{name}: {:?}", variable.role);
            }
        }
    });
}

#[test]
fn leaves_tile_every_vector() {
    valid(|name, bytes, expected, _| {
        let mut leaves = Leaves::default();
        let file = read_file(bytes, &mut leaves);
        let (mut at, mut out) = (file.first(), vec![]);
        while let Some(chunk) = file.chunk(at, &mut leaves).unwrap() {
            let start = out.len();
            out.resize(start + chunk.len * chunk.number_type().size(), 0);
            at = chunk.decode_bytes(&mut out[start..], &mut workspace(&chunk, Plan::Batches), &mut leaves).unwrap();
        }
        assert!(out == expected, "{name}: other numbers when heard");
        leaves.assert_tile(bytes.len(), name);
    });
}
