//! The names of the groups and fields that a [`Trace`](crate::Trace) receives.

// Number, identifier and label of a name are on one line, as for an `ErrorKind`. JavaScript reads
// the same table.
macro_rules! names {
    ($($number:literal $name:ident $label:literal)*) => {
        /// The name of a group or a field in a file: a stable number for code, and a label for
        /// people.
        ///
        /// The numbers never change; new ones are added.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Name { $(#[doc = $label] $name = $number,)* }

        impl Name {
            /// Every name, in the order of their numbers.
            pub const ALL: &'static [Name] = &[$(Name::$name,)*];

            /// Returns the identifier in the source, such as `ContentSize`. Code and JSON match it.
            pub const fn id(self) -> &'static str {
                match self { $(Name::$name => stringify!($name),)* }
            }

            /// Returns the words of the format, such as `content size`.
            pub const fn label(self) -> &'static str {
                match self { $(Name::$name => $label,)* }
            }
        }
    };
}

names! {
    // 1 to 99: several formats
    1 Block "block"
    2 Chunk "chunk"
    3 Codes "codes"
    4 CompressedSize "compressed size"
    5 Crc32 "crc-32"
    6 Entry "entry"
    7 Frame "frame"
    8 Header "header"
    9 Magic "magic"
    10 MagicNumber "magic number"
    11 MajorVersion "major version"
    12 Method "method"
    13 MinorVersion "minor version"
    14 Name "name"
    15 Offset "offset"
    16 Padding "padding"
    17 PayloadLength "payload length"
    18 Size "size"
    19 Stream "stream"
    20 TrailingBytes "trailing bytes"

    // 100 to 199: Zstandard
    100 BlockHeader "block header"
    101 Byte "byte"
    102 Checksum "checksum"
    103 Content "content"
    104 ContentSize "content size"
    105 DecompressedSize "decompressed size"
    106 DictionaryId "dictionary ID"
    107 EndBlock "end block"
    108 EndBlockWithChecksum "end block with checksum"
    109 EndMark "end mark"
    110 FrameDescriptor "frame descriptor"
    111 HuffmanCode "huffman code"
    112 HuffmanStream "huffman stream"
    115 Ignored "ignored"
    116 JumpTable "jump table"
    117 Literal "literal"
    118 LiteralLength "literal length"
    119 LiteralLengthState "literal length state"
    120 LiteralLengths "literal lengths"
    121 Literals "literals"
    122 LiteralsHeader "literals header"
    123 MatchLength "match length"
    124 MatchLengthState "match length state"
    125 MatchLengths "match lengths"
    126 NumberOfFrames "number of frames"
    127 NumberOfSequences "number of sequences"
    128 OffsetState "offset state"
    129 Offsets "offsets"
    130 RawBytes "raw bytes"
    131 RawLiterals "raw literals"
    132 RepeatedLiteral "repeated literal"
    133 RepeatedOffset "repeated offset"
    134 SeekTable "seek table"
    135 SeekTableDescriptor "seek table descriptor"
    136 SeekTableMagic "seek table magic"
    137 Sequence "sequence"
    138 SequenceBits "sequence bits"
    139 Sequences "sequences"
    140 SkippableData "skippable data"
    141 TableModes "table modes"
    142 Window "window"

    // 200 to 299: xz
    200 LzmaSymbols "LZMA symbols"
    201 BackwardSize "backward size"
    202 BlockFlags "block flags"
    203 BlockHeaderCrc32 "block header CRC-32"
    204 BlockPadding "block padding"
    205 Check "check"
    206 ChunkSize "chunk size"
    207 ChunkSizes "chunk sizes"
    208 Control "control"
    209 CopiedBytes "copied bytes"
    210 DictionarySize "dictionary size"
    211 EndOfData "end of data"
    212 Filter "filter"
    213 FilterProperties "filter properties"
    214 FooterCrc32 "footer CRC-32"
    215 FooterMagic "footer magic"
    216 HeaderCrc32 "header CRC-32"
    217 HeaderPadding "header padding"
    218 HeaderSize "header size"
    219 Index "index"
    220 IndexCrc32 "index CRC-32"
    221 IndexIndicator "index indicator"
    222 IndexPadding "index padding"
    223 LcLpPb "lc, lp, pb"
    224 PropertiesSize "properties size"
    225 Records "records"
    226 StreamPadding "stream padding"
    227 UncompressedSize "uncompressed size"
    228 UnpaddedSize "unpadded size"
    229 StreamHeader "stream header"
    230 ContentOfDecodedSize "content of decoded size"
    231 IndexAndFooter "index and footer"

    // 300 to 399: Pco
    300 Base "base"
    301 Batch "batch"
    302 Bias "bias"
    303 Bin "bin"
    304 Bins "bins"
    305 Bits "bits"
    306 BitsOfNHintLess1 "bits of n_hint, less 1"
    307 ChunkMetadata "chunk metadata"
    308 Delta "delta"
    309 DeltaOrder "delta order"
    310 EndOfChunks "end of chunks"
    311 Entries "entries"
    312 LogOfState "log of state"
    313 LogOfTableSize "log of table size"
    314 LogOfWindowLess1 "log of window, less 1"
    315 LookbackOffsets "lookback offsets"
    316 LookbackSymbols "lookback symbols"
    317 Lower "lower"
    318 Mode "mode"
    319 NHint "n_hint"
    320 NumberType "number type"
    321 NumbersLess1 "numbers, less 1"
    322 OffsetBits "offset bits"
    323 Order "order"
    324 OrderLess1 "order, less 1"
    325 Page "page"
    326 PageMetadata "page metadata"
    327 PrimaryOffsets "primary offsets"
    328 PrimarySymbols "primary symbols"
    329 SecondaryOffsets "secondary offsets"
    330 SecondarySymbols "secondary symbols"
    331 SecondaryToo "secondary too"
    332 Shift "shift"
    333 StandaloneVersion "standalone version"
    334 State "state"
    335 TansState "tANS state"
    336 UniformType "uniform type"
    337 Variable "variable"
    338 Weight "weight"
    339 WeightLess1 "weight, less 1"
    340 PageOfNumbers "page of numbers"

    // 400 to 499: OnPair
    400 BitsACode "bits a code"
    401 CodeWordCount "code word count"
    402 CodesOfNoRow "codes of no row"
    403 DictionaryLength "dictionary length"
    404 Row "row"
    405 RowOffsetCount "row offset count"
    406 RowOffsets "row offsets"
    407 Token "token"
    408 TokenOffsetCount "token offset count"
    409 TokenOffsets "token offsets"
    410 Tokens "tokens"

    // 500 to 599: CVC
    500 BitsOfACode "bits of a code"
    501 Chunks "chunks"
    502 Column "column"
    503 Columns "columns"
    504 Compression "compression"
    505 Dictionary "dictionary"
    506 Dimension "dimension"
    507 DistinctBytes "distinct bytes"
    508 Dtype "dtype"
    509 EndInChunk "end_in_chunk"
    510 EndIndex "end_index"
    511 FileOffset "file_offset"
    512 FormatType "format_type"
    513 HeaderLength "header length"
    514 Json "json"
    515 Lossless "lossless"
    516 Metadata "metadata"
    517 Min "min"
    518 MmapOptimized "mmap_optimized"
    519 NumVectors "num_vectors"
    520 Other "other"
    521 Plane "plane"
    522 Rows "rows"
    523 Scale "scale"
    524 Section "section"
    525 SectionEnd "section_end"
    526 SectionStart "section_start"
    527 Sections "sections"
    528 StartInChunk "start_in_chunk"
    529 StartIndex "start_index"
    530 Unused "unused"
    531 Values "values"

    // 600 to 699: AT-1
    600 Sha256 "SHA-256 of the decoded file"
    601 Backend "backend"
    602 Bytes "bytes"
    603 Codec "codec"
    604 FrameLength "frame length"
    605 LinesAFrame "lines a frame"
    606 NameLength "name length"
    607 Payload "payload"
    608 StreamCount "stream count"
    609 TrailerMagic "trailer magic"

    // 700 to 799: gzip
    700 Comment "comment"
    701 Deflate "deflate"
    702 Effort "effort"
    703 Extra "extra"
    704 ExtraLength "extra length"
    705 Flags "flags"
    706 HeaderCrc16 "header crc-16"
    707 Member "member"
    708 Modified "modified"
    709 OperatingSystem "operating system"
}
