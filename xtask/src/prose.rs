//! Checks the prose of the repository: comments in sources, and Markdown.
//!
//! Each finding names a file and a line; each kind of finding comes with a hint how to fix it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, bail, ensure};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::install;
use crate::sh::{cmd, root};

/// The spell checker: a project of its own, whose lock file pins it.
const SPELLING: &str = "xtask/prose";
/// The list of files that the spell checker reads.
const LIST: &str = "target/prose.txt";

/// Folders and files without prose of this project: test data, and files that a program writes.
const SKIPPED: [&str; 5] = ["tests/vectors/", "tests/golden/", "tests/size/data/", "fuzz/seeds/", "capi/include/"];

/// The longest line of a comment or of Markdown. A table row or a URL may be longer.
const COLUMNS: usize = 100;

/// The longest sentence of a README.
const SENTENCE: usize = 35;

/// Phrases that slow a reader down, and what to write instead.
const PHRASES: [(&str, &str); 10] = [
    ("what comes out", "the output, the decoded bytes"),
    ("so many", "a number, \"at most N\", \"this many\""),
    ("somebody", "the caller, the user, a trace"),
    ("told", "passed, given, reported"),
    ("heard", "traced, received"),
    ("gives", "returns, yields, makes"),
    ("lies", "is, is stored"),
    ("stands", "is, is written; a symbol represents or means"),
    ("is there", "exists"),
    ("what is left of it", "the rest, the remainder"),
];

/// Places on the stack or on a screen, for which `behind` is right: a file, and the words around.
const BEHIND: &[(&str, &str)] = &[];

/// Words that a doc line of the core should not begin with, because a verb or a noun says more.
const OPENERS: [&str; 6] = ["What", "Whether", "Where", "How", "Which", "Who"];
/// One doc line of this many may begin with one of them.
const OPENERS_ONE_OF: usize = 100;

/// The kinds of findings, in the order in which they are shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rule {
    Columns,
    Phrase,
    Behind,
    Opener,
    Sentence,
    Spelling,
}

impl Rule {
    /// How to fix it.
    fn hint(self) -> String {
        match self {
            Self::Columns => format!("break the line: comments and Markdown have at most {COLUMNS} columns"),
            Self::Phrase => "say it in the words of the field:".to_owned() + &phrases(),
            Self::Behind => {
                "write \"after\"; for a place on the stack or the screen, add it to BEHIND in xtask/src/prose.rs"
                    .to_owned()
            }
            Self::Opener => format!(
                "begin with a verb (\"Returns ...\") or a noun; fewer than one doc line of {OPENERS_ONE_OF} in core/src may begin with {}",
                OPENERS.join(", ")
            ),
            Self::Sentence => format!("split the sentence: a README has at most {SENTENCE} words in one"),
            Self::Spelling => {
                format!("correct it, put code in backticks, or add a term of the field to {SPELLING}/words.txt")
            }
        }
    }
}

fn phrases() -> String {
    PHRASES.iter().fold(String::new(), |mut text, (phrase, instead)| {
        let _ = write!(text, "\n        {phrase}: {instead}");
        text
    })
}

/// A place that breaks a rule.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Finding {
    rule: Rule,
    path: String,
    line: usize,
    text: String,
}

/// Checks every tracked file.
pub fn check() -> Result<()> {
    let files = files()?;
    let mut findings = vec![];
    let (mut doc_lines, mut openers) = (0, vec![]);
    for path in &files {
        let text = std::fs::read_to_string(root().join(path))?;
        findings.extend(check_file(path, &text));
        if path.starts_with("core/src/") {
            let docs = lines(path, &text).into_iter().filter(|line| line.doc);
            for line in docs.inspect(|_| doc_lines += 1).filter(|line| opens_badly(&line.text)) {
                openers.push(Finding { rule: Rule::Opener, path: path.clone(), line: line.number, text: line.text });
            }
        }
    }
    if openers.len() * OPENERS_ONE_OF >= doc_lines.max(1) {
        findings.extend(openers);
    }
    findings.extend(misspelled(&files)?);
    println!("    the prose of {} files", files.len());
    report(findings)
}

/// Fails with every finding, by rule, each rule with its hint.
fn report(mut findings: Vec<Finding>) -> Result<()> {
    findings.sort();
    findings.dedup();
    let mut rules: BTreeMap<Rule, Vec<&Finding>> = BTreeMap::new();
    for finding in &findings {
        rules.entry(finding.rule).or_default().push(finding);
    }
    for (rule, findings) in rules {
        println!("    {}", rule.hint());
        for Finding { path, line, text, .. } in findings {
            println!("{path}:{line}: {text}");
        }
    }
    ensure!(findings.is_empty(), "{} places in comments or Markdown break a rule of prose", findings.len());
    Ok(())
}

