use super::{Chart, ChartAxis, ChartKind, ChartRoof, Series, chart_svg};

fn axis(label: &str, log: Option<bool>) -> ChartAxis {
    ChartAxis { label: label.to_owned(), log, digits: None }
}

fn chart(kind: ChartKind, values: &[f64], log: Option<bool>) -> Chart {
    let categories = match kind {
        ChartKind::Bar => ["one", "two", "three"].into_iter().take(values.len()).map(str::to_owned).collect(),
        ChartKind::Line => Vec::new(),
    };
    Chart {
        title: "a < b & c".to_owned(),
        kind,
        x: axis("size (KiB)", Some(false)),
        y: axis("time (ms)", log),
        categories,
        series: vec![Series {
            points: values.iter().enumerate().map(|(place, &value)| (place as f64, value)).collect(),
            ..Series::default()
        }],
        roof: None,
    }
}

fn with_references(mut chart: Chart, references: &[(&str, f64)]) -> Chart {
    chart.series[0].references =
        references.iter().map(|&(from, value)| (from.to_owned(), vec![(1.0, value)])).collect();
    chart
}

fn texts(svg: &str) -> Vec<&str> {
    let lines = svg.lines().filter(|line| line.starts_with("<text"));
    lines.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>")).collect()
}

/// The numbers of an attribute of the lines that have some text.
fn numbers(svg: &str, has: &str, attribute: &str) -> Vec<f64> {
    let lines = svg.lines().filter(|line| line.contains(has));
    let value = |line: &str| line.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()?.parse().ok();
    lines.filter_map(value).collect()
}

#[test]
fn every_bar_has_its_value_and_the_axis_round_ones() {
    let svg = chart_svg(&chart(ChartKind::Bar, &[1.25, 5.0], None));
    assert_eq!(
        texts(&svg),
        [
            "a &lt; b &amp; c",
            "0",
            "1",
            "2",
            "3",
            "4",
            "5",
            "one",
            "two",
            "size (KiB)",
            "time (ms)",
            "1.25",
            "5"
        ]
    );
}

#[test]
fn values_that_span_two_decades_have_a_logarithmic_axis() {
    let linear = chart_svg(&chart(ChartKind::Line, &[1.0, 99.0], None));
    assert!(texts(&linear).contains(&"time (ms)") && texts(&linear).contains(&"80"), "{linear}");
    let log = chart_svg(&chart(ChartKind::Line, &[1.0, 100.0], None));
    assert!(texts(&log).contains(&"time (ms), log scale"), "{log}");
    assert_eq!(
        texts(&log).iter().filter(|text| ["1", "10", "100"].contains(text)).count(),
        4,
        "0, 1 are on x"
    );
}

#[test]
fn bars_on_a_logarithmic_axis_begin_at_a_power_of_ten_below_the_lowest() {
    let svg = chart_svg(&chart(ChartKind::Bar, &[2.0, 20.0, 200.0], None));
    let heights = numbers(&svg, "class=\"f0\"", "height");
    // A decade is as high everywhere, and the first bar is the logarithm of two of one.
    let decade = heights[1] - heights[0];
    assert!((heights[2] - heights[1] - decade).abs() < 0.02, "{heights:?}");
    assert!((heights[0] / decade - 2_f64.log10()).abs() < 0.001, "{heights:?}");
}

#[test]
fn bars_are_as_high_as_their_values() {
    let svg = chart_svg(&chart(ChartKind::Bar, &[1.0, 5.0], None));
    let heights = numbers(&svg, "class=\"f0\"", "height");
    assert!((heights[1] / heights[0] - 5.0).abs() < 0.01, "{heights:?}");
}

#[test]
fn two_marks_of_one_bar_stand_side_by_side() {
    let bars =
        with_references(chart(ChartKind::Bar, &[1.0, 5.0], None), &[("source", 4.0), ("measured", 4.0)]);
    let svg = chart_svg(&bars);
    let corners: Vec<&str> = svg
        .lines()
        .filter(|line| line.contains("class=\"mark\"") && line.contains("<title>"))
        .filter_map(|line| line.split("points=\"").nth(1)?.split('"').next())
        .collect();
    let span = |corners: &str| {
        let xs = corners.split(' ').filter_map(|corner| corner.split(',').next()?.parse().ok());
        xs.fold((f64::MAX, f64::MIN), |(low, high), x: f64| (low.min(x), high.max(x)))
    };
    let (diamond, square) = (span(corners[0]), span(corners[1]));
    assert!(diamond.1 < square.0, "{diamond:?} {square:?}");
}

