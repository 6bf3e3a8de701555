//! The hardware reference beside the simulator: the whole output, wrong outputs, wrong usage.

#![allow(missing_docs)]

mod common;

use common::warplab;
use snapbox::str;

const TINY: &str = "correlate reference tiny --gpu toy";

fn stdout(line: &str) -> String {
    String::from_utf8(warplab(line).get_output().stdout.clone()).unwrap()
}

#[test]
fn hardware_and_simulator_stand_side_by_side() {
    warplab(TINY).success().stderr_eq("").stdout_eq(str![]);
}

#[test]
fn a_wrong_checksum_and_a_fault_come_first_and_make_the_status_one() {
    warplab("correlate reference wrong --gpu toy --metric sm__cycles_elapsed.max").code(1).stdout_eq(str![]);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_cases_at_once() {
    for format in ["", "--csv -", "--json -", "--svg -"] {
        let one = stdout(&format!("{TINY} {format} --jobs 1"));
        assert!(!one.is_empty(), "{format}");
        assert_eq!(one, stdout(&format!("{TINY} {format} --jobs 3 --memory 100KiB")), "{format}");
    }
}

#[test]
fn csv_has_a_row_a_case_with_both_values_of_every_metric() {
    let csv = stdout(&format!("{TINY} --csv - --filter scale"));
    let mut lines = csv.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("suite,case,kernel,isa,group,result,"), "{head}");
    assert!(head.contains(",sm__cycles_elapsed.max hw,sm__cycles_elapsed.max sim,"), "{head}");
    let names: Vec<&str> = lines.map(|line| line.split(",scale,").next().unwrap()).collect();
    assert_eq!(names, ["tiny,scale_n2048", "tiny,scale_n16384", "tiny,scale_n65536"]);
}

#[test]
fn json_has_cases_and_errors() {
    let value: serde_json::Value = serde_json::from_str(&stdout(&format!("{TINY} --json -"))).unwrap();
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["cases"].as_array().unwrap().len(), 4);
    assert_eq!(value["cases"][3]["metrics"]["clock_cycles"]["hardware"], 40.0);
    assert_eq!(value["errors"][0]["metric"], "clock_cycles");
    assert_eq!(value["errors"][0]["cases"], 1);
}

#[test]
fn wrong_usage_says_what_is_there() {
    let cases = [
        ("correlate nowhere", "error: nowhere cannot be read: [..]\n"),
        ("correlate . --gpu toy", "error: . has no file NAME.cases.jsonl; see traces/h200/README.md\n"),
        (
            "correlate reference tine",
            "error: reference has no file 'tine.cases.jsonl'; did you mean 'tiny'? it has: tiny, wrong\n",
        ),
        (
            "correlate reference --filter scale_n2047",
            "error: no case of 7 fits 'scale_n2047'; did you mean 'scale_n2048'? give a part of a name, or a pattern \
             with * and ?\n",
        ),
        (
            "correlate reference wrong --filter n64 --below 100",
            "error: all 1 chosen cases have more than 100 warp instructions, scale_n64 the first; --all runs them\n",
        ),
        (
            "correlate reference --metric sm__cycles_elapsed.mx",
            "error: unknown metric 'sm__cycles_elapsed.mx'; did you mean 'sm__cycles_elapsed.max'? give an id as in \
             the columns of NAME.metrics.csv\n",
        ),
        (
            "correlate reference --isa sass",
            "error: reference has no program of 'tiny': it needs 'tiny.sass' or '.cubin'\n",
        ),
    ];
    for (line, message) in cases {
        warplab(line).code(2).stdout_eq("").stderr_eq(message);
    }
}
