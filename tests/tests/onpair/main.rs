//! OnPair against its vectors and its reference implementation: exact, from every form of codes,
//! and hostile input refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod cases;
mod columns;
mod containers;
mod doors;
mod reference;
mod rows;
mod search;

use std::ops::Range;
use std::path::{Path, PathBuf};

use cases::{Case, cases, expected, folders};
use reference::pack;
use rows::decodes;
use search::found;
use serde_json::Value as Json;
use unspool::onpair::{
    Codes, Column, Dictionary, File, Header, Options, Outline, RowOffsets, Search, SearchWorkspace, Workspace,
};
use unspool::{Class, Count, Done, Error, ErrorKind, Limits, Name, Trace};
use unspool_tests::{Leaves, Random, list, manifest, number, read, text, vector_folders};
