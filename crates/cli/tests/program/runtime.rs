//! The device runtime as a person sees it: what kernels print, asserts.

use crate::common::warplab;
use snapbox::str;

const LAUNCH: &str = "--kernel ways --grid 1 --block 64 --gpu toy --arg buffer:out:8KiB:zero --arg buffer:in:16KiB:zero \
                      --arg u32:3 --quiet";

fn run(file: &str, kernel: &str, more: &str) -> snapbox::cmd::OutputAssert {
    let launch = LAUNCH.replace("ways", kernel);
    warplab(&format!("run ../../../../traces/isa/{file} {launch} {more}"))
}

#[test]
fn what_a_kernel_prints_comes_before_the_sections() {
    for file in ["runtime.sass", "runtime.ptx"] {
        let output = run(file, "ways", "--section launch").success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("    Section: Printed by the Kernel\n"), "{text}");
        assert_eq!(text.matches("way: block 0 thread").count(), 16, "{text}");
        assert!(text.find("second way").unwrap() < text.find("Section: Launch Statistics").unwrap());
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn what_a_kernel_prints_does_not_disturb_output_for_programs() {
    let output = run("runtime.sass", "ways", "--csv raw").success().get_output().clone();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(!out.contains("first way") && err.contains("first way: block 0 thread 0 turn 0"), "{err}");
    let output = run("runtime.sass", "ways", "--json -").success().get_output().clone();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = json["printed"]["lines"].as_array().unwrap();
    assert_eq!((lines.len(), &json["printed"]["lost_lines"]), (16, &0.into()));
    assert_eq!(lines[0]["block"], 0);
    assert!(lines.iter().any(|line| line["text"] == "first way: block 0 thread 17 turn 1\n"
        && line["thread"] == serde_json::json!([17, 0, 0])));
    // A kernel that prints nothing has no such key.
    let output = run("runtime.sass", "heap", "--json -").success().get_output().clone();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json.get("printed").is_none());
}

#[test]
fn an_assertion_ends_the_run_with_status_1() {
    let launch = "--kernel assertion --grid 2 --block 64 --gpu toy --arg buffer:out:16KiB:zero --arg \
                  buffer:in:16KiB:zero --arg u32:3 --quiet";
    warplab(&format!("run ../../../../traces/isa/runtime.sass {launch}")).code(1).stdout_eq("").stderr_eq(str![[r#"
error: assertion+[..] (line [..]) CALL.ABS.NOINC [..]: block (1,0,0) thread (37,0,0): runtime.cu:[..]: void assertion(unsigned int *, const unsigned int *, unsigned int): assertion `t != 101 && "thread 101 is not wanted"` failed
...
"#]]);
}

#[test]
fn a_stack_that_overflows_ends_the_run_with_status_1() {
    let launch = "--kernel deep --grid 1 --block 32 --gpu toy --arg buffer:out:16KiB:zero --arg buffer:in:16KiB:zero \
                  --arg u32:1000 --quiet";
    warplab(&format!("run ../../../../traces/isa/calls.sass {launch}")).code(1).stdout_eq("").stderr_eq(str![[r#"
error: deep+[..] (line [..]) STL [..]: block (0,0,0) thread (0,0,0): the stack overflows: 1024 bytes per thread are not enough, lane 0
...
"#]]);
}
