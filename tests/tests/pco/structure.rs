//! The trace, and the counts of bins.

use super::*;

/// Collects the bits of symbols and of offsets of each variable.
#[derive(Default)]
struct PageBits([[Vec<u64>; 2]; 3]);

impl PageBits {
    fn add(&mut self, role: usize, kind: usize, bits: Range<u64>) {
        self.0[role][kind].extend(bits);
    }
}

impl Trace for PageBits {
    fn enter(&mut self, _: Name, _: Value<'_>) {}

    fn leave(&mut self) {}

    fn leaf(&mut self, _: Part, name: Name, bits: Range<u64>, _: Value<'_>) {
        let roles = [
            [Name::LookbackSymbols, Name::LookbackOffsets],
            [Name::PrimarySymbols, Name::PrimaryOffsets],
            [Name::SecondarySymbols, Name::SecondaryOffsets],
        ];
        for (role, names) in roles.iter().enumerate() {
            if let Some(kind) = names.iter().position(|&known| known == name) {
                self.add(role, kind, bits.clone());
            }
        }
    }
}

#[test]
fn latents_have_the_bits_that_the_trace_emits() {
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::NONE).unwrap();
        let mut at = file.first();
        while let Some(chunk) = file.chunk(at, &mut ()).unwrap() {
            let (mut traced, mut found) = (PageBits::default(), PageBits::default());
            let mut numbers = vec![0; chunk.len * chunk.number_type().size()];
            at = chunk.decode_bytes(&mut numbers, &mut workspace(&chunk, Plan::Batches), &mut traced).unwrap();
            let mut next = [None; 3];
            let end = chunk.each_latent(&mut workspace(&chunk, Plan::CompactWhole), &mut |latent| {
                let variable = chunk.meta.variable(latent.role).unwrap();
                let bin = variable.iter().nth(latent.bin).unwrap();
                assert_eq!(latent.offset.end - latent.offset.start, u64::from(bin.offset_bits), "{name}");
                // Numbers follow each other. Latents of the first ones are in the page's metadata.
                let next = &mut next[latent.role as usize];
                let first = [0, chunk.meta.delta.state_len()];
                assert!(next.map_or(first.contains(&latent.number), |next| next == latent.number), "{name}");
                *next = Some(latent.number + 1);
                found.add(latent.role as usize, 0, latent.symbol.clone());
                found.add(latent.role as usize, 1, latent.offset.clone());
            });
            assert_eq!(end, Ok(at), "{name}");
            assert!(found.0 == traced.0, "{name}: other bits");
            for variable in chunk.meta.variables.iter().flatten() {
                // A page without any latent of a variable stores all of them in its metadata.
                let last = next[variable.role as usize].unwrap_or(chunk.len);
                assert_eq!(last, chunk.len, "{name}: {:?}", variable.role);
            }
        }
    });
}

#[test]
fn latents_of_a_cut_page_are_those_of_whole_batches() {
    let bytes = &read(&vector_folders("pco")[0].join("assets/v1_0_0_conv1.pco"));
    let file = File::open(bytes, &Limits::NONE).unwrap();
    let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
    let mut all = vec![];
    chunk.each_latent(&mut workspace(&chunk, Plan::CompactWhole), &mut |latent| all.push(latent.clone())).unwrap();
    for len in chunk.page_at as usize..bytes.len() - 1 {
        let file = File::open(&bytes[..len], &Limits::NONE).unwrap();
        let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
        let mut found = vec![];
        let each = &mut |latent: &LatentBits| found.push(latent.clone());
        let error = chunk.each_latent(&mut workspace(&chunk, Plan::CompactWhole), each).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Truncated, "{len}");
        assert_eq!(found, all[..found.len()], "{len}");
        assert!(found.iter().all(|latent| latent.offset.end <= 8 * len as u64), "{len}");
    }
    // Only the byte after the last chunk is missing.
    let file = File::open(&bytes[..bytes.len() - 1], &Limits::NONE).unwrap();
    let (chunk, mut found) = (file.chunk(file.first(), &mut ()).unwrap().unwrap(), vec![]);
    chunk.each_latent(&mut workspace(&chunk, Plan::CompactWhole), &mut |latent| found.push(latent.clone())).unwrap();
    assert_eq!(found, all);
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
