//! Two pages as one: their launches under each other, and what changed.

use crate::document::VERSION;
use crate::html;
use serde_json::{Value, json};
use warplab_metrics::Comparison;

/// The document that a page of [`html::html`] carries, if it is one of this version.
///
/// # Errors
/// Says what is wrong.
pub fn document_of(page: &str) -> Result<Value, String> {
    let data = page.split_once(html::BEFORE_DATA).and_then(|(_, rest)| rest.split_once(html::AFTER_DATA));
    let (data, _) = data.ok_or("it is no page of warplab run --html")?;
    let document: Value =
        serde_json::from_str(data).map_err(|fault| format!("its data is damaged: {fault}"))?;
    match document["version"].as_u64() {
        Some(version) if version == u64::from(VERSION) => Ok(document),
        Some(version) => Err(format!("its data has version {version}; this program reads version {VERSION}")),
        None => Err("its data has no version".to_owned()),
    }
}

/// The page of two launches (places in their documents) with what changed from one to the other.
#[must_use]
pub fn comparison_html(runs: [(&Value, &Value); 2], names: [&str; 2], found: &Comparison) -> String {
    let [(document, before), (_, after)] = runs;
    let all = json!({
        "format": document["format"],
        "version": VERSION,
        "simulator": document["simulator"],
        "states": document["states"],
        "launches": [before, after],
        "comparison": { "names": names, "found": found },
    });
    html::page(&all.to_string(), &format!("{} beside {}", names[0], names[1]))
}
