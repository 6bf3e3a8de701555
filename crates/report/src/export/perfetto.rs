//! The timeline in the trace-event format, which Perfetto's trace processor and its page read: the multiprocessor is
//! a process, a warp slot a thread, a state a slice; a cycle is a microsecond. No `displayTimeUnit`: versions of Perfetto
//! take all numbers in that unit.

use super::{Row, TimelineRecord};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use warplab_trace::WarpState;

/// Threads of one process; a thread's number says which process it is of, as readers want it.
const MOST_SLOTS: u32 = 1000;

#[derive(Serialize)]
struct Trace<'a> {
    #[serde(rename = "otherData")]
    about: BTreeMap<&'static str, &'a str>,
    #[serde(rename = "traceEvents")]
    events: Vec<Event<'a>>,
}

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    #[serde(rename = "ph")]
    phase: &'static str,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u32>,
    #[serde(rename = "ts")]
    at: u64,
    #[serde(rename = "dur", skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    #[serde(rename = "cat", skip_serializing_if = "str::is_empty")]
    category: &'static str,
    args: Arguments<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Arguments<'a> {
    Name { name: String },
    Order { sort_index: u32 },
    Count { count: u64 },
    State(State<'a>),
}

#[derive(Serialize)]
struct State<'a> {
    block: u64,
    warp: u32,
    address: u64,
    instruction: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    place: &'a str,
}

/// The timeline in the trace-event format.
#[must_use]
pub fn timeline_perfetto(record: &TimelineRecord<'_>) -> String {
    let rows = record.rows();
    let mut events = names(record, &rows);
    events.extend(rows.iter().map(|row| slice(record.sm, row)));
    let active = count(&rows, |_| true);
    let can_issue = |state| matches!(state, WarpState::Selected | WarpState::NotSelected);
    let eligible = count(&rows, |row| can_issue(row.state));
    events.extend(counter(record.sm, "active warps", active));
    events.extend(counter(record.sm, "eligible warps", eligible));
    let levels = || record.levels.iter();
    events.extend(counter(record.sm, "memory queue", levels().map(|it| (it.0.0, it.1.queued.into()))));
    events.extend(counter(record.sm, "loads under way", levels().map(|it| (it.0.0, it.1.loads.into()))));
    events.extend(counter(record.sm, "MSHRs in use", levels().map(|it| (it.0.0, it.1.mshrs.into()))));
    let about = BTreeMap::from([("title", record.title), ("clock", "a cycle is a microsecond")]);
    let trace = Trace { about, events };
    // Maps with text for keys, numbers and text: nothing that could fail.
    serde_json::to_string(&trace).unwrap_or_default()
}

/// Numbers from 1: 0 means the idle process to some readers.
fn process(sm: u32) -> u32 {
    sm + 1
}

fn thread(sm: u32, slot: u8) -> u32 {
    process(sm) * MOST_SLOTS + u32::from(slot)
}

/// The names of the process and of its threads, which come in the order of schedulers.
fn names<'a>(record: &TimelineRecord<'_>, rows: &[Row<'_>]) -> Vec<Event<'a>> {
    let event = |name, tid, args| Event {
        name,
        phase: "M",
        pid: process(record.sm),
        tid,
        at: 0,
        cycles: None,
        category: "",
        args,
    };
    let title = format!("SM {}: {}", record.sm, record.title);
    let mut events = vec![event("process_name", None, Arguments::Name { name: title })];
    let slots: BTreeSet<(u32, u8)> = rows.iter().map(|row| (row.scheduler, row.slot)).collect();
    for ((scheduler, slot), sort_index) in slots.into_iter().zip(0..) {
        let tid = Some(thread(record.sm, slot));
        let name = format!("scheduler {scheduler}, slot {slot}");
        events.push(event("thread_name", tid, Arguments::Name { name }));
        events.push(event("thread_sort_index", tid, Arguments::Order { sort_index }));
    }
    events
}

/// A state; an issue has the name of its instruction.
fn slice<'a>(sm: u32, row: &Row<'a>) -> Event<'a> {
    let issues = row.state == WarpState::Selected;
    Event {
        name: if issues && !row.instruction.is_empty() { row.instruction } else { row.state.name() },
        phase: "X",
        pid: process(sm),
        tid: Some(thread(sm, row.slot)),
        at: row.from,
        cycles: Some(row.to - row.from),
        category: if issues { "issue" } else { "stall" },
        args: Arguments::State(State {
            block: row.block,
            warp: row.warp,
            address: row.address,
            instruction: row.instruction,
            place: row.place,
        }),
    }
}

/// How many of the chosen rows there are, from each cycle on in which that changes.
fn count(rows: &[Row<'_>], chosen: impl Fn(&Row<'_>) -> bool) -> impl Iterator<Item = (u64, u64)> {
    let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
    for row in rows.iter().filter(|row| chosen(row)) {
        *changes.entry(row.from).or_default() += 1;
        *changes.entry(row.to).or_default() -= 1;
    }
    let mut now = 0;
    changes.into_iter().filter(|(_, change)| *change != 0).map(move |(cycle, change)| {
        now += change;
        (cycle, u64::try_from(now).unwrap_or_default())
    })
}

fn counter<'a>(
    sm: u32,
    name: &'a str,
    values: impl Iterator<Item = (u64, u64)>,
) -> impl Iterator<Item = Event<'a>> {
    values.map(move |(at, count)| Event {
        name,
        phase: "C",
        pid: process(sm),
        tid: None,
        at,
        cycles: None,
        category: "",
        args: Arguments::Count { count },
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::timeline_perfetto;
    use serde_json::{Value, json};

    fn events(name: &str) -> Vec<Value> {
        let trace: Value = serde_json::from_str(&sample::with(timeline_perfetto)).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        events.filter(|event| event["name"] == name).cloned().collect()
    }

    #[test]
    fn a_state_is_a_slice_of_its_slot_and_an_issue_has_the_name_of_its_instruction() {
        let stall = json!({
            "name": "long_scoreboard", "ph": "X", "pid": 3, "tid": 3005, "ts": 0, "dur": 10, "cat": "stall",
            "args": {"block": 7, "warp": 0, "address": 16, "instruction": "LDG.E R2, [R4.64]"},
        });
        assert_eq!(events("long_scoreboard"), [stall]);
        let issue = &events("MOV R1, R2")[0];
        assert_eq!((&issue["tid"], &issue["ts"], &issue["cat"]), (&json!(3000), &json!(10), &json!("issue")));
    }

    #[test]
    fn a_counter_changes_where_the_number_changes() {
        let counts = |name: &str| -> Vec<(u64, u64)> {
            let number = |value: &Value| value.as_u64().unwrap();
            events(name).iter().map(|it| (number(&it["ts"]), number(&it["args"]["count"]))).collect()
        };
        assert_eq!(counts("eligible warps"), [(10, 2), (11, 0), (20, 1), (21, 0)]);
        assert_eq!(counts("active warps"), [(0, 1), (10, 2), (11, 0), (20, 1), (21, 0)]);
        assert_eq!(counts("memory queue"), [(4, 1), (10, 0)]);
    }

    #[test]
    fn slots_are_threads_in_the_order_of_schedulers() {
        let names: Vec<Value> =
            events("thread_name").iter().map(|event| event["args"]["name"].clone()).collect();
        assert_eq!(names, ["scheduler 0, slot 0", "scheduler 1, slot 5"]);
    }
}
