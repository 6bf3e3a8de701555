use super::{Chart, ChartAxis, ChartKind, Series, chart_svg};

fn chart(kind: ChartKind, log: bool, categories: &[&str]) -> Chart {
    Chart {
        title: "a < b & c".to_owned(),
        kind,
        x: ChartAxis { label: "size (KiB)".to_owned(), log },
        y: ChartAxis { label: "time (ms)".to_owned(), log },
        categories: categories.iter().map(|&name| name.to_owned()).collect(),
        series: vec![Series {
            name: String::new(),
            points: vec![(0.0, 1.0), (1.0, 5.0)],
            references: vec![("source".to_owned(), vec![(1.0, 4.0)])],
        }],
    }
}

#[test]
fn a_chart_has_title_labels_bars_marks_and_a_legend() {
    let svg = chart_svg(&chart(ChartKind::Bar, false, &["one", "two"]));
    assert!(svg.contains(">a &lt; b &amp; c</text>"));
    for text in
        [">size (KiB)</text>", ">time (ms)</text>", ">one</text>", ">simulated</text>", ">source</text>"]
    {
        assert!(svg.contains(text), "{text} in {svg}");
    }
    // The sheet, two bars, and the legend's sign; one mark on the chart and one in the legend.
    assert_eq!((svg.matches("<rect").count(), svg.matches("<polygon").count()), (4, 2));
}

#[test]
fn a_value_that_a_logarithmic_axis_cannot_show_does_no_harm() {
    let svg = chart_svg(&chart(ChartKind::Line, true, &[]));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert_eq!(svg.matches("<polyline").count(), 1);
}

#[test]
fn bars_are_as_high_as_their_values() {
    let svg = chart_svg(&chart(ChartKind::Bar, false, &["one", "two"]));
    let heights: Vec<f64> = svg
        .lines()
        .filter(|line| line.starts_with("<rect x") && line.contains("#0072b2"))
        .filter_map(|line| line.split("height=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert!((heights[1] / heights[0] - 5.0).abs() < 0.01, "{heights:?}");
}
