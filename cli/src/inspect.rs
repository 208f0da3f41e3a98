//! The report of `inspect`, as text for people and as JSON for programs.

use std::fmt::{Display, Write};
use std::ops::Range;
use std::path::Path;

use unspool::tree::{Node, Tree, write_json_string};
use unspool::{Error, Format, Name, Part};

use crate::formats::Checksums;
use crate::report::{Plain, is_control};
use crate::stats::ColumnStats;

/// The most fields that are kept; further ones are only counted.
pub const MAX_NODES: usize = 500_000;

/// The name of the leaves that hold the commas and brackets of a text header.
const SYNTAX: Name = Name::Json;

/// The most siblings of one name that are printed without `--all`.
const SHOWN_SIBLINGS: usize = 8;

/// Everything that `inspect` found out about a file.
pub struct Report {
    pub format: Format,
    pub version: Option<String>,
    pub facts: Vec<(&'static str, String)>,
    pub columns: Vec<(String, String)>,
    pub sections: Vec<(Range<u64>, String)>,
    pub decoded: Option<u64>,
    pub checksums: Option<Checksums>,
    pub stats: Vec<ColumnStats>,
    pub tree: Tree,
    pub error: Option<Error>,
}

impl Report {
    pub fn new(format: Format, tree: Tree) -> Self {
        Self {
            format,
            version: None,
            facts: vec![],
            columns: vec![],
            sections: vec![],
            decoded: None,
            checksums: None,
            stats: vec![],
            tree,
            error: None,
        }
    }

    pub fn refused(format: Format, error: Error) -> Self {
        Self { error: Some(error), ..Self::new(format, Tree::new(0)) }
    }

    pub fn fact(&mut self, name: &'static str, value: impl Display) {
        self.facts.push((name, value.to_string()));
    }

    fn ratio(&self, size: u64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        self.decoded.filter(|_| size > 0).map(|decoded| decoded as f64 / size as f64)
    }

    /// Returns the bytes of each part that has any, and those after an error, which were not read.
    /// In a truncated file, the last field is clipped to `size`.
    fn parts(&self, size: u64) -> Vec<(&'static str, u64)> {
        let end = size.saturating_mul(8);
        let sum = |part| {
            let leaves = self.tree.nodes().iter().filter(|node| node.part == Some(part));
            leaves.map(|node| node.bits.end.min(end).saturating_sub(node.bits.start)).sum::<u64>().div_ceil(8)
        };
        let mut parts: Vec<_> = Part::ALL.iter().map(|&part| (part.name(), sum(part))).collect();
        // Fields follow each other without a gap.
        if self.error.is_some() && self.tree.left_out == 0 {
            let read = self.tree.nodes().iter().map(|node| node.bits.end).max().unwrap_or(0);
            parts.push(("unread", end.saturating_sub(read) / 8));
        }
        parts.retain(|&(_, bytes)| bytes > 0);
        parts
    }