/// Tracked files whose prose is checked.
fn files() -> Result<Vec<String>> {
    let tracked = cmd("git ls-files -z").answer().unwrap_or_default();
    let files: Vec<_> = tracked.split('\0').filter(|path| is_checked(path)).map(str::to_owned).collect();
    // A checkout without git has nothing to compare with, and a check of nothing proves nothing.
    ensure!(files.len() > 100, "git lists only {} files with prose", files.len());
    Ok(files)
}

fn is_checked(path: &str) -> bool {
    let skipped = SKIPPED.iter().any(|prefix| path.starts_with(prefix));
    !skipped && Syntax::of(path).is_some()
}

/// How a file marks its prose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `//` and `/* */`.
    Slashes,
    /// `#`.
    Hashes,
    Markdown,
}

impl Syntax {
    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "rs" | "ts" | "tsx" | "mjs" | "js" | "c" | "h" | "css" => Some(Self::Slashes),
            "toml" | "py" | "sh" | "cmake" => Some(Self::Hashes),
            "md" => Some(Self::Markdown),
            _ if path == ".ci/run" => Some(Self::Hashes),
            _ => None,
        }
    }
}

/// A line of prose, without the marks of a comment.
#[derive(Debug)]
struct Line {
    number: usize,
    text: String,
    /// The columns of the whole line; 0 after code, which the formatter keeps short.
    columns: usize,
    /// A doc comment of Rust.
    doc: bool,
    /// Within a fenced block: code, not words.
    code: bool,
}

/// Every line of a file that holds prose.
fn lines(path: &str, text: &str) -> Vec<Line> {
    let Some(syntax) = Syntax::of(path) else { return vec![] };
    let mut found = vec![];
    let (mut in_block, mut fenced, mut last) = (false, false, 0);
    for (number, raw) in (1..).zip(text.lines()) {
        let trimmed = raw.trim();
        let mut columns = raw.chars().count();
        let mut doc = false;
        let text = match syntax {
            Syntax::Markdown => Some(trimmed),
            Syntax::Hashes => match trimmed.strip_prefix('#').filter(|text| !text.starts_with('!')) {
                None => {
                    columns = 0;
                    trailing(trimmed, " # ")
                }
                text => text,
            },
            Syntax::Slashes if in_block => {
                in_block = !trimmed.contains("*/");
                let text = trimmed.split("*/").next().unwrap_or("");
                Some(text.strip_prefix('*').unwrap_or(text))
            }
            Syntax::Slashes => {
                let block = ["/**", "/*", "{/*"].iter().find_map(|mark| trimmed.strip_prefix(mark));
                if let Some(text) = block {
                    in_block = !text.contains("*/");
                    Some(text.split("*/").next().unwrap_or(""))
                } else if let Some(text) = trimmed.strip_prefix("//") {
                    doc = path.ends_with(".rs") && text.starts_with(['/', '!']);
                    Some(text.trim_start_matches(['/', '!']))
                } else {
                    columns = 0;
                    trailing(trimmed, " // ")
                }
            }
        };
        let Some(text) = text.map(str::trim) else { continue };
        // A fence of a comment ends with the comment, if nothing else ends it.
        fenced &= syntax == Syntax::Markdown || number == last + 1;
        last = number;
        let fence = text.starts_with("```");
        found.push(Line { number, text: text.to_owned(), columns, doc, code: fenced || fence });
        fenced ^= fence;
    }
    found
}

/// A comment after code. A mark within a string is not one.
fn trailing<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let (code, text) = line.rsplit_once(mark)?;
    let code = code.replace("\\\"", "");
    (code.matches(['"', '`']).count() % 2 == 0 && code.matches('\'').count() % 2 == 0).then_some(text)
}

/// Findings in one file.
fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let lines = lines(path, text);
    let mut findings = vec![];
    let mut find = |rule, line, text: String| findings.push(Finding { rule, path: path.to_owned(), line, text });
    for line in &lines {
        // A table, a URL, or a line of an example that rustdoc hides.
        let may_be_long =
            line.text.starts_with('|') || line.text.contains("://") || line.code && line.text.starts_with("# ");
        if line.columns > COLUMNS && !may_be_long {
            find(Rule::Columns, line.number, format!("{} columns", line.columns));
        }
    }
    let words = words(&lines);
    let find_phrase = |phrase: &str, find: &mut dyn FnMut(usize, &str)| {
        let wanted: Vec<_> = phrase.split(' ').collect();
        for found in words.windows(wanted.len()) {
            if found.iter().map(|word| &*word.text).eq(wanted.iter().copied()) {
                let line = found.first().map_or(0, |word| word.line);
                let text = lines.iter().find(|other| other.number == line).map_or("", |line| &line.text);
                find(line, text);
            }
        }
    };
    for (phrase, _) in PHRASES {
        find_phrase(phrase, &mut |line, text| find(Rule::Phrase, line, format!("\"{phrase}\" in: {text}")));
    }
    find_phrase("behind", &mut |line, text| {
        if !BEHIND.iter().any(|(file, words)| *file == path && text.contains(words)) {
            find(Rule::Behind, line, text.to_owned());
        }
    });
    if path.ends_with("README.md") {
        for (line, words, start) in long_sentences(text) {
            find(Rule::Sentence, line, format!("{words} words: {start} ..."));
        }
    }
    findings
}

