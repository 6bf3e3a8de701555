//! The timeline as CSV: a row for each state of a warp.

use super::{TimelineRecord, timeline_columns};

/// The timeline as CSV: a row for each state of a warp, by its beginning.
#[must_use]
pub fn timeline_csv(record: &TimelineRecord<'_>) -> String {
    let columns = timeline_columns(record);
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and all rows are equally long.
    let _ = writer.write_record(columns.iter().map(|(name, _)| name));
    for row in 0..record.intervals.len() {
        let _ = writer.write_record(columns.iter().map(|(_, column)| column.text(row)));
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::timeline_csv;

    #[test]
    fn every_state_is_a_row_in_the_order_of_their_beginnings() {
        let expected = "\
sm,scheduler,slot,block,warp,from,to,state,address,instruction,place
2,1,5,7,0,0,10,long_scoreboard,16,\"LDG.E R2, [R4.64]\",
2,0,0,8,0,10,11,selected,0,\"MOV R1, R2\",a.cu:3
2,1,5,7,0,10,11,selected,16,\"LDG.E R2, [R4.64]\",
2,1,5,9,0,20,21,not_selected,0,\"MOV R1, R2\",a.cu:3
";
        assert_eq!(sample::with(timeline_csv), expected);
    }
}