    pub fn to_text(&self, path: &Path, size: u64, all: bool) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text, path, size, all);
        text
    }

    fn write_text(&self, out: &mut String, path: &Path, size: u64, all: bool) -> std::fmt::Result {
        let version = self.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        writeln!(out, "{}: {}{version}, {} bytes", Plain(path.display()), self.format.name(), size)?;
        for (name, value) in &self.facts {
            writeln!(out, "  {name:<10} {}", Plain(value))?;
        }
        for (name, what) in &self.columns {
            writeln!(out, "  {:<10} {}: {}", "column", Plain(name), Plain(what))?;
        }
        for (rows, metadata) in &self.sections {
            writeln!(out, "  {:<10} rows {}..{} {}", "section", rows.start, rows.end, Plain(metadata))?;
        }
        if let (Some(decoded), Some(ratio)) = (self.decoded, self.ratio(size)) {
            writeln!(out, "  {:<10} {decoded} bytes, {ratio:.2} times the file", "decoded")?;
        }
        if let Some(checksums) = self.checksums {
            writeln!(out, "  {:<10} {checksums}", "checksums")?;
        }
        for column in &self.stats {
            column.write_text(out)?;
        }
        for (part, bytes) in self.parts(size) {
            #[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
            let share = 100.0 * bytes as f64 / size as f64;
            writeln!(out, "  {part:<10} {bytes} bytes, {share:.1} %")?;
        }
        writeln!(out, "\n{:>24}  field", "bytes")?;
        self.write_nodes(out, all)?;
        if self.tree.left_out > 0 {
            writeln!(out, "{:>24}  {} more fields", "", self.tree.left_out)?;
        }
        Ok(())
    }

    fn write_nodes(&self, out: &mut String, all: bool) -> std::fmt::Result {
        let nodes = self.tree.nodes();
        // For each depth: the name of the last sibling, and the length of its run.
        let mut siblings: Vec<(Option<Name>, usize)> = vec![];
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            // Commas and brackets of a header are noise to people.
            if !all && node.name == SYNTAX {
                at += 1;
                continue;
            }
            let depth = usize::try_from(node.depth).unwrap_or(0);
            siblings.truncate(depth + 1);
            siblings.resize(depth + 1, (None, 0));
            let (name, count) = &mut siblings[depth];
            *count = if *name == Some(node.name) { *count + 1 } else { 1 };
            *name = Some(node.name);
            if !all && *count > SHOWN_SIBLINGS {
                let more = run_of(&nodes[at..], node);
                let last = nodes[at..at + more.1].iter().map(|node| node.bits.end).max().unwrap_or(0);
                let range = bit_range(&(node.bits.start..last));
                writeln!(out, "{range:>24}  {:indent$}… {} more (--all shows them)", "", more.0, indent = 2 * depth)?;
                at += more.1;
                continue;
            }
            let value = if node.value.is_empty() { String::new() } else { format!(" {}", Plain(short(&node.value))) };
            let range = bit_range(&node.bits);
            writeln!(out, "{range:>24}  {:indent$}{}{value}", "", node.name.label(), indent = 2 * depth)?;
            at += 1;
        }
        Ok(())
    }

    pub fn to_json(&self, path: &Path, size: u64) -> String {
        let mut text = String::new();
        let _ = self.write_json(&mut text, path, size);
        // Only strings hold such characters, and JSON allows to escape them there.
        let is_shown = |c: char| c == '\n' || !is_control(c);
        if text.chars().all(is_shown) {
            return text;
        }
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                c if is_shown(c) => escaped.push(c),
                c => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            }
        }
        escaped
    }

    fn write_json(&self, out: &mut String, path: &Path, size: u64) -> std::fmt::Result {
        let string = |out: &mut String, key: &str, text: &str| {
            write!(out, "\"{key}\":")?;
            write_json_string(out, text)
        };
        out.push('{');
        string(out, "file", &path.to_string_lossy())?;
        write!(out, ",\"format\":\"{}\"", self.format.name())?;
        if let Some(version) = &self.version {
            write!(out, ",\"version\":\"{version}\"")?;
        }
        write!(out, ",\"size\":{size}")?;
        for (name, value) in &self.facts {
            match value.parse::<u64>() {
                Ok(number) => write!(out, ",\"{name}\":{number}")?,
                Err(_) => {
                    out.push(',');
                    string(out, name, value)?;
                }
            }
        }
        if let (Some(decoded), Some(ratio)) = (self.decoded, self.ratio(size)) {
            write!(out, ",\"decoded_size\":{decoded},\"ratio\":{ratio:.4}")?;
        }
        if let Some(checksums) = self.checksums {
            let Checksums { name, right, absent } = checksums;
            write!(out, ",\"checksums\":{{\"kind\":\"{name}\",\"right\":{right},\"absent\":{absent}}}")?;
        }
        if !self.stats.is_empty() {
            out.push_str(",\"stats\":[");
            for (at, column) in self.stats.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                column.write_json(out)?;
            }
            out.push(']');
        }
        out.push_str(",\"columns\":[");
        for (at, (name, what)) in self.columns.iter().enumerate() {
            out.push_str(if at == 0 { "{" } else { ",{" });
            string(out, "name", name)?;
            out.push(',');
            string(out, "about", what)?;
            out.push('}');
        }
        out.push_str("],\"sections\":[");
        for (at, (rows, metadata)) in self.sections.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(out, "{comma}{{\"start\":{},\"end\":{},", rows.start, rows.end)?;
            string(out, "metadata", metadata)?;
            out.push('}');
        }
        out.push_str("],\"parts\":{");
        for (at, (part, bytes)) in self.parts(size).into_iter().enumerate() {
            write!(out, "{}\"{part}\":{bytes}", if at == 0 { "" } else { "," })?;
        }
        out.push('}');
        if let Some(error) = self.error {
            let (code, name, class) = (error.kind as u16, error.kind.name(), error.kind.class().name());
            write!(
                out,
                ",\"error\":{{\"code\":{code},\"name\":\"{name}\",\"class\":\"{class}\",\"offset\":{},",
                error.at
            )?;
            string(out, "message", error.kind.message())?;
            out.push('}');
        }
        write!(out, ",\"left_out\":{},\"nodes\":", self.tree.left_out)?;
        self.tree.write_json(out)?;
        out.push_str("}\n");
        Ok(())
    }
}

/// Counts the run of siblings with the name of `first`, itself included, and all nodes within the
/// run.
fn run_of(nodes: &[Node], first: &Node) -> (usize, usize) {
    let mut siblings = 0;
    let mut len = 0;
    for node in nodes {
        let sibling = node.depth == first.depth && node.name != SYNTAX;
        if node.depth < first.depth || sibling && node.name != first.name {
            break;
        }
        siblings += usize::from(sibling);
        len += 1;
    }
    (siblings, len)
}

/// Formats a range as bytes, `12..16`, or with bits, `12.3..12.7`.
fn bit_range(bits: &Range<u64>) -> String {
    let place = |bit: u64| match bit % 8 {
        0 => (bit / 8).to_string(),
        rest => format!("{}.{rest}", bit / 8),
    };
    format!("{}..{}", place(bits.start), place(bits.end))
}

/// Shortens a long value.
fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
