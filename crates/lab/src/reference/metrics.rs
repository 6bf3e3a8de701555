//! `NAME.metrics.csv`: a row a launch, a column a metric.

use rustc_hash::FxHashMap;
use warplab_diagnostics::{Diagnostic, Source, Span};

/// Columns before the metrics: case and kernel.
const NAMES: usize = 2;

/// Metrics by id, by case; faults are added. Fields that are empty or no number are left out.
pub(super) fn read(
    source: &Source,
    faults: &mut Vec<Diagnostic>,
) -> FxHashMap<String, FxHashMap<String, f64>> {
    let mut reader = csv::Reader::from_reader(source.text.as_bytes());
    let header = match reader.headers() {
        Ok(header) if header.iter().take(NAMES).eq(["case", "kernel"]) => header.clone(),
        _ => {
            let end = source.text.lines().next().map_or(0, str::len);
            let message = "the first two columns must be 'case' and 'kernel'";
            faults.push(Diagnostic::error(Span::new(0, end), message));
            return FxHashMap::default();
        }
    };
    let mut cases = FxHashMap::default();
    for record in reader.records() {
        match record {
            Ok(record) => {
                let values = header.iter().zip(&record).skip(NAMES);
                let numbers = values.filter_map(|(id, value)| Some((id.to_owned(), value.parse().ok()?)));
                cases.insert(record[0].to_owned(), numbers.collect());
            }
            Err(error) => {
                let at = error.position().and_then(|position| usize::try_from(position.byte()).ok());
                // The reader may stand behind the last byte.
                let at = source.text.floor_char_boundary(at.unwrap_or(0));
                let end = at + source.text[at..].lines().next().map_or(0, str::len);
                faults
                    .push(Diagnostic::error(Span::new(at, end), format!("this row cannot be read: {error}")));
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::read;
    use warplab_diagnostics::Source;

    #[test]
    fn a_row_gives_its_numbers_by_id() {
        let source = Source::new("m.csv", "case,kernel,a.sum,b.pct\nx,k,12,\ny,k,3,4.5\n");
        let mut faults = Vec::new();
        let cases = read(&source, &mut faults);
        assert_eq!(faults, []);
        assert_eq!(cases["x"].len(), 1);
        assert_eq!((cases["y"]["a.sum"], cases["y"]["b.pct"]), (3.0, 4.5));
    }

    #[test]
    fn a_short_row_is_reported_where_it_is() {
        let source = Source::new("m.csv", "case,kernel,a.sum\nx,k,12\ny,k\n");
        let mut faults = Vec::new();
        read(&source, &mut faults);
        assert_eq!(source.position(faults[0].span.start).line, 3);
    }
}
