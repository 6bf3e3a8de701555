//! The evaluators of experiments on small inputs, and results that are kept.

use warplab_lab::experiment::{ReferenceVerdict, Results, csv, figures, tables};
use warplab_tests::experiments::run_text;

fn fault(text: &str, changes: &[&str]) -> String {
    match run_text(text, &Results::default(), changes) {
        Ok(_) => panic!("it ran"),
        Err(fault) => fault.to_string(),
    }
}

/// A load from each of so many warps on the textbook machine.
const LAUNCH: &str = r#"(
    title: "t", source: "s", why: "w", kind: launch,
    axes: [(name: "warps", values: [1, 2])],
    set: {
        "program": "../kernels/vector_add.ptx", "kernel": "vector_add", "grid": "1", "block": "{warps * 32}",
        "argument.0": "i32:{warps * 32}",
        "argument.1": "buffer:a:{warps} x u32:index_u32", "argument.2": "buffer:b:4KiB:zero",
        "argument.3": "buffer:c:4KiB:zero", "buffer.a.size": "4KiB", "gpu": "textbook", "word": "c:{warps}",
    },
    columns: [
        (name: "loads", of: "{issue.count.LDG}"),
        (name: "stores", of: "{issue.count.STG} + {issue.partial.STG}"),
        (name: "instructions", of: "{smsp__inst_executed.sum}"),
        (name: "share", of: "instructions / at(instructions, warps, 1)"),
        (name: "word", of: "{word}"),
    ],
)"#;

#[test]
fn a_launch_gives_metrics_issues_and_words() {
    let (report, _) = run_text(LAUNCH, &Results::default(), &[]).expect("it runs");
    let column = |at: usize| report.columns[at].iter().map(|value| value.unwrap()).collect::<Vec<f64>>();
    assert_eq!((column(0), column(1), column(3)), (vec![2.0, 4.0], vec![1.0, 2.0], vec![1.0, 2.0]));
    // c[i] = a[i] + 0, and a[i] holds the bits of i.
    assert_eq!(column(4), [1.0, 2.0]);
}

#[test]
fn a_finished_point_is_not_worked_out_again_until_its_inputs_change() {
    let (first, lines) = run_text(LAUNCH, &Results::default(), &[]).expect("it runs");
    let known = Results::read(lines.as_bytes());
    let (again, none) = run_text(LAUNCH, &known, &[]).expect("it runs");
    let (changed, _) = run_text(LAUNCH, &known, &["gpu.multiprocessor.latencies.fma=5"]).expect("it runs");
    assert_eq!((first.worked_out, again.worked_out, changed.worked_out), (2, 0, 2));
    assert_eq!((first.columns, none.as_str()), (again.columns, ""));
}

#[test]
fn occupancy_formula_and_machine_values_are_columns() {
    let text = r#"(
        title: "t", source: "s", why: "w", kind: occupancy,
        axes: [(name: "block", unit: "threads", values: [128, 256])],
        set: {"gpu": "h200", "block": "{block}", "registers": "63"},
        columns: [
            (name: "blocks", of: "{occupancy.blocks}"),
            (name: "registers", of: "{gpu.limits.registers} / 1024"),
        ],
        references: [
            (column: "blocks", from: "hand", values: list([8, 4]), bound: exact),
            (column: "blocks", from: "hand", values: list([9, None]), bound: exact, known: "it is a test"),
        ],
        plots: [(kind: bar, x: "block", y: "blocks")],
    )"#;
    let (report, _) = run_text(text, &Results::default(), &[]).expect("it runs");
    assert_eq!(
        tables(&report, 96)[0].text(),
        "block (threads)  blocks  hand  registers\n            128       8     8         64\n            256       4     4         64\n"
    );
    assert_eq!(csv(&report), "block (threads),blocks,blocks hand,registers\n128,8,8,64\n256,4,4,64\n");
    let lines: Vec<&str> = report.judgements.iter().map(|judgement| judgement.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "blocks beside hand: exact, 2 points",
            "blocks beside hand: NOT exact: 128: 8 instead of 9. Why: it is a test"
        ]
    );
    assert!(figures(&report)[0].contains(">block (threads)</text>"));
}

/// A formula of a labelled axis: 1, 2, 3.
const COUNTED: &str = r#"(
    title: "t", source: "s", why: "w", kind: formula,
    axes: [(name: "n", label: "count", values: [1, 2, 3], labels: ["one", "two", "three"])],
    columns: [(name: "x", label: "a head of several words", unit: "things", of: "n")],
    references: [
        (column: "x", from: "source", values: list([1, 2, 4]), bound: points(0.5), known: "a misprint"),
        (column: "x", from: "source", values: list([1, 2, 4]), bound: within(10), deviates: "a counter"),
        (column: "x", from: "rank", values: list([3, 2, 1]), bound: order(0)),
    ],
    claims: [
        (says: "It grows.", at: {"n": [2, 3]}, holds: "x > at(x, n, 1)"),
        (says: "It is large.", holds: "x > 2"),
        (says: "It is small.", holds: "x < 2", deviates: "it is not"),
    ],
)"#;

