//! Faults of experiments: all of them at once, each with its place and what is possible.

use warplab_config::{load_course, load_experiment};
use warplab_diagnostics::{Source, render};

fn faults(text: &str) -> String {
    let source = Source::new("sweep.ron", text);
    match load_experiment(&source) {
        Ok(experiment) => panic!("{experiment:?}"),
        Err(faults) => render(&source, &faults),
    }
}

/// Messages with line, column and advice, in order.
fn lines(text: &str) -> Vec<String> {
    let rendered = faults(text);
    let wanted = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("error") || line.starts_with("-->") || line.starts_with("= help")
    };
    rendered.lines().filter(wanted).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn every_fault_of_meaning_is_reported_with_its_place() {
    let text = r#"(
    title: "t", source: "s", why: "w", kind: launch,
    constants: {"log_n": 4},
    full: {"logn": 8},
    axes: [(name: "size", values: [1, 2], with: {"weight": [1]})],
    set: {"gird": "1", "block": "{sise * 32}", "gpu.l2.kb": "1"},
    columns: [(name: "x", of: "siz + 1"), (name: "y", of: "x")],
    base: {"size": 3},
    references: [
        (column: "z", from: "f", values: list([1, 2]), bound: exact),
        (column: "x", from: "f", values: list([1]), bound: exact),
        (column: "y", from: "f", at: {"weight": [1]}, values: formula("q"), bound: exact),
    ],
    plots: [(kind: line, x: "size", y: "yy", series: "siz")],
)"#;
    assert_eq!(
        lines(text),
        [
            "error: 'weight' has 1 values, the axis 'size' has 2",
            "--> sweep.ron:5:50",
            "= help: one value goes along with each value of the axis",
            "error: there is no constant 'logn'",
            "--> sweep.ron:4:12",
            "= help: did you mean 'log_n'? allowed: log_n",
            "error: there is no axis or constant 'sise'",
            "--> sweep.ron:6:35",
            "= help: did you mean 'size'? allowed: size, weight, log_n",
            "error: a point of kind launch has no setting 'gird'",
            "--> sweep.ron:6:11",
            "= help: did you mean 'grid'? allowed: gpu, gpu.PATH, launch, suite, case, program, kernel, grid, block, cluster, dynamic_shared_bytes, argument.N, buffer.NAME.size, scheduler, passes, fmad, max_cycles, watch, word",
            "error: no machine has 'l2.kb'",
            "--> sweep.ron:6:48",
            "= help: did you mean 'kib'? allowed: atomic_interval, atomic_part_percent, atomic_pass_percent, atomic_repeat_percent, cleans_before_eviction, coalescer_sms, completion, dirty_lines, fetch_bytes, fill_latency, halves, hashed_sets, hit_latency, input_bytes, kib, link_bytes, link_latency, link_queue_bytes, miss_entries, miss_latency, partial_ways, replacement, slice_bytes, slice_hash, slice_table, slices_per_channel, ways, write_switch, write_to_pending, write_to_read",
            "error: there is no axis, constant or earlier column 'siz'",
            "--> sweep.ron:7:32",
            "= help: did you mean 'size'? allowed: size, weight, log_n",
            "error: the axis 'size' has no value '3'",
            "--> sweep.ron:8:12",
            "= help: allowed: 1, 2",
            "error: there is no column 'z'",
            "--> sweep.ron:10:18",
            "= help: did you mean 'x'? allowed: x, y",
            "error: 1 values for 2 points",
            "--> sweep.ron:11:42",
            "= help: one value for every point in order; None where there is none",
            "error: there is no axis 'weight'",
            "--> sweep.ron:12:39",
            "= help: allowed: size",
            "error: there is no axis, constant or column 'q'",
            "--> sweep.ron:12:63",
            "= help: did you mean 'x'? allowed: size, weight, log_n, x, y",
            "error: there is no column 'yy'",
            "--> sweep.ron:14:40",
            "= help: did you mean 'y'? allowed: x, y",
            "error: there is no axis 'siz'",
            "--> sweep.ron:14:54",
            "= help: did you mean 'size'? allowed: size",
        ]
    );
}

