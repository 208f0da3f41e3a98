use unspool::{PROBE_LEN, Probe, probe};

/// Checks that the verdict of `probe` for a prefix holds for the whole file.
pub fn probe_any(bytes: &[u8]) {
    let verdict = probe(bytes);
    assert_eq!(verdict, probe(&bytes[..bytes.len().min(PROBE_LEN)]), "looks further than it says");
    for len in 0..bytes.len().min(PROBE_LEN + 1) {
        match probe(&bytes[..len]) {
            Probe::NeedInput { min } => {
                assert!(len < min && min <= PROBE_LEN, "{min} bytes asked for after {len}");
            }
            decided => assert_eq!(decided, verdict, "another verdict after {len} bytes"),
        }
    }
    if bytes.len() >= PROBE_LEN {
        assert!(!matches!(verdict, Probe::NeedInput { .. }), "undecided after {PROBE_LEN} bytes");
    }
}
