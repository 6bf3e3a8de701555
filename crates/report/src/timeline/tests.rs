use super::{TimelineOptions, timeline_text};
use warplab_trace::{StallReason, StateInterval, WarpState};
use warplab_units::{Cycle, WarpSlot};

fn interval(slot: u8, state: WarpState, from: u64, to: u64) -> StateInterval {
    StateInterval { slot: WarpSlot(slot), state, pc: 0, from: Cycle(from), to: Cycle(to) }
}

const LONG: WarpState = WarpState::Stalled(StallReason::LongScoreboard);
const WAIT: WarpState = WarpState::Stalled(StallReason::Wait);

fn two_warps() -> Vec<StateInterval> {
    vec![
        interval(0, WarpState::Selected, 100, 101),
        interval(0, WAIT, 101, 104),
        interval(0, WarpState::Selected, 104, 105),
        interval(0, LONG, 105, 205),
        interval(0, WarpState::Selected, 205, 206),
        interval(4, WarpState::NotSelected, 100, 101),
        interval(4, WarpState::Selected, 101, 102),
        interval(4, LONG, 102, 190),
    ]
}

#[test]
fn long_stretches_without_a_change_are_folded() {
    let text = timeline_text(&two_warps(), &TimelineOptions::default());
    let expected = "    Timeline of sm0, cycles 100 to 206

    cycle   |100        |189    |204
    warp0   *www*L…(83)…LL…(13)…L*
    warp4   e*LLLL…(83)…L
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("\n    L long scoreboard, w wait, e not selected, * selected\n"), "{text}");
}

#[test]
fn a_window_of_cycles_can_be_chosen() {
    let options = TimelineOptions { sm: 3, cycles: Some(103..107), ..TimelineOptions::default() };
    let text = timeline_text(&two_warps(), &options);
    let expected = "    Timeline of sm3, cycles 103 to 107

    cycle   |103
    warp0   w*LL
    warp4   LLLL
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn wide_timelines_go_on_in_further_blocks() {
    let states = [WarpState::Selected, WAIT];
    let intervals: Vec<StateInterval> =
        (0..40).zip(states.into_iter().cycle()).map(|(at, state)| interval(0, state, at, at + 1)).collect();
    let text = timeline_text(&intervals, &TimelineOptions { width: 20, ..TimelineOptions::default() });
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("    warp0")).collect();
    assert_eq!(rows, ["    warp0   *w*w*w*w*w*w*w*w*w*w"; 2]);
    let rulers: Vec<&str> = text.lines().filter(|line| line.starts_with("    cycle")).collect();
    assert_eq!(rulers, ["    cycle   |0        |10", "    cycle   |20       |30"]);
}

#[test]
fn no_line_is_longer_than_a_hundred_columns() {
    // Every state appears, and folds and numbers stand at the ends of lines.
    let states: Vec<WarpState> = WarpState::all().collect();
    let mut intervals = Vec::new();
    for (at, &state) in (0..400).zip(states.iter().cycle()) {
        let length = if at % 7 == 0 { 1_000_000 } else { 1 };
        let from = intervals.last().map_or(0, |last: &StateInterval| last.to.0);
        intervals.push(interval(0, state, from, from + length));
    }
    let text = timeline_text(&intervals, &TimelineOptions::default());
    assert_eq!(text.lines().map(|line| line.chars().count()).max(), Some(100));
}

#[test]
fn nothing_resident_is_said() {
    let text = timeline_text(&[], &TimelineOptions::default());
    assert_eq!(text, "    Timeline of sm0: no warp was resident in these cycles\n");
    let late = TimelineOptions { cycles: Some(900..950), ..TimelineOptions::default() };
    assert_eq!(
        timeline_text(&two_warps(), &late),
        "    Timeline of sm0: no warp was resident in these cycles\n"
    );
}
