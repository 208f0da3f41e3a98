//! One error for every format: what is wrong, and at which byte.

use core::fmt;

/// The class of an [`Error`]: the remedy that a caller has.
///
/// If an input has several errors, the decoder reports the first that it meets in the file.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The input ends too early. More of the same file may help.
    Truncated,
    /// The input contradicts itself or its format.
    Corrupt,
    /// The structure is valid, but a checksum differs: these are not the bytes that were written.
    Checksum,
    /// A legal file that this build or this library cannot decode.
    Unsupported,
    /// The file asks for more than the caller's [`Limits`](crate::Limits) allow, or for more memory
    /// than there is.
    Limit,
    /// The output slice is too small.
    OutputTooSmall {
        /// The least length of the slice, in its own units. More may be needed if the whole is not
        /// known yet, as before the next frame.
        need: u64,
    },
    /// The workspace is too small.
    WorkspaceTooSmall {
        /// The least length of the workspace, in its own units. AT-1 may need more for streams that
        /// were not read yet.
        need: u64,
    },
    /// The call is wrong or does not fit the file, or its store failed. The file may be fine.
    Misuse,
}

/// The reason and the place of a refusal: plain numbers that C and JavaScript share.
///
/// With the feature `messages` it prints as a sentence: `corrupt at byte 4711: an escape in a JSON
/// string is unknown`.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Error {
    /// Offset of the byte at which the error shows, from the start of the input.
    pub at: u64,
    /// The amount that would be enough: units of the output or the workspace, bytes of a truncated
    /// input, or the amount that a limit forbids; the ID of a dictionary that is wanted. 0 if no
    /// such number is known.
    pub need: u64,
    /// The kind of error.
    pub kind: ErrorKind,
}

impl Error {
    /// Returns an error of this kind at this byte.
    #[cold]
    pub const fn new(kind: ErrorKind, at: u64) -> Self {
        Self { kind, at, need: 0 }
    }

    /// Returns the same error with the amount that would have been enough.
    #[must_use]
    pub const fn needing(self, need: u64) -> Self {
        Self { need, ..self }
    }

    /// Returns the error of a file of `len` bytes that must have `need`.
    pub(crate) const fn truncated(len: u64, need: u64) -> Self {
        Self::new(ErrorKind::Truncated, len).needing(need)
    }

    /// Returns the same error, counted from the start of a larger input that contains this one at
    /// `base`.
    #[must_use]
    pub const fn offset_by(self, base: u64) -> Self {
        // The length that a truncated input needs counts from the same start.
        let start = if matches!(self.kind, ErrorKind::Truncated) && self.need > 0 { base } else { 0 };
        Self { at: self.at.saturating_add(base), need: self.need.saturating_add(start), ..self }
    }

    /// Returns the class, with the amount that would be enough.
    pub const fn class(&self) -> Class {
        match self.kind.class() {
            Class::OutputTooSmall { .. } => Class::OutputTooSmall { need: self.need },
            Class::WorkspaceTooSmall { .. } => Class::WorkspaceTooSmall { need: self.need },
            class => class,
        }
    }
}

