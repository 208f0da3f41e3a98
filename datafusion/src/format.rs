//! The formats as DataFusion registers them.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{GetExt, Result, Statistics, internal_err, not_impl_err, plan_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::logical_expr::CreateExternalTable;
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStore};

use crate::head::Heads;
use crate::io::Io;
use crate::options::{Kind, Options};
use crate::source::Source;

/// Heads that are read at a time.
const IN_FLIGHT: usize = 16;

/// One of the formats, with the options of a table.
#[derive(Clone, Debug)]
pub struct Format {
    kind: Kind,
    options: Options,
    heads: Arc<Heads>,
}

impl Format {
    /// Makes a format.
    pub fn new(kind: Kind, options: Options) -> Self {
        Self { kind, options, heads: Arc::default() }
    }
}

#[async_trait]
impl FileFormat for Format {
    fn get_ext(&self) -> String {
        self.kind.extension().to_owned()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        match compression.is_compressed() {
            true => not_impl_err!("files of {} are compressed already", self.kind.name()),
            false => Ok(self.get_ext()),
        }
    }

    /// Says so, because DataFusion asks for the extension of files in a folder only then.
    fn compression_type(&self) -> Option<FileCompressionType> {
        Some(FileCompressionType::UNCOMPRESSED)
    }

    /// Merges the schemas of all files, from their heads alone.
    async fn infer_schema(
        &self,
        _: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        let heads: Vec<_> = stream::iter(objects.to_vec())
            .map(|meta| async move {
                let path = meta.location.to_string();
                let io = Io::new(Arc::clone(store), meta, None);
                let known = self.heads.get(self.kind, &self.options, store, &io).await?;
                Ok::<_, datafusion::error::DataFusionError>((path, known.head.schema()))
            })
            .buffered(IN_FLIGHT)
            .try_collect()
            .await?;
        Ok(Arc::new(merge(self.kind, &heads)?))
    }

    async fn infer_stats(
        &self,
        _: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        let io = Io::new(Arc::clone(store), object.clone(), None);
        let known = self.heads.get(self.kind, &self.options, store, &io).await?;
        Ok(known.head.statistics(&table_schema, object.size, &self.options))
    }

    async fn create_physical_plan(&self, state: &dyn Session, conf: FileScanConfig) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(source) = conf.file_source().downcast_ref::<Source>() else {
            return internal_err!("expected a scan of {}", self.kind.name());
        };
        let source = source.clone().with_pool(Arc::clone(&state.runtime_env().memory_pool));
        let conf = FileScanConfigBuilder::from(conf).with_source(Arc::new(source)).build();
        Ok(DataSourceExec::from_data_source(conf))
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(Source::with_heads(self.kind, self.options, Arc::clone(&self.heads), table_schema))
    }
}

/// Returns the schema of a table of several files: the columns of all of them, by name.
///
/// A column that some files do not have is nullable. If files store a column with different types,
/// the table has the wider one.
fn merge(kind: Kind, files: &[(String, SchemaRef)]) -> Result<Schema> {
    let mut merged: Vec<(FieldRef, usize)> = vec![];
    for (path, schema) in files {
        for field in schema.fields() {
            let Some((known, count)) = merged.iter_mut().find(|(known, _)| known.name() == field.name()) else {
                merged.push((Arc::clone(field), 1));
                continue;
            };
            let Some(wider) = wider(kind, known.data_type(), field.data_type()) else {
                let (name, one, other) = (field.name(), known.data_type(), field.data_type());
                return plan_err!("column {name:?} is {one} in earlier files and {other} in {path}; name its type");
            };
            let is_nullable = known.is_nullable() || field.is_nullable();
            *known = Arc::new(Field::new(field.name(), wider, is_nullable));
            *count += 1;
        }
    }
    let fields = merged.into_iter().map(|(field, count)| match count == files.len() {
        true => field,
        false => Arc::new(field.as_ref().clone().with_nullable(true)),
    });
    Ok(Schema::new(fields.collect::<Vec<_>>()))
}

