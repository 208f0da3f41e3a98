//! Stores that are opened when a query first names them.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use url::Url;

/// A registry that opens `s3://` buckets from the environment: `AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ALLOW_HTTP`.
#[derive(Debug, Default)]
pub struct Stores(DefaultObjectStoreRegistry);

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let found = self.0.get_store(url);
        if found.is_ok() || url.scheme() != "s3" {
            return found;
        }
        let bucket = url.host_str().ok_or_else(|| DataFusionError::Plan(format!("{url} names no bucket")))?;
        let store = Arc::new(AmazonS3Builder::from_env().with_bucket_name(bucket).build()?);
        self.0.register_store(url, Arc::clone(&store) as _);
        Ok(store)
    }
}