#[test]
fn a_value_stays_on_its_bar_where_the_mark_is_far_away() {
    let bars = chart(ChartKind::Bar, &[1.0, 5.0], None);
    let place = |chart: &Chart| numbers(&chart_svg(chart), ">1</text>", "y")[1];
    let mut marked = bars.clone();
    marked.series[0].references = vec![("source".to_owned(), vec![(0.0, 4.0)])];
    // The legend of the mark moves everything down by its line.
    assert!((place(&marked) - place(&bars) - 20.0).abs() < 0.01, "{} {}", place(&marked), place(&bars));
}

#[test]
fn a_value_stands_above_a_mark_that_it_would_touch() {
    for place in [5.2, 4.95] {
        let bars = chart(ChartKind::Bar, &[1.0, 5.0], None);
        let svg = chart_svg(&with_references(bars, &[("source", place)]));
        // The first corner of a diamond is its upper one. The axis has a 5, too, in front of the bar's.
        let mark = svg.lines().find(|line| line.contains("<title>source")).unwrap();
        let corners = mark.split("points=\"").nth(1).unwrap();
        let top: f64 = corners.split([',', ' ']).nth(1).unwrap().parse().unwrap();
        let value = numbers(&svg, ">5</text>", "y")[1];
        assert!(value <= top - 2.0, "value at {value}, top of the mark at {top}");
    }
}

#[test]
fn a_point_says_whose_it_is_and_where() {
    let svg = chart_svg(&with_references(chart(ChartKind::Line, &[1.0, 5.0], None), &[("source", 4.0)]));
    for says in ["simulated: size (KiB) 1: time (ms) 5", "source: size (KiB) 1: time (ms) 4"] {
        assert_eq!(svg.matches(&format!("<title>{says}</title>")).count(), 1, "{says} in {svg}");
    }
}

#[test]
fn a_chart_has_a_title_and_its_values_for_who_cannot_see_it() {
    let svg = chart_svg(&with_references(chart(ChartKind::Bar, &[1.0, 5.0], None), &[("source", 4.0)]));
    assert!(svg.contains("role=\"img\" aria-label=\"a &lt; b &amp; c\""), "{svg}");
    let description = "<desc>time (ms) by size (KiB). 1 at one, 5 at two. source: 4 at two.</desc>";
    assert!(svg.contains(description), "{svg}");
}

#[test]
fn a_roof_is_two_lines_over_the_whole_axis() {
    let mut chart = chart(ChartKind::Line, &[1.0, 5.0], None);
    chart.roof = Some(ChartRoof { name: "roof".to_owned(), peak: 6.0, slope: 12.0 });
    let svg = chart_svg(&chart);
    assert_eq!(texts(&svg).iter().filter(|text| **text == "roof").count(), 1);
    assert!(svg.contains(" roof: 12 times x, at most 6.</desc>"), "{svg}");
    // The roof and its sign, the series; a series without a name has no sign.
    assert_eq!(svg.matches("<polyline").count(), 3);
}

#[test]
fn a_roof_ends_where_the_chart_does() {
    let roof = ChartRoof { name: String::new(), peak: 6.0, slope: 2.0 };
    // The ridge lies inside, to the right, to the left; a height cuts the slope off.
    assert_eq!(roof.corners((1.0, 4.0), (0.0, 9.0)), [(1.0, 2.0), (3.0, 6.0), (4.0, 6.0)]);
    assert_eq!(roof.corners((1.0, 2.0), (0.0, 9.0)), [(1.0, 2.0), (2.0, 4.0)]);
    assert_eq!(roof.corners((4.0, 8.0), (0.0, 9.0)), [(4.0, 6.0), (8.0, 6.0)]);
    assert_eq!(roof.corners((0.0, 8.0), (1.0, 5.0)), [(0.5, 1.0), (2.5, 5.0)]);
}

#[test]
fn a_value_that_a_logarithmic_axis_cannot_show_does_no_harm() {
    let svg = chart_svg(&chart(ChartKind::Line, &[0.0, 5.0], Some(true)));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn names_of_categories_that_are_too_long_for_a_line_are_broken_and_then_slanted() {
    let of = |names: &[&str]| {
        let mut chart = chart(ChartKind::Bar, &[1.0, 2.0, 3.0], None);
        chart.categories = names.iter().map(|&name| name.to_owned()).collect();
        chart_svg(&chart)
    };
    let broken = of(&["a name that is a little long", "b", "c"]);
    assert!(
        texts(&broken).contains(&"a name that is a little") && !broken.contains("rotate(-32"),
        "{broken}"
    );
    let slanted = of(&["a_name_that_cannot_be_broken_at_all", "b", "c"]);
    assert_eq!(slanted.matches("rotate(-32").count(), 3, "{slanted}");
}