/// Returns the type that holds the values of both exactly, as tables of AT-1 can be read.
///
/// Floats do not hold all integers. Only AT-1 reads both as floats, because its option `decimals`
/// asked for them.
fn wider(kind: Kind, one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{Decimal128, Float64, Int64, Null, Utf8View};
    Some(match (one, other) {
        (one, other) if one == other => one.clone(),
        (Null, other) | (other, Null) => other.clone(),
        (Int64, Float64) | (Float64, Int64) if kind != Kind::At1 => return None,
        (Int64, wider @ (Decimal128(..) | Float64 | Utf8View))
        | (wider @ (Decimal128(..) | Float64 | Utf8View), Int64) => wider.clone(),
        (Decimal128(..) | Float64, Utf8View) | (Utf8View, Decimal128(..) | Float64) => Utf8View,
        _ => return None,
    })
}

/// Makes a [`Format`] for each table.
#[derive(Clone, Debug)]
pub struct Factory {
    kind: Kind,
    /// The name that the session knows the format by.
    name: &'static str,
}

impl Factory {
    /// Returns the factories of a format: one by its name after `STORED AS`, and one by its
    /// extension if that is another word.
    pub fn of(kind: Kind) -> Vec<Self> {
        let mut names = vec![kind.name()];
        names.extend((kind.extension() != kind.name()).then_some(kind.extension()));
        names.into_iter().map(|name| Self { kind, name }).collect()
    }
}

impl GetExt for Factory {
    fn get_ext(&self) -> String {
        self.name.to_owned()
    }
}

impl FileFormatFactory for Factory {
    fn create(&self, _: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        Ok(Arc::new(Format::new(self.kind, Options::read(options)?)))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(Format::new(self.kind, Options::DEFAULT))
    }
}

/// Makes tables of one format, as `CREATE EXTERNAL TABLE` asks for them.
///
/// On its own, DataFusion takes globs, and the extension of files in a folder, only on disks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables(pub(crate) Kind);

#[async_trait]
impl TableProviderFactory for Tables {
    async fn create(&self, state: &dyn Session, statement: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        let format = Format::new(self.0, Options::read(&statement.options)?);
        let path = |location: &String| Ok(parse(location)?.with_table_ref(statement.name.clone()));
        let paths = statement.locations.iter().map(path).collect::<Result<Vec<_>>>()?;
        let Some(first) = paths.first() else { return plan_err!("expected a location") };
        let is_folder = paths.iter().all(|path| path.is_collection() && path.get_glob().is_none());
        let extension = if is_folder { format!(".{}", self.0.extension()) } else { String::new() };
        let mut options = ListingOptions::new(Arc::new(format))
            .with_file_extension(extension)
            .with_file_sort_order(statement.order_exprs.clone());
        let declared = statement.schema.inner();
        let mut partitions = statement.table_partition_cols.clone();
        let infers = state.config_options().execution.listing_table_factory_infer_partitions;
        if partitions.is_empty() && infers && declared.fields().is_empty() {
            partitions = options.infer_partitions(state, first).await?;
        }
        let word = || DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
        let typed = partitions.iter().map(|name| {
            let field = declared.field_with_name(name);
            (name.clone(), field.map_or_else(|_| word(), |field| field.data_type().clone()))
        });
        options = options.with_table_partition_cols(typed.collect());
        for path in &paths {
            options.validate_partitions(state, path).await?;
        }
        let schema = if declared.fields().is_empty() {
            let mut found = vec![];
            for path in &paths {
                found.push((path.to_string(), options.infer_schema(state, path).await?));
            }
            Arc::new(merge(self.0, &found)?)
        } else {
            let fields = declared.fields().iter().filter(|field| !partitions.contains(field.name()));
            Arc::new(Schema::new(fields.cloned().collect::<Vec<_>>()))
        };
        let config = ListingTableConfig::new_with_multi_paths(paths).with_listing_options(options).with_schema(schema);
        let cache = state.runtime_env().cache_manager.get_file_statistic_cache();
        Ok(Arc::new(ListingTable::try_new(config)?.with_cache(cache).with_definition(statement.definition.clone())))
    }
}

/// Parses a location, with a glob also in a store.
fn parse(location: &str) -> Result<ListingTableUrl> {
    let glob = location.find(['*', '?', '[']).filter(|_| location.contains("://") && !location.starts_with("file:"));
    let Some(at) = glob else { return ListingTableUrl::parse(location) };
    let start = location.get(..at).and_then(|before| before.rfind('/')).map_or(0, |slash| slash + 1);
    let (folder, glob) = location.split_at(start);
    ListingTableUrl::parse(folder)?.with_glob(glob)
}