#[test]
fn faults_of_the_source_and_of_the_simulator_are_told_apart() {
    let (report, _) = run_text(COUNTED, &Results::default(), &[]).expect("it runs");
    let verdicts: Vec<ReferenceVerdict> = report.verdicts().collect();
    let claims = [ReferenceVerdict::Holds, ReferenceVerdict::Missed, ReferenceVerdict::Deviates];
    let references = [ReferenceVerdict::Known, ReferenceVerdict::Deviates, ReferenceVerdict::Missed];
    assert_eq!(verdicts, [references, claims].concat());
}

#[test]
fn a_claim_is_checked_at_every_point_that_it_is_about() {
    let (report, _) = run_text(COUNTED, &Results::default(), &[]).expect("it runs");
    let lines: Vec<&str> = report.claims.iter().map(|claim| claim.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "It grows.",
            "the table says otherwise (at one; two): It is large.",
            "the table says otherwise (at two; three): It is small. Why: it is not",
        ]
    );
}

#[test]
fn tables_have_labels_and_units_and_break_their_heads_to_fit() {
    let (report, _) = run_text(COUNTED, &Results::default(), &[]).expect("it runs");
    let text = |width| tables(&report, width).iter().map(|table| table.text()).collect::<Vec<_>>();
    assert_eq!(
        text(80),
        ["count  a head of several words (things)  source (things)  ratio\n\
          one                                   1                1   1.00\n\
          two                                   2                2   1.00\n\
          three                                 3                4   0.75\n"]
    );
    assert_eq!(text(40).len(), 1);
    assert!(text(40)[0].lines().all(|line| line.len() <= 40), "{}", text(40)[0]);
}

#[test]
fn what_does_not_fit_beside_goes_below() {
    let (report, _) = run_text(COUNTED, &Results::default(), &["n=1,2"]).expect("it runs");
    let wide = COUNTED
        .replace("columns: [", "columns: [(name: \"y\", label: \"incomprehensibilities\", of: \"n\"),");
    let (wide, _) = run_text(&wide, &Results::default(), &[]).expect("it runs");
    assert_eq!((tables(&report, 40).len(), tables(&wide, 40).len()), (1, 2));
    assert!(tables(&wide, 40).iter().all(|table| table.text().starts_with("count")));
}

#[test]
fn one_bank_takes_a_row_cycle_a_burst() {
    let text = r#"(
        title: "t", source: "s", why: "w", kind: dram,
        set: {
            "gpu": "h200", "gpu.dram.bank_groups": "1", "gpu.dram.banks_per_group": "1",
            "gpu.dram.ranks": "1", "gpu.dram.closes_rows": "false",
            "gpu.dram.clocks.refi": "1000000", "pattern": "random", "requests": "101", "rows": "1000000000",
        },
        columns: [
            (name: "cycle", of: "({dram.clocks} - {gpu.dram.clocks.rcd_read} - {gpu.dram.clocks.cl} - 2) / 100"),
            (name: "rc", of: "{gpu.dram.clocks.rc}"),
            (name: "conflicts", of: "{dram.row_conflicts}"),
        ],
    )"#;
    let (report, _) = run_text(text, &Results::default(), &[]).expect("it runs");
    // The first burst opens the row; every other one closes a row and opens its own, a row cycle after the last.
    assert_eq!(report.columns, [vec![Some(72.0)], vec![Some(72.0)], vec![Some(100.0)]]);
}

#[test]
fn faults_of_a_point_say_which_point_and_what_is_possible() {
    let missing = LAUNCH.replace("\"gpu\": \"textbook\"", "\"gpu\": \"textbook\", \"passes\": \"-schedul\"");
    assert!(fault(&missing, &[]).starts_with("at warps 1: unknown pass 'schedul'; did you mean 'schedule'?"));
    let case = r#"(title: "t", source: "s", why: "w", kind: launch,
        set: {"suite": "../../traces/h200/suite", "case": "copy_f3_2e20", "program": "../../traces/h200/suite.sass"},
        columns: [(name: "x", of: "{word}")])"#;
    assert!(fault(case, &[]).ends_with("suite has no case 'copy_f3_2e20'; did you mean 'copy_f1_2e20'?"));
    assert!(fault(LAUNCH, &["blok=3"]).starts_with("a point of kind launch has no setting 'blok'"));
    assert_eq!(
        fault(LAUNCH, &["word=c"]),
        "at warps 1: word: 'c' has no index; write BUFFER:INDEX, for example out:7"
    );
}

#[test]
fn an_unknown_metric_is_shown_at_its_place() {
    let text = LAUNCH.replace("{smsp__inst_executed.sum}", "{smsp__inst_execute.sum}");
    let fault = fault(&text, &[]);
    assert!(
        fault.contains(
            "error: a point of kind launch has no metric 'smsp__inst_execute.sum'\n  --> test.ron:13:"
        ) && fault.contains("help: did you mean 'smsp__inst_executed.sum'?"),
        "{fault}"
    );
    let text = LAUNCH.replace("issue.count.LDG", "issue.count.LDGG");
    assert!(self::fault(&text, &[]).contains("help: did you mean 'LDG'?"));
}
