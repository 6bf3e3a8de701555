//! Products and sums that name no rounding mode are one operation, or two where a person says so: by every command.

use crate::common::{fresh_folder, status, stderr, stdout, warplab_in};
use std::fs;
use std::path::PathBuf;

/// `out = x * x - y`, which is 2^-24 if x * x is not rounded, else nothing.
const KERNEL: &str = ".version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 x, .param .u32 y)
{
    .reg .f32 %f<5>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];
    mul.f32 %f3, %f1, %f1;
    sub.f32 %f4, %f3, %f2;
    st.global.f32 [%rd1], %f4;
    ret;
}
";

/// 1 + 2^-12 and 1 + 2^-11.
const ARGUMENTS: &str = "bits(1065355264), bits(1065357312)";

/// A folder with the kernel, a launch that wants the product rounded, an experiment and a case of correlate.
fn folder(name: &str, fmad: &str) -> PathBuf {
    let folder = fresh_folder(name);
    fs::write(folder.join("tiny.ptx"), KERNEL).unwrap();
    let launch = format!(
        r#"(program: "tiny.ptx", kernel: "k", grid: (1, 1, 1), block: (1, 1, 1), gpu: "toy", {fmad}
            arguments: [buffer(name: "out", size: "1 x f32", init: zero), {ARGUMENTS}],
            expectations: [all_close(buffer: "out", expected: formula("0.0"))])"#
    );
    fs::write(folder.join("launch.ron"), launch).unwrap();
    let sweep = r#"(title: "A sweep", source: "here", why: "to see", kind: launch,
        set: {"launch": "launch.ron", "word": "out:0"}, columns: [(name: "bits", of: "{word}")])"#;
    fs::write(folder.join("sweep.ron"), sweep).unwrap();
    let case = r#"{"case":"one","kernel":"k","grid":[1,1,1],"block":[1,1,1],"args":[{"buffer":"out","bytes":4,"init":"zero"},{"i32":1065355264},{"i32":1065357312}],"checksums":{"out":["SUM","SUM"]}}"#;
    fs::write(folder.join("tiny.cases.jsonl"), case.replace("SUM", &checksum(0)) + "\n").unwrap();
    fs::write(folder.join("tiny.metrics.csv"), "case,kernel,sm__cycles_elapsed.max\none,k,1000\n").unwrap();
    folder
}

/// The checksum of a buffer of one word, in hexadecimal.
fn checksum(word: u32) -> String {
    let mut image = warplab_exec::MemoryImage::new();
    let bytes = word.to_le_bytes().to_vec();
    image.allocate("one", 4, warplab_exec::Init::Bytes(bytes.into()));
    let (sum, xor) = image.checksum(image.buffer("one").unwrap(), 0..1);
    assert_eq!(sum, xor);
    format!("{sum:016x}")
}

const LINE: &str = "error: --passes, --dump-after and --fmad (fmad of a launch file) are of the simulator's own compiler; real machine \
     code has been through another: use --isa ptx\n";

#[test]
fn a_launch_file_says_whether_products_are_fused_and_the_command_line_has_the_last_word() {
    for (fmad, flag, expected) in [
        ("", "", 1),
        ("", " --fmad off", 0),
        ("fmad: false,", "", 0),
        ("fmad: false,", " --fmad on", 1),
        ("fmad: true,", "", 1),
    ] {
        let folder = folder("fmad_launch", fmad);
        let ran = warplab_in(&folder, &format!("run launch.ron --quiet{flag}"));
        assert_eq!(status(&ran), Some(expected), "{fmad}{flag}: {}{}", stdout(&ran), stderr(&ran));
    }
    let folder = folder("fmad_launch", "fmad: false,");
    assert_eq!(stderr(&warplab_in(&folder, "run launch.ron --isa sass")), LINE);
    let wrong = fs::read_to_string(folder.join("launch.ron")).unwrap().replace("false", "off");
    fs::write(folder.join("launch.ron"), wrong).unwrap();
    let ran = warplab_in(&folder, "run launch.ron");
    assert_eq!(status(&ran), Some(2));
    assert!(stderr(&ran).starts_with("error: fmad must be true or false, not a name\n"), "{}", stderr(&ran));
}

#[test]
fn an_experiment_fuses_products_as_its_launch_or_the_command_line_says() {
    let fused = 103_u32 << 23;
    for (fmad, flag, bits) in [
        ("", "", fused),
        ("", " --fmad off", 0),
        ("", " --set fmad=off", 0),
        ("fmad: false,", "", 0),
        ("fmad: false,", " --fmad on", fused),
    ] {
        let folder = folder("fmad_experiment", fmad);
        let ran = warplab_in(&folder, &format!("experiment sweep.ron --csv{flag}"));
        let mark = if bits == 0 { "ok" } else { "FAILED" };
        assert_eq!(
            stdout(&ran),
            format!("bits,expectations\n{bits},{mark}\n"),
            "{fmad}{flag}: {}",
            stderr(&ran)
        );
    }
    // What was worked out with the one is not taken for the other.
    let folder = folder("fmad_kept", "");
    let bits = |flag: &str| stdout(&warplab_in(&folder, &format!("experiment sweep.ron --csv {flag}")));
    assert_ne!(bits("--fmad on"), bits("--fmad off"));
    let wrong = warplab_in(&folder, "experiment sweep.ron --set fmad=no");
    assert_eq!(stderr(&wrong), "error: fmad: 'no' is neither on nor off\n");
}

#[test]
fn correlate_fuses_products_as_the_command_line_says() {
    let folder = folder("fmad_correlate", "");
    let right = warplab_in(&folder, "correlate . --gpu toy --quiet --fmad off");
    assert_eq!(status(&right), Some(0), "{}{}", stdout(&right), stderr(&right));
    let wrong = warplab_in(&folder, "correlate . --gpu toy --quiet");
    assert_eq!(status(&wrong), Some(1));
    assert!(stdout(&wrong).starts_with("WRONG  tiny/one (ptx): the checksum of out is not the hardware's\n"));
    assert_eq!(stderr(&warplab_in(&folder, "correlate . --gpu toy --isa sass --fmad off")), LINE);
}
