use super::axis::{FOLD, Piece, Places, lines, pieces};
use super::{Lane, Panel, TrackBox, Tracks, tracks_svg};

const RED: &str = "#d55e00";

fn lane(name: &str, boxes: &[(u64, u64)]) -> Lane {
    let boxes = boxes.iter().map(|&(from, to)| TrackBox {
        from,
        to,
        colour: RED,
        letter: None,
        says: format!("{from} to {to}"),
    });
    Lane { name: name.to_owned(), heads: false, boxes: boxes.collect() }
}

fn tracks(panels: Vec<Panel>, fold: Option<u64>) -> Tracks {
    Tracks {
        title: "a < b".to_owned(),
        unit: "clocks".to_owned(),
        panels,
        colours: vec![(RED, "busy".to_owned())],
        letters: Vec::new(),
        fold,
    }
}

fn panel(title: &str, lanes: Vec<Lane>) -> Panel {
    Panel { title: title.to_owned(), lanes }
}

fn piece(from: u64, to: u64, folded: bool) -> Piece {
    Piece { from, to, folded }
}

#[test]
fn a_fold_keeps_a_unit_on_either_side() {
    let lanes = vec![lane("one", &[(0, 2), (2, 40), (40, 43)])];
    let found = pieces(&tracks(vec![panel("", lanes)], Some(12)));
    assert_eq!(found, [piece(0, 3, false), piece(3, 39, true), piece(39, 43, false)]);
}

#[test]
fn what_changes_in_any_panel_is_not_folded() {
    let panels =
        vec![panel("a", vec![lane("one", &[(0, 40)])]), panel("b", vec![lane("one", &[(0, 20), (20, 40)])])];
    let found = pieces(&tracks(panels, Some(30)));
    assert_eq!(found, [piece(0, 40, false)]);
}

#[test]
fn a_piece_that_does_not_fit_goes_on_in_the_next_line_and_a_fold_goes_there_whole() {
    let all = [piece(0, 8, false), piece(8, 90, true), piece(90, 91, false)];
    let found = lines(&all, 10.0, 60.0);
    assert_eq!(
        found,
        [vec![piece(0, 6, false)], vec![piece(6, 8, false)], vec![piece(8, 90, true), piece(90, 91, false)]]
    );
}

#[test]
fn a_moment_behind_a_fold_lies_the_width_of_the_fold_further() {
    let all = [piece(0, 3, false), piece(3, 39, true), piece(39, 43, false)];
    let places = Places::new(&all, 100.0, 10.0);
    assert_eq!(
        [0, 3, 39, 41, 43].map(|moment| places.place(moment)),
        [100.0, 130.0, 130.0 + FOLD, 150.0 + FOLD, 170.0 + FOLD]
    );
}

#[test]
fn an_axis_without_folds_numbers_round_moments() {
    let all = [piece(0, 100, false)];
    assert_eq!(Places::new(&all, 0.0, 5.0).ticks(&[]), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
}

#[test]
fn every_panel_of_a_picture_has_the_same_scale() {
    let panels = vec![panel("a", vec![lane("one", &[(0, 10)])]), panel("b", vec![lane("one", &[(0, 30)])])];
    let svg = tracks_svg(&tracks(panels, None));
    let widths: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains("class=\"box\"") && line.contains("<title>"))
        .filter_map(|line| line.split(" width=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert_eq!(widths.len(), 2);
    assert!((widths[1] / widths[0] - 3.0).abs() < 0.02, "{widths:?}");
}

#[test]
fn a_picture_has_a_title_and_a_description_for_who_cannot_see_it() {
    let svg = tracks_svg(&tracks(vec![panel("a", vec![lane("one", &[(0, 10)])])], None));
    assert!(svg.contains("role=\"img\" aria-label=\"a &lt; b\""), "{svg}");
    assert!(svg.contains("<title>a &lt; b</title>\n<desc>a: 1 lanes over time in clocks.</desc>"), "{svg}");
}
