//! The timeline as a picture: rows are warp slots, x is cycles, a colour a state.

use crate::svg::{Svg, text_width};
use crate::timeline::TimelineOptions;
use std::collections::BTreeSet;
use warplab_trace::{StateInterval, WarpState};

const LEFT: f64 = 64.0;
const TOP: f64 = 44.0;
const CHART: f64 = 880.0;
const ROW: f64 = 18.0;
const SIZE: f64 = 12.0;

/// The states of the warps of one multiprocessor as an SVG document.
#[must_use]
pub fn timeline_svg(intervals: &[StateInterval], title: &str, options: &TimelineOptions) -> String {
    let first = intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let last = intervals.iter().map(|interval| interval.to.0).max().unwrap_or(0);
    let window = options.cycles.clone().unwrap_or(first..last);
    let (start, end) = (window.start.max(first), window.end.min(last).max(window.start.max(first) + 1));
    let shown: Vec<&StateInterval> =
        intervals.iter().filter(|interval| interval.to.0 > start && interval.from.0 < end).collect();
    let slots: Vec<u8> =
        shown.iter().map(|interval| interval.slot.0).collect::<BTreeSet<u8>>().into_iter().collect();
    let states: Vec<WarpState> =
        WarpState::all().filter(|state| shown.iter().any(|interval| interval.state == *state)).collect();
    let bottom = TOP + ROW * slots.len() as f64;
    let legend = legend(&states);
    let height = bottom + 56.0 + 20.0 * legend.len() as f64;
    let mut svg = Svg::new(LEFT + CHART + 20.0, height);
    svg.text((LEFT + CHART) / 2.0, 24.0, 15.0, "middle", title);
    let place = |cycle: u64| LEFT + (cycle - start) as f64 / (end - start) as f64 * CHART;
    for (row, slot) in slots.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        svg.text(LEFT - 6.0, y + 13.0, SIZE, "end", &format!("warp {slot}"));
        for interval in shown.iter().filter(|interval| interval.slot.0 == *slot) {
            let (from, to) = (place(interval.from.0.max(start)), place(interval.to.0.min(end)));
            // A single cycle of a long picture is drawn half a pixel wide at least: issues must be seen.
            svg.rectangle((from, y + 1.0), ((to - from).max(0.5), ROW - 2.0), interval.state.colour());
        }
    }
    for tick in ticks(start, end) {
        svg.line((place(tick), bottom), (place(tick), bottom + 5.0), "#333333", 1.0);
        let text = warplab_metrics::integer_text(tick);
        svg.text(place(tick), bottom + 18.0, SIZE, "middle", &text);
    }
    svg.line((LEFT, bottom), (LEFT + CHART, bottom), "#333333", 1.0);
    svg.text(LEFT + CHART / 2.0, bottom + 36.0, 13.0, "middle", "cycle");
    draw_legend(&mut svg, &legend, bottom + 56.0);
    svg.finish()
}

fn ticks(start: u64, end: u64) -> Vec<u64> {
    let raw = (end - start).div_ceil(10).max(1);
    let mut power = 1;
    while power * 10 <= raw {
        power *= 10;
    }
    let step = [1, 2, 5, 10].into_iter().map(|m| m * power).find(|step| *step >= raw).unwrap_or(raw);
    (start.div_ceil(step)..=end / step).map(|number| number * step).collect()
}

/// The legend in lines that fit.
fn legend(states: &[WarpState]) -> Vec<Vec<(WarpState, String, f64)>> {
    let mut lines = vec![Vec::new()];
    let mut used = 0.0;
    for &state in states {
        let label = state.label();
        let name = label.strip_prefix("Stall ").unwrap_or(label).to_lowercase();
        let width = text_width(&name, SIZE) + 34.0;
        if used + width > CHART {
            lines.push(Vec::new());
            used = 0.0;
        }
        if let Some(line) = lines.last_mut() {
            line.push((state, name, used));
        }
        used += width;
    }
    lines
}

fn draw_legend(svg: &mut Svg, lines: &[Vec<(WarpState, String, f64)>], top: f64) {
    for (number, line) in lines.iter().enumerate() {
        let y = top + 20.0 * number as f64;
        for (state, name, x) in line {
            svg.rectangle((LEFT + x, y - 6.0), (14.0, 12.0), state.colour());
            svg.text(LEFT + x + 20.0, y + 4.0, SIZE, "start", name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ticks, timeline_svg};
    use crate::TimelineOptions;
    use warplab_trace::{StallReason, StateInterval, WarpState};
    use warplab_units::{Cycle, WarpSlot};

    fn interval(slot: u8, state: WarpState, from: u64, to: u64) -> StateInterval {
        StateInterval { slot: WarpSlot(slot), state, pc: 0, from: Cycle(from), to: Cycle(to) }
    }

    #[test]
    fn every_interval_of_the_window_is_a_box_of_its_length() {
        let wait = WarpState::Stalled(StallReason::Wait);
        let intervals =
            [interval(0, WarpState::Selected, 0, 10), interval(3, wait, 10, 40), interval(3, wait, 50, 60)];
        let options = TimelineOptions { cycles: Some(0..40), ..TimelineOptions::default() };
        let svg = timeline_svg(&intervals, "title", &options);
        let widths: Vec<&str> =
            svg.lines().filter_map(|line| line.split(" y=\"").next()?.strip_prefix("<rect x=\"")).collect();
        assert_eq!(widths, ["64.00\"", "284.00\"", "64.00\"", "125.84\""], "two boxes and two of the legend");
        assert!(
            svg.contains(">warp 3</text>") && svg.contains(">cycle</text>") && svg.contains(">title</text>")
        );
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(3, 98), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(ticks(0, 1), [0, 1]);
    }
}
