//! Every field of a few files as an inspector shows it: its name, its value, its bits.

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use unspool::{Name, Part, Symbols, Trace, Value, pco, xz, zstd};
use unspool_tests::{golden, read};

/// Writes a line for each group and each field.
#[derive(Default)]
struct Lines {
    lines: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self, name: Name, value: Value<'_>, rest: &str) {
        let value = match value {
            Value::None => String::new(),
            Value::Hex(value) => format!("{value:#x}"),
            Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
            value => format!("{value:?}"),
        };
        let line = format!("{:1$}{name:?} {value}", "", self.depth * 2);
        writeln!(self.lines, "{}{rest}", line.trim_end()).unwrap();
    }
}

impl Trace for Lines {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        self.line(name, value, "");
        self.depth += 1;
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        self.line(name, value, &format!(" [{part:?} {bits:?}]"));
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// Compares the fields of files with `golden/fields-FORMAT.txt`.
fn compare(format: &str, files: &[&str], fields: impl Fn(&[u8], &mut Lines)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    for file in files {
        let mut lines = Lines::default();
        fields(&read(&folder.join("vectors").join(format).join(file)), &mut lines);
        writeln!(all, "{file}\n{}", lines.lines).unwrap();
    }
    golden(&format!("fields-{format}.txt"), &all);
}

#[test]
fn fields_of_zstd() {
    // A seek table, kinds of blocks, literals and tables, and three formats; of the short files
    // each symbol.
    let files = [
        "page-seekable.zst",
        "rfc8878/text-100.zst",
        "rfc8878/text-1025.zst",
        "rfc8878/s-blk-rle-1.zst",
        "draft/balc4.zst",
        "v07/s-huf-direct-5.zst",
    ];
    compare("zstd", &files, |bytes, lines| {
        let (mut workspace, options) = (zstd::Workspace::new(), zstd::Options::DEFAULT);
        let done = match bytes.len() {
            ..100 => zstd::inspect(bytes, &mut workspace, &options, &mut Symbols(lines)),
            _ => zstd::inspect(bytes, &mut workspace, &options, lines),
        };
        assert!(done.is_ok(), "{done:?}");
    });
}

#[test]
fn fields_of_xz() {
    compare("xz", &["page.xz", "blocks.xz"], |bytes, lines| {
        xz::inspect(bytes, &mut xz::Workspace::new(), &xz::Options::DEFAULT, lines).unwrap();
    });
}

#[test]
fn fields_of_pco() {
    // Every mode, every kind of delta, and entries of a dictionary of each kind of number.
    let files = [
        "x_u8_extreme_imult127_lb.pco",
        "x_f32_extreme_fmult0.25_none.pco",
        "x_f32_extreme_fquant23_c2.pco",
        "m_u8_dict_conv4.pco",
        "x_i16_extreme_dict_none.pco",
        "x_f32_extreme_dict_c2.pco",
        "x_f64_extreme_dict_none.pco",
        "empty_u16_typed.pco",
    ];
    compare("pco", &files, |bytes, lines| {
        let (mut words, mut scratch) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        pco::inspect(bytes, &mut words, &mut scratch, &pco::Options::DEFAULT, lines).unwrap();
    });
}