fn opens_badly(text: &str) -> bool {
    OPENERS.contains(&text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))
}

/// A word in lower case, or a mark that separates phrases.
struct Word {
    text: String,
    line: usize,
}

/// The words of all lines in order. Code and punctuation separate words, so that no phrase spans
/// them.
fn words(lines: &[Line]) -> Vec<Word> {
    let mut words = vec![];
    let (mut last, mut in_code) = (0, false);
    for Line { number, text, code, .. } in lines {
        let mut push = |text: &str| words.push(Word { text: text.to_lowercase(), line: *number });
        if *code || text.is_empty() || *number > last + 1 {
            push(".");
            in_code = false;
        }
        last = *number;
        if *code {
            continue;
        }
        for (i, part) in text.split('`').enumerate() {
            if i > 0 {
                in_code = !in_code;
                push("`");
            }
            if in_code {
                continue;
            }
            let mut rest = part;
            while let Some(c) = rest.chars().next() {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-' | '_');
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(c.len_utf8());
                let (token, after) = rest.split_at(end);
                if !c.is_whitespace() {
                    push(token);
                }
                rest = after;
            }
        }
    }
    words
}

/// Sentences of Markdown with too many words: a line, the number of words, and the first of them.
/// Code blocks and tables have none.
fn long_sentences(text: &str) -> Vec<(usize, usize, String)> {
    let mut found = vec![];
    let (mut sentence, mut start, mut skip) = (String::new(), 0, 0);
    let mut end = |sentence: &mut String, start: usize| {
        let words = sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        let words: Vec<_> = words.collect();
        if words.len() > SENTENCE {
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            found.push((line, words.len(), words.iter().take(6).copied().collect::<Vec<_>>().join(" ")));
        }
        sentence.clear();
    };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_)) => skip += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Table) => skip -= 1,
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_))
            | Event::Start(Tag::Item | Tag::List(_)) => {
                end(&mut sentence, start);
            }
            Event::Text(text) if skip == 0 => {
                for part in text.split_inclusive(' ') {
                    if sentence.is_empty() {
                        start = range.start;
                    }
                    sentence.push_str(part);
                    if part.trim_end().ends_with(['.', '!', '?']) {
                        end(&mut sentence, start);
                    }
                }
            }
            Event::Code(code) if skip == 0 => sentence.push_str(&code.replace(' ', "_")),
            Event::SoftBreak | Event::HardBreak => sentence.push(' '),
            _ => {}
        }
    }
    found
}

/// What the spell checker finds.
fn misspelled(files: &[String]) -> Result<Vec<Finding>> {
    install::node_modules(SPELLING)?;
    let list: String = files.iter().map(|path| format!("{}\n", root().join(path).display())).collect();
    std::fs::create_dir_all(root().join("target"))?;
    std::fs::write(root().join(LIST), list)?;
    let outcome = cmd(&format!("{SPELLING}/node_modules/.bin/cspell lint --no-progress --no-summary --no-color"))
        .args(&format!("--config {SPELLING}/cspell.json --file-list"))
        .arg(root().join(LIST))
        .outcome(std::time::Duration::from_secs(300))?;
    let found: Vec<_> = outcome.stdout.lines().filter_map(spelling_finding).collect();
    if !outcome.success && found.is_empty() {
        bail!("the spell checker failed:\n{}{}", outcome.stdout, outcome.stderr);
    }
    Ok(found)
}

