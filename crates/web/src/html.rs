//! One file that needs nothing else: the document, the built views and their style.

use crate::document::PageDocument;

const SCRIPT: &str = include_str!("../page/dist/page.js");
const STYLE: &str = include_str!("../page/dist/page.css");

/// What stands before the data of a page, and behind it.
pub(crate) const BEFORE_DATA: &str = "<script type=\"application/json\" id=\"document\">";
pub(crate) const AFTER_DATA: &str = "</script>";

/// The page of a document.
#[must_use]
pub fn html(document: &PageDocument<'_>, title: &str) -> String {
    // These types have nothing that JSON cannot hold.
    page(&serde_json::to_string(document).unwrap_or_default(), title)
}

/// The page of a document as JSON.
pub(crate) fn page(data: &str, title: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let data = inside_script(data);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<div id=\"page\"></div>\n<noscript>This page draws its pictures with JavaScript.</noscript>\n\
         {BEFORE_DATA}{data}{AFTER_DATA}\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// JSON that cannot end the element that it stands in.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, STYLE, inside_script};

    #[test]
    fn no_text_of_a_document_ends_its_element() {
        assert_eq!(inside_script("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
    }

    #[test]
    fn the_views_end_no_element_and_ask_for_nothing_from_outside() {
        assert!(!SCRIPT.to_lowercase().contains("</script") && !STYLE.to_lowercase().contains("</style"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
