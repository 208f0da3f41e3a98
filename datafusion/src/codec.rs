//! Plans on the wire: scans of our formats for workers on other machines.

use std::sync::Arc;

use datafusion::common::{Result, internal_datafusion_err, not_impl_err};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::{parse_protobuf_file_scan_config, parse_table_schema_from_proto};
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::{FileScanExecConf, PhysicalExprNode};
use prost::Message;
use unspool_arrow::at1::{Decimals, OnMisfit};

use crate::options::{self, Kind, Options};
use crate::source::Source;

/// Encodes scans of AT-1, CVC, Pco and OnPair, and refuses all other nodes. So it composes with the
/// codecs of others in a `ComposedPhysicalExtensionCodec` of `datafusion-proto`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Codec;

/// A scan as bytes.
#[derive(Clone, PartialEq, Message)]
struct Scan {
    /// Starts every message of this codec.
    #[prost(string, tag = "1")]
    format: String,
    #[prost(message, optional, tag = "2")]
    config: Option<FileScanExecConf>,
    #[prost(message, optional, tag = "3")]
    filter: Option<PhysicalExprNode>,
    /// Digits of exact decimals; otherwise `FLOAT` or `TEXT`.
    #[prost(uint32, tag = "4")]
    decimals: u32,
    #[prost(bool, tag = "5")]
    misfit_null: bool,
    #[prost(bool, tag = "6")]
    other_lines: bool,
    #[prost(bool, tag = "7")]
    ignore_zone_maps: bool,
    #[prost(bool, tag = "8")]
    binary: bool,
    /// The limits: output, window, header, elements, columns, depth.
    #[prost(uint64, repeated, tag = "9")]
    limits: Vec<u64>,
}

/// Beyond the digits that a `u8` can ask for.
const FLOAT: u32 = 256;
const TEXT: u32 = 257;

impl PhysicalExtensionCodec for Codec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let config =
            node.downcast_ref::<DataSourceExec>().and_then(|exec| exec.data_source().downcast_ref::<FileScanConfig>());
        let Some((config, source)) =
            config.and_then(|config| Some((config, config.file_source().downcast_ref::<Source>()?)))
        else {
            return not_impl_err!("{} is no scan of at1, cvc, pco or onpair", node.name());
        };
        let Options { limits, decimals, on_misfit, other_lines, zone_maps, binary } = *source.options();
        let filter = source.filter().map(|filter| converter.physical_expr_to_proto(&filter, self)).transpose()?;
        let scan = Scan {
            format: source.kind().name().to_owned(),
            config: Some(serialize_file_scan_config(config, self, converter)?),
            filter,
            decimals: match decimals {
                Decimals::Exact { scale } => scale.into(),
                Decimals::Float => FLOAT,
                Decimals::Text => TEXT,
            },
            misfit_null: on_misfit == OnMisfit::Null,
            other_lines,
            ignore_zone_maps: !zone_maps,
            binary,
            limits: options::numbers(&limits).into(),
        };
        scan.encode(buf).map_err(|error| internal_datafusion_err!("{error}"))
    }

    fn try_decode(
        &self,
        buf: &[u8],
        _: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let broken = |what: &str| internal_datafusion_err!("expected a scan of at1, cvc, pco or onpair: {what}");
        let scan = Scan::decode(buf).map_err(|error| broken(&error.to_string()))?;
        let kind = Kind::of(&scan.format).ok_or_else(|| broken("unknown format"))?;
        let config = scan.config.ok_or_else(|| broken("no configuration"))?;
        let limits = scan.limits.try_into().ok().and_then(options::limits);
        let options = Options {
            limits: limits.ok_or_else(|| broken("no limits"))?,
            decimals: match scan.decimals {
                FLOAT => Decimals::Float,
                TEXT => Decimals::Text,
                scale => Decimals::Exact { scale: u8::try_from(scale).map_err(|_| broken("unknown decimals"))? },
            },
            on_misfit: if scan.misfit_null { OnMisfit::Null } else { OnMisfit::Error },
            other_lines: scan.other_lines,
            zone_maps: !scan.ignore_zone_maps,
            binary: scan.binary,
        };
        let table_schema = parse_table_schema_from_proto(&config)?;
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        let context = PhysicalPlanDecodeContext::new(context, self);
        let filter =
            scan.filter.map(|filter| converter.proto_to_physical_expr(&filter, table_schema.table_schema(), &context));
        let source = Source::new(kind, options, table_schema).with_filter(filter.transpose()?).with_pool(pool);
        let config = parse_protobuf_file_scan_config(&config, &context, converter, Arc::new(source))?;
        Ok(DataSourceExec::from_data_source(config))
    }
}
