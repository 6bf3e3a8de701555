//! The committed page of instructions is what the program writes.

use crate::common::warplab;

#[test]
fn the_page_of_instructions_is_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../INSTRUCTIONS.md");
    let page = std::fs::read_to_string(path).expect("the page is committed");
    // Written anew by: warplab isa --markdown > INSTRUCTIONS.md
    warplab("isa --markdown").code(0).stdout_eq(snapbox::Data::text(page).raw());
}