#[test]
fn a_fault_of_an_expression_is_underlined_inside_its_text() {
    let text = r#"(
    title: "t", source: "s", why: "w", kind: formula,
    set: {"gpu": "{1 +}"},
    columns: [(name: "x", of: "2 * flor(3)")],
)"#;
    assert_eq!(
        faults(text),
        "error: set.gpu: expected a number, a name, a metric in curly brackets or '(', found the end of the expression\n\
         \u{20}--> sweep.ron:3:23\n  |\n3 |     set: {\"gpu\": \"{1 +}\"},\n  |                       ^ here\n  |\n\
         \u{20} = help: A text; expressions of axes and constants in curly brackets are filled in.\n\
         error: columns[0].of: unknown function 'flor'; did you mean 'floor'? known: min, max, abs, sqrt, log2, floor, ceil, round, fma, f32, f64, select, at\n\
         \u{20}--> sweep.ron:4:36\n  |\n4 |     columns: [(name: \"x\", of: \"2 * flor(3)\")],\n  |                                    ^^^^ here\n  |\n\
         \u{20} = help: An expression of metrics in curly brackets, axes, constants and earlier columns.\n"
    );
}

#[test]
fn two_rows_of_a_course_with_one_name_are_a_fault() {
    let row = r#"(id: "a", source: "s", what: "w", experiments: ["e.ron"])"#;
    let source = Source::new("rows.ron", format!("(rows: [\n    {row},\n    {row},\n])"));
    let rendered = render(&source, &load_course(&source).unwrap_err());
    assert!(rendered.starts_with("error: two rows are named 'a'\n --> rows.ron:3:10\n"), "{rendered}");
}

#[test]
fn nine_axes_of_ten_values_are_refused_before_their_points_are_made() {
    let axes: Vec<String> =
        (0..9).map(|at| format!("(name: \"a{at}\", values: [0,1,2,3,4,5,6,7,8,9])")).collect();
    let text = format!(
        r#"(title: "t", source: "s", why: "w", kind: formula, axes: [{}], columns: [(name: "x", of: "a0")],
            references: [(column: "x", from: "f", values: list([1]), bound: exact)])"#,
        axes.join(", ")
    );
    let found = lines(&text);
    assert_eq!(
        found[0],
        "error: 10 x 10 x 10 x 10 x 10 x 10 x 10 x 10 x 10 points are 1000000000; an experiment has at most 100000"
    );
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn claims_labels_and_two_reasons_are_checked() {
    let text = r#"(
    title: "t", source: "s", why: "w", kind: formula,
    axes: [(name: "size", values: [1, 2], labels: ["one"])],
    columns: [(name: "x", of: "size + 1")],
    references: [
        (column: "x", from: "f", values: list([1, 2]), bound: exact, known: "a", deviates: "b"),
    ],
    claims: [
        (says: "c", holds: "y > 1"),
        (says: "d", holds: "{gpu.l2.kib} > x", at: {"size": [3]}),
    ],
)"#;
    assert_eq!(
        lines(text),
        [
            "error: the axis 'size' has 2 values and labels for 1",
            "--> sweep.ron:3:51",
            "= help: one label for each value of the axis, or none",
            "error: a reference is missed for one reason, and this one has two",
            "--> sweep.ron:6:92",
            "= help: 'known' if the source is at fault, 'deviates' if the simulator is",
            "error: there is no axis, constant or column 'y'",
            "--> sweep.ron:9:28",
            "= help: did you mean 'x'? allowed: size, x",
            "error: the axis 'size' has no value '3'",
            "--> sweep.ron:10:53",
            "= help: allowed: 1, 2",
            "error: the metric 'gpu.l2.kib' cannot be used here",
            "--> sweep.ron:10:28",
            "= help: make a column of it and name the column",
        ]
    );
}

#[test]
fn a_reason_names_columns_only() {
    let text = r#"(
    title: "t", source: "s", why: "w", kind: formula,
    columns: [(name: "cycles", of: "1")],
    references: [
        (column: "cycles", from: "f", values: list([2]), bound: exact, deviates: "it takes {cycels} of {cycles}"),
    ],
    claims: [(says: "c", holds: "cycles > 1", deviates: "see {time}")],
)"#;
    assert_eq!(
        lines(text),
        [
            "error: there is no column 'cycels'",
            "--> sweep.ron:5:82",
            "= help: did you mean 'cycles'? allowed: cycles",
            "error: there is no column 'time'",
            "--> sweep.ron:7:57",
            "= help: allowed: cycles",
        ]
    );
}