impl Class {
    /// Returns one or two lower-case words for people: `corrupt`, `output too small`.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Truncated => "truncated",
            Class::Corrupt => "corrupt",
            Class::Checksum => "checksum mismatch",
            Class::Unsupported => "unsupported",
            Class::Limit => "limit exceeded",
            Class::OutputTooSmall { .. } => "output too small",
            Class::WorkspaceTooSmall { .. } => "workspace too small",
            Class::Misuse => "misuse",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: {}", self.kind.class().name(), self.at, self.kind.message())?;
        match self.need {
            0 => Ok(()),
            need => write!(f, " (needs {need})"),
        }
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Error {}

// Number, class and words of a kind are on one line, so that nobody forgets one of the three. C and
// JavaScript read the same table.
macro_rules! kinds {
    ($($number:literal $name:ident $class:ident $words:literal)*) => {
        /// The kind of an error in a file or a call. The numbers never change; new ones are added.
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        pub enum ErrorKind { $(#[doc = $words] $name = $number,)* }

        impl ErrorKind {
            /// Every kind, in the order of their numbers.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$name,)*];

            /// Returns the name in the source, for logs and for JavaScript. Empty without the
            /// feature `messages`.
            pub const fn name(self) -> &'static str {
                if cfg!(feature = "messages") { match self { $(ErrorKind::$name => stringify!($name),)* } } else { "" }
            }

            /// Returns the words of the error. Empty without the feature `messages`.
            pub const fn message(self) -> &'static str {
                if cfg!(feature = "messages") { match self { $(ErrorKind::$name => $words,)* } } else { "" }
            }

            /// Returns the class. For a lack of space it has `need: 0`; [`Error::class`] knows the
            /// number.
            pub const fn class(self) -> Class {
                let (mut kind, mut i) = (0, 0);
                while i < OTHERS.len() {
                    kind += (OTHERS[i] >> 3) as u16;
                    if kind == self as u16 {
                        return Sort::class(OTHERS[i] & 7);
                    }
                    i += 1;
                }
                Class::Corrupt
            }
        }

        /// The class of each kind, in the order of [`ErrorKind::ALL`].
        const SORTS: &[Sort] = &[$(Sort::$class,)*];
    };
}

/// A [`Class`] as a number.
#[derive(Clone, Copy)]
enum Sort {
    Truncated,
    Corrupt,
    Checksum,
    Unsupported,
    Limit,
    OutputTooSmall,
    WorkspaceTooSmall,
    Misuse,
}

impl Sort {
    const fn class(number: u8) -> Class {
        match number {
            0 => Class::Truncated,
            2 => Class::Checksum,
            3 => Class::Unsupported,
            4 => Class::Limit,
            5 => Class::OutputTooSmall { need: 0 },
            6 => Class::WorkspaceTooSmall { need: 0 },
            7 => Class::Misuse,
            _ => Class::Corrupt,
        }
    }
}

/// All kinds that are not `Corrupt`: the difference to the number before, times eight, plus the
/// class. A difference of more than five bits takes steps, which are `Corrupt`. Most kinds are. A
/// `match` over all kinds takes 0.8 KB on a Cortex-M0, this table less than 0.1 KB.
static OTHERS: [u8; others::<0>().1] = others().0;

/// The longest step.
const STEP: u16 = 31;

/// Returns the table, as far as it has room, and its length.
const fn others<const N: usize>() -> ([u8; N], usize) {
    let (mut table, mut len, mut last, mut i) = ([0; N], 0, 0, 0);
    while i < SORTS.len() {
        let kind = ErrorKind::ALL[i] as u16;
        while !matches!(SORTS[i], Sort::Corrupt) && last < kind {
            let (step, sort) = if kind - last > STEP { (STEP, Sort::Corrupt) } else { (kind - last, SORTS[i]) };
            if len < N {
                table[len] = step.to_le_bytes()[0] << 3 | sort as u8;
            }
            (len, last) = (len + 1, last + step);
        }
        i += 1;
    }
    (table, len)
}

kinds! {
    // 1 to 99: any format
    1 Truncated Truncated "the input ends here, and the format goes on"
    2 UnknownFormat Unsupported "no format that this build knows starts with these bytes"
    3 OutputTooSmall OutputTooSmall "the output slice is too small"
    4 WorkspaceTooSmall WorkspaceTooSmall "the workspace is too small"
    5 OutputLimit Limit "the decoded size exceeds the limit on output"
    6 HeaderLimit Limit "the header exceeds the limit on headers"
    7 ElementLimit Limit "a count in the header exceeds the limit on elements"
    8 WindowLimit Limit "the window that the header asks for exceeds the limit on windows"
    9 NoProgress Misuse "two calls in a row gave the decoder nothing to work with"
    10 WrongType Misuse "the column holds another type than the one asked for"
    11 RangeOutside Misuse "the requested range is outside of the data"
    12 SinkFull OutputTooSmall "the sink takes no more"
    13 VarintTooLong Corrupt "a varint has more than 64 bits"
    14 SizeOverflow Corrupt "sums or products of sizes in the header are too large"
    15 FormatNotBuilt Unsupported "this build leaves that format out"
    16 NullPointer Misuse "a pointer is null, and its length is not 0"
    17 Misaligned Misuse "a pointer is not aligned for what it leads to"
    18 Overlap Misuse "memory that the call writes to overlaps other memory that it uses"
    19 BadArgument Misuse "an argument has none of the values that it may have"
    20 NotInitialised Misuse "no function has filled this struct, or another one than this needs"
    21 WindowInUse Misuse "the decoder has not asked for another window, and goes on with the one that it has"
    22 NoMemory Limit "there is not enough memory"
    23 StoreFailed Misuse "the store could not be read or written"
    24 LengthTooLarge Misuse "a length is larger than memory can be"
    25 WrongHeader Misuse "the header is of another version than the library, or a struct has another size"
    26 ColumnLimit Limit "the table has more columns than the limit allows"

    // 100 to 199: Zstandard
    100 ZstdMagic Corrupt "neither a Zstandard frame nor a skippable frame of the expected format starts here"
    101 ZstdReservedBit Corrupt "a reserved bit is set"
    102 ZstdDictionaryWanted Misuse "the frame was made with the dictionary of this ID; another one or none was given"
    103 ZstdDictionary Corrupt "the dictionary starts like one but breaks the rules"
    104 ZstdBlockType Corrupt "this block type does not exist"
    105 ZstdBlockSize Corrupt "a block holds more than 128 KiB or more than the window, or is too short to be one"
    106 ZstdEndBlock Corrupt "the end block carries a checksum that the frame header does not announce"
    107 ZstdLiteralsSize Corrupt "the literals section is larger than its block, or its sizes make no sense"
    108 ZstdLiteralsRepeat Corrupt "literals repeat a Huffman code, but there is none yet"
    109 ZstdTree Corrupt "the Huffman code is incomplete, or its description breaks the rules"
    110 ZstdHuffmanStream Corrupt "a Huffman stream ends early or late"
    111 ZstdSequencesHeader Corrupt "the sequences section ends inside of its header"
    112 ZstdTable Corrupt "the description of an FSE table breaks the rules"
    113 ZstdTableRepeat Corrupt "sequences repeat a table, but there is none yet"
    114 ZstdTableSymbol Corrupt "the one symbol of a table does not exist"
    115 ZstdSequenceBits Corrupt "the bits of the sequences end early or late"
    116 ZstdOffset Corrupt "a match reaches back before the start, or beyond the window"
    117 ZstdLiteralsUsedUp Corrupt "a sequence takes more literals than there are"
    118 ZstdContentSize Corrupt "the frame does not hold as many bytes as its header says"
    119 ZstdChecksum Checksum "the checksum of the frame's content differs from the one in the file"
    120 ZstdSequencesTrailing Corrupt "bytes follow a sequences section that is empty"
    121 ZstdWindowBuffer WorkspaceTooSmall "the buffer for the window is too small"
    122 ZstdSeekTable Corrupt "the seek table does not list the frames that are before it"
    123 ZstdChecksumKind Unsupported "this build does not verify the checksums of frames; skip them, or add the feature zstd-xxh64"

    // 200 to 299: xz
    200 XzMagic Corrupt "an xz stream starts with FD 37 7A 58 5A 00"
    201 XzFlags Unsupported "the flags of the stream use bits that mean nothing yet"
    202 XzCheckKind Unsupported "the kind of check is reserved; none, CRC-32, CRC-64 and SHA-256 are known"
    203 XzHeaderCrc Checksum "the CRC-32 of a header, an index or a footer differs from the one in the file"
    204 XzBlockFlags Unsupported "the flags of the block use bits that mean nothing yet"
    205 XzBlockHeader Corrupt "the fields of the block header do not fit in it"
    206 XzBlockSize Corrupt "the block is not as long as its header says"
    207 XzPadding Corrupt "padding is not zero, or not as long as it must be"
    208 XzNumber Corrupt "a number has more than nine bytes, or needless ones"
    209 XzFilter Unsupported "this filter does not exist, this build leaves it out, or a store cannot undo it"
    210 XzFilterChain Unsupported "LZMA2 comes last in a chain of filters, and only there"
    211 XzFilterProperties Unsupported "the properties of a filter are out of range or not as long as they must be"
    212 XzControl Corrupt "no chunk has this control byte"
    213 XzDictionaryReset Corrupt "the first chunk of a block must reset the dictionary"
    214 XzProperties Corrupt "a chunk lacks lc, lp and pb, or they are out of range"
    215 XzChunkStart Corrupt "a range coder starts with a zero and four bytes more"
    216 XzChunkEnd Corrupt "the data of a chunk ends early or late, or in the middle of a match"
    217 XzDistance Corrupt "a match reaches back before the start of the dictionary, or beyond its size"
    218 XzCheck Checksum "the check of a block differs from the one in the file"
    219 XzIndex Corrupt "the index does not list the blocks of the stream"
    220 XzFooter Corrupt "the footer does not end a stream, or contradicts its header or index"
    221 XzTrailing Corrupt "something follows the stream, where one alone is expected"
    222 XzWindowBuffer WorkspaceTooSmall "the buffer for the window is too small"

    // 300 to 399: Pco
    300 PcoMagic Corrupt "a standalone Pco file starts with the four letters pco!"
    301 PcoStandaloneVersion Unsupported "standalone versions 0 to 3 are known"
    302 PcoVersion Unsupported "format versions 0 to 4 are known"
    303 PcoNumberType Corrupt "no number type has this byte"
    304 PcoTypeDiffers Corrupt "the chunk holds another number type than the file's header promises for all"
    305 PcoPadding Corrupt "the bits up to the next byte are not zero"
    306 PcoMode Corrupt "this mode does not exist"
    307 PcoModeHere Corrupt "this mode does not exist for this number type or format version"
    308 PcoModeValue Corrupt "the base or the bit count of the mode is out of range"
    309 PcoDelta Corrupt "this delta encoding does not exist"
    310 PcoDeltaOrder Corrupt "a consecutive delta encoding has order 1 to 7"
    311 PcoWindow Corrupt "the lookback window has at most 2^24 numbers, and at least as many as the state"
    312 PcoConvolution Corrupt "convolution does not exist for 64-bit latents, or its numbers could overflow"
    313 PcoTableSize Corrupt "a tANS table has at most 2^14 entries, and exactly one if there is only one bin"
    314 PcoBinCount Corrupt "there are more bins than entries in the tANS table"
    315 PcoOffsetBits Corrupt "a bin has more offset bits than its numbers have bits"
    316 PcoWeights Corrupt "the weights of the bins do not add up to the size of the tANS table"
    317 PcoLookbackBin Corrupt "a bin of lookbacks starts outside of the window"
    318 PcoNoBins Corrupt "a latent variable without bins cannot make numbers"
    319 PcoLookback Corrupt "a lookback is 0 or exceeds the window"
    320 PcoDictIndex Corrupt "an index is outside of the dictionary"

    // 400 to 499: OnPair
    400 OnPairMagic Corrupt "an OnPair container starts with the eight letters ONPAIR01"
    401 OnPairBits Corrupt "a packed code has 1 to 16 bits"
    402 OnPairTable Corrupt "a table of offsets holds whole numbers, and at least one"
    403 OnPairTokenCount Corrupt "16-bit codes can name 65536 tokens, and the dictionary has more"
    404 OnPairFirstOffset Corrupt "the first token starts at offset 0"
    405 OnPairTokenEmpty Corrupt "each token ends after its start"
    406 OnPairTokenLength Corrupt "a token has at most 16 bytes"
    407 OnPairTokenOutside Corrupt "the last token ends after the dictionary"
    408 OnPairCode Corrupt "a code names a token that the dictionary does not have"
    409 OnPairRowOrder Corrupt "a row ends before it starts"
    410 OnPairRowOutside Corrupt "the last row ends after the codes"
    411 OnPairCodesShort Corrupt "the codes end before their number is reached"
    412 OnPairCodeHalf Corrupt "codes of two bytes each end in the middle of one"
    413 OnPairNotSorted Corrupt "the tokens are not sorted, or one occurs twice"
    414 OnPairNotComplete Corrupt "the dictionary lacks the token of a single byte"

    // 500 to 599: CVC
    500 CvcMagic Corrupt "a CVC file starts with the four letters CVCF"
    501 CvcVersion Unsupported "CVC versions 0, 1 and 2 are known"
    502 CvcHeaderEmpty Corrupt "the JSON header has no bytes"
    503 CvcMissingKey Corrupt "the header lacks a key that this file needs"
    504 CvcWrongValue Corrupt "a header key holds a value of the wrong type"
    505 CvcUnknownCompression Unsupported "compression is one of fp16, int8, lossless and none"
    506 CvcCompressionHere Unsupported "this compression does not exist in this kind of CVC file"
    507 CvcUnknownDtype Unsupported "dtype is one of float32, float16, int64, int32, int8 and uint8"
    508 CvcRowsDisagree Corrupt "the rows of all chunks do not add up to num_vectors"
    509 CvcChunkLength Corrupt "the chunk is not as long as its rows need"
    510 CvcChunkOutside Corrupt "the chunk has no place of its own after the header"
    511 CvcColumnOutside Corrupt "the column does not lie inside of its chunk"
    512 CvcColumnLength Corrupt "the column is not as long as its rows need"
    513 CvcColumnMissing Corrupt "a chunk lacks a column that the file declares"
    514 CvcCrc Checksum "the CRC-32 of the chunk differs from the one in the file"
    515 CvcLosslessCount Corrupt "the number of values in a lossless chunk is not rows times dimension"
    516 CvcLosslessBits Corrupt "a plane of a lossless chunk has 1 to 8 bits a value"
    517 CvcLosslessCode Corrupt "a code of a lossless plane is outside of its dictionary"
    518 CvcNoSuchColumn Misuse "the file has no column of this name"
    519 CvcSection Corrupt "a section does not lie inside of the file's rows"
    520 CvcFormatType Unsupported "format_type is columnar, single, or absent"
    521 CvcBackwards Unsupported "the chunks lie out of order, which a stream cannot follow"
    522 CvcPickColumn Misuse "the file has several columns; name one"
    523 CvcHiddenCrc Corrupt "a version 0 file has no checksums, but a CRC-32 of the chunk precedes its values"
    524 CvcLosslessShort Corrupt "the payload of a lossless chunk ends before its four planes do"

    // 600 to 699: AT-1
    600 At1Magic Corrupt "an AT-1 file starts with the letters AT1 and the byte 2 or 3"
    601 At1Codec Unsupported "the codecs 0 to 12 and 255 are known"
    602 At1StreamOutside Corrupt "a stream does not lie inside of its set"
    603 At1StreamTwice Corrupt "two streams of a set have the same name"
    604 At1Trailing Corrupt "something follows here that belongs to nothing"
    605 At1Backend Corrupt "the backends 0 xz, 1 zstd and 2 stored are known, and this is no xz without one either"
    606 At1NoContentSize Unsupported "a zstd payload must say how many bytes it holds"
    607 At1ContentSize Corrupt "the payload cannot hold or does not hold as many bytes as it says"
    608 At1Hash Checksum "the SHA-256 of the decoded file differs from the one in the trailer"
    609 At1FrameEmpty Corrupt "a frame has at least the byte that says its method"
    610 At1FrameMethod Corrupt "the methods of a frame are 0 structured and 1 raw"
    611 At1StreamShort Corrupt "a stream ends before all is read that the others promise"
    612 At1ListShort Corrupt "a list has fewer items than are taken from it"
    613 At1SumOverflow Corrupt "a running sum leaves 64 bits"
    614 At1RowGroups Corrupt "lines, rows, groups and rows in a group do not fit together"
    615 At1ColumnType Unsupported "no column type has this number"
    616 At1BlockOutside Corrupt "a block is empty, or does not lie inside of the stream of blocks"
    617 At1BlockTag Corrupt "the tags of a block are 0 xz and 1 zstd"
    618 At1Template Corrupt "a template has one literal more than there are columns"
    619 At1FieldCount Corrupt "a row has more fields than there are columns"
    620 At1Scale Corrupt "a decimal has at most 18 digits after the point, and a shuffled integer 1 to 8 bytes"
    621 At1DerivedSource Corrupt "a derived column follows from one that precedes it"
    622 At1DerivedAhead Unsupported "derived columns that lag their sources would take too much work"
    623 At1DerivedMap Corrupt "the column that another one is derived from has more values than the map"
    624 At1DictionaryIndex Corrupt "an index is outside of its dictionary"
    625 At1TextNumber Corrupt "no key, template, genotype or other text has this number"
    626 At1Depth Limit "the JSON nests deeper than the limit"
    627 At1Token Corrupt "no token and no kind of thing has this number"
    628 At1Rule Corrupt "a rule has one literal more than sources, and its sources are columns that exist"
    629 At1Mode Corrupt "the first byte of meta says 0 raw or 1 structured"
    630 At1Sample Corrupt "the samples of a line ascend, and are below the number of samples"
    631 At1Time Corrupt "a time is outside of the years 0 to 9999"
    632 At1Transform Corrupt "the transforms of an image are 0 to 3"
    633 At1Jpeg Unsupported "the image was made of JPEG 2000 or JPEG-LS, which needs its own encoder"
    634 At1ImageSize Corrupt "rows, columns, samples and bits of the image do not fit its pixels"
    635 At1ArraySize Corrupt "elements have 1 to 32 bytes, and as many planes as that"
    636 At1Shapes Corrupt "a file has at most 64 shapes of line, and no line and no stream is of another"
    637 At1BundleWhole Misuse "a bundle holds several files; they are decoded one by one"
    638 At1BundleInside Unsupported "a bundle cannot be a part of something"
    639 At1RawFrame Corrupt "the codec raw has no structure"
    640 At1NoBundle Misuse "only a bundle holds several files"
    641 At1Manifest Corrupt "the manifest is an array of objects with a name each, and a stream for each of them"
    642 At1UnsafeName Corrupt "the name of a file leads outside of the bundle, or is none"
    643 At1EmptyGaps Limit "many gaps or fields stay empty, over and over"
    644 At1Dictionary Unsupported "a zstd payload was made with a dictionary, and nobody can give it one"
    670 At1NotQueryable Unsupported "only the codecs 7 qcolumnar and 8 qjson can be queried"
    671 At1QueryFrames Unsupported "a file in frames cannot be queried, only one of a single piece"
    672 At1NoSuchColumn Misuse "the table has no column of this name or number"
    673 At1ColumnTwice Misuse "several columns of the table have this name; ask by number"
    674 At1NoNames Misuse "the table does not name its columns; ask by number"
    675 At1QueryNumber Misuse "the end of a range must be a number"
    676 At1QuerySum Unsupported "the sum does not fit in 128 bits"
    677 At1QueryLine Misuse "lines can be rebuilt only where all columns are asked for"

    // 700 to 799: gzip
    700 GzipMagic Corrupt "a gzip member starts with the bytes 1F 8B, and nothing but zeros follows the last one"
    701 GzipMethod Unsupported "deflate is the one method of compression that gzip has"
    702 GzipReservedFlag Corrupt "a reserved flag is set"
    703 GzipHeaderCrc Checksum "the checksum of the header differs from the one in the file"
    704 GzipDeflate Corrupt "the deflate stream breaks its rules here or shortly before"
    705 GzipCrc Checksum "the checksum of the content differs from the one in the file"
    706 GzipSize Corrupt "the content is not as long as the file says"

    // 800 to 899: LZMA by itself; other errors are those of xz
    800 LzmaEnd Corrupt "LZMA ends before the size in the header, goes on after it, or ends in the middle of a match"

    // 900 to 949: JSON headers
    900 JsonSyntax Corrupt "the JSON header breaks the rules of JSON here"
    901 JsonUtf8 Corrupt "the JSON header is not UTF-8"
    902 JsonNumber Corrupt "a JSON number is malformed, or not an integer in range where one is needed"
    903 JsonString Corrupt "a JSON string holds an unknown escape or a raw control character"
    904 JsonDepth Limit "the JSON header nests deeper than the limit"
    905 JsonTrailing Corrupt "something follows the JSON value inside of the header"
    906 JsonEncoding Unsupported "the JSON header is UTF-16 or UTF-32; only UTF-8 is read"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascend() {
        assert!(ErrorKind::ALL.windows(2).all(|pair| (pair[0] as u16) < (pair[1] as u16)));
    }

    #[test]
    fn a_kind_of_each_class() {
        let kinds = [
            (ErrorKind::Truncated, Class::Truncated),
            (ErrorKind::ZstdMagic, Class::Corrupt),
            (ErrorKind::CvcCrc, Class::Checksum),
            (ErrorKind::JsonEncoding, Class::Unsupported),
            (ErrorKind::At1Depth, Class::Limit),
            (ErrorKind::SinkFull, Class::OutputTooSmall { need: 0 }),
            (ErrorKind::XzWindowBuffer, Class::WorkspaceTooSmall { need: 0 }),
            (ErrorKind::At1QueryLine, Class::Misuse),
        ];
        for (kind, class) in kinds {
            assert_eq!(kind.class(), class, "{kind:?}");
        }
    }

    #[test]
    fn an_error_reads_like_a_sentence() {
        let error = Error::new(ErrorKind::Truncated, 12).needing(4);
        #[cfg(feature = "messages")]
        assert_eq!(error.to_string(), "truncated at byte 12: the input ends here, and the format goes on (needs 4)");
        assert_eq!(error.class(), Class::Truncated);
        assert_eq!(Error::new(ErrorKind::OutputTooSmall, 0).needing(9).class(), Class::OutputTooSmall { need: 9 });
        assert_eq!(error.offset_by(100).at, 112);
        // A truncated file needs the bytes before it as well; the amount of another error does not
        // grow.
        assert_eq!(error.offset_by(100).need, 104);
        assert_eq!(Error::new(ErrorKind::OutputTooSmall, 12).needing(9).offset_by(100).need, 9);
        assert!(size_of::<Error>() <= 24);
    }
}