/// `FILE:LINE:COLUMN - Unknown word (WORD)`.
fn spelling_finding(said: &str) -> Option<Finding> {
    let (place, text) = said.split_once(" - ")?;
    let mut place = place.splitn(3, ':');
    let (path, line) = (place.next()?, place.next()?.parse().ok()?);
    Some(Finding { rule: Rule::Spelling, path: path.to_owned(), line, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<(Rule, usize)> {
        check_file(path, text).into_iter().map(|finding| (finding.rule, finding.line)).collect()
    }

    #[test]
    fn finds_long_lines_but_not_tables_urls_or_code() {
        let long = "word ".repeat(21);
        assert_eq!(rules("a.rs", &format!("// {long}\nlet a = \"{long}\";\n/// | {long}\n")), [(Rule::Columns, 1)]);
        assert_eq!(
            rules("a.rs", &format!("    /* {long}\n{long}\n*/ let a = 1;")),
            [(Rule::Columns, 1), (Rule::Columns, 2)]
        );
        assert_eq!(rules("a.md", &format!("{long}\n\n| {long} |\n\n{long} https://a.b\n")), [(Rule::Columns, 1)]);
        assert_eq!(rules("a.toml", &format!("# {long}\na = \"{long}\"\n")), [(Rule::Columns, 1)]);
        assert_eq!(rules("a.bin", &long), []);
    }

    #[test]
    fn finds_no_long_lines_in_hidden_code() {
        let long = "word ".repeat(21);
        assert_eq!(rules("a.rs", &format!("/// ```\n/// # {long}\n/// {long}\n/// ```\n")), [(Rule::Columns, 3)]);
    }

    #[test]
    fn finds_phrases_also_across_lines() {
        assert_eq!(rules("a.rs", "/// Reads what\n/// comes out.\nfn a() {}\n"), [(Rule::Phrase, 1)]);
        assert_eq!(rules("a.rs", "let a = 1; // It gives one.\nlet b = \" // gives\";\n"), [(Rule::Phrase, 1)]);
        assert_eq!(rules("a.ts", "/**\n * So many bytes.\n */\n"), [(Rule::Phrase, 2)]);
        for (phrase, _) in PHRASES {
            assert_eq!(rules("a.md", &format!("The {phrase} x.")), [(Rule::Phrase, 1)], "{phrase}");
        }
    }

    #[test]
    fn finds_no_phrases_in_code_or_in_longer_words() {
        assert_eq!(rules("a.md", "`gives`, understands, families; so. many\n\n```\nso many\n```\n"), []);
        assert_eq!(rules("a.rs", "/// A `name that\n/// gives` nothing, what\n///\n/// comes out.\n"), []);
        assert_eq!(rules("a.rs", "let told = gives;\n// what comes\nfn out() {}\n// out\n"), []);
    }

    #[test]
    fn finds_behind() {
        assert_eq!(rules("a.py", "# The bytes behind the frame.\n"), [(Rule::Behind, 1)]);
    }

    #[test]
    fn finds_doc_lines_that_begin_with_a_question_word() {
        assert!(opens_badly("Whether it is small.") && opens_badly("What: this"));
        assert!(!opens_badly("Whatever it is") && !opens_badly("Returns what it is") && !opens_badly("which is"));
        let doc: Vec<_> = lines("a.rs", "//! A\n/// B\n// C\nlet d = 1; // D\n").iter().map(|line| line.doc).collect();
        assert_eq!(doc, [true, true, false, false]);
    }

    #[test]
    fn finds_long_sentences_in_readmes_only() {
        let (long, short) = ("a ".repeat(36), "a ".repeat(20));
        let table = format!("# H\n\n| a |\n|---|\n| {long} |\n\n```\n{long}\n```\n");
        assert_eq!(long_sentences(&format!("{table}{short}end. {short}\n\n{short}\n\n* {short}\n* {short}\n")), []);
        let found = long_sentences(&format!("{table}{short} [x](y)\n{short}.\n"));
        assert_eq!(found.iter().map(|(line, words, _)| (*line, *words)).collect::<Vec<_>>(), [(10, 41)]);
        assert_eq!(long_sentences(&format!("{short} `code with {long}` b.")), []);
        assert!(rules("x/README.md", &format!("{long}.")).contains(&(Rule::Sentence, 1)));
        assert!(!rules("x/OTHER.md", &format!("{long}.")).contains(&(Rule::Sentence, 1)));
    }

    #[test]
    fn reads_what_the_spell_checker_prints() {
        let finding = spelling_finding("docs/a.md:12:3 - Unknown word (teh)").unwrap();
        assert_eq!((&*finding.path, finding.line, &*finding.text), ("docs/a.md", 12, "Unknown word (teh)"));
        assert!(spelling_finding("Issues found: 0").is_none());
    }

    #[test]
    fn skips_generated_files_and_test_data() {
        for path in ["tests/vectors/xz/README.md", "capi/include/unspool/xz.h", "fuzz/seeds/a.md", "Cargo.lock"] {
            assert!(!is_checked(path), "{path}");
        }
        assert!(is_checked("ARCHITECTURE.md") && is_checked(".ci/run"));
    }

    #[test]
    fn the_words_of_the_field_are_in_order() {
        let text = std::fs::read_to_string(root().join(SPELLING).join("words.txt")).unwrap();
        let words: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(words.len() > 10 && words.is_sorted(), "sort {SPELLING}/words.txt");
    }
}
