//! The laboratory as the page asks it.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use warplab_laboratory::Desk;

/// A desk with some files of `configs`.
fn desk() -> Desk {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let mut files = serde_json::Map::new();
    for folder in ["gpus", "kernels", "launches", "labs/1-latency"] {
        for path in texts(&configs.join(folder)) {
            let name = path.strip_prefix(&configs).unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read_to_string(&path).unwrap().into());
        }
    }
    let mut desk = Desk::default();
    value(&mut desk, &json!({ "ask": "files", "files": files }));
    desk
}

fn texts(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ends = ["ron", "ptx", "cu", "md"];
    files.filter(|path| ends.iter().any(|end| path.extension().is_some_and(|it| it == *end))).collect()
}

fn ask(desk: &mut Desk, request: &Value) -> Value {
    serde_json::from_str(&desk.answer(&request.to_string(), &mut |_| ())).unwrap()
}

fn value(desk: &mut Desk, request: &Value) -> Value {
    let answer = ask(desk, request);
    assert!(answer["refusal"].is_null(), "{request}: {answer}");
    answer["value"].clone()
}

fn refusal(desk: &mut Desk, request: &Value) -> Value {
    ask(desk, request)["refusal"].clone()
}

fn metric(document: &Value, launch: usize, id: &str) -> Value {
    let sections = document["launches"][launch]["sections"].as_array().unwrap();
    let mut metrics = sections.iter().flat_map(|section| section["metrics"].as_array().unwrap());
    metrics.find(|metric| metric["id"] == id).unwrap()["value"].clone()
}

const CYCLES: &str = "sm__cycles_elapsed.max";

#[test]
fn a_run_gives_the_document_of_the_page_and_what_became_of_the_expectations() {
    let setup = json!({ "launch": "launches/warp_states.ron" });
    let ran = value(&mut desk(), &json!({ "ask": "run", "setup": setup }));
    assert_eq!(metric(&ran["document"], 0, CYCLES), 201);
    assert_eq!(ran["expectations"][0]["holds"], true);
    assert!(!ran["document"]["launches"][0]["timeline"]["rows"].as_array().unwrap().is_empty());
}

#[test]
fn the_source_has_the_text_of_cuda_beside_the_program() {
    let setup = json!({ "launch": "launches/saxpy.ron", "gpu": "toy" });
    let mut desk = desk();
    value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    let code = so_far(&mut desk, 0, &json!({ "cycle": 0 }))["launches"][0]["code"].clone();
    let texts = code["texts"].as_array().unwrap();
    assert_eq!([&texts[0]["name"], &texts[1]["name"]], ["kernels/saxpy.ptx", "kernels/saxpy.cu"]);
    let text = &texts[1]["lines"];
    let line_of = |instruction: &Value| {
        let places = instruction["places"].as_array().unwrap();
        places.iter().find(|place| place[0] == 1).and_then(|place| place[1].as_u64())
    };
    let instructions = code["instructions"].as_array().unwrap();
    let fused = instructions.iter().find(|it| it["text"].as_str().unwrap().starts_with("FFMA")).unwrap();
    let line = line_of(fused).unwrap() - texts[1]["first_line"].as_u64().unwrap();
    assert_eq!(text[usize::try_from(line).unwrap()], "    if (i < n) y[i] = a * x[i] + y[i];");
}

#[test]
fn changes_of_machine_scheduler_and_texts_change_the_run() {
    let mut desk = desk();
    let plain = json!({ "launch": "launches/warp_states.ron", "scheduler": "gto" });
    let mut cycles = |setup: Value| {
        let ran = value(&mut desk, &json!({ "ask": "run", "setup": setup }));
        metric(&ran["document"], 0, CYCLES).as_u64().unwrap()
    };
    assert_eq!(cycles(plain.clone()), 215);
    let mut slow = plain.clone();
    slow["set"] = json!(["multiprocessor.l1.flat_latency=160"]);
    assert_eq!(cycles(slow), 301);
    let mut short = plain;
    let text = "(program: \"../kernels/vector_add.ptx\", kernel: \"vector_add\", grid: (1, 1, 1), block: (32, 1, 1), \
                arguments: [i32(0), null, null, null], gpu: \"textbook\")";
    short["edits"] = json!({ "launches/warp_states.ron": text });
    assert!(cycles(short) < 215);
}

#[test]
fn a_scheduler_beside_another_gives_both_launches_and_why_they_differ() {
    let setup = json!({ "launch": "launches/warp_states.ron", "beside": "gto" });
    let document = value(&mut desk(), &json!({ "ask": "run", "setup": setup }))["document"].clone();
    assert_eq!(document["launches"].as_array().unwrap().len(), 2);
    assert_eq!(document["comparison"]["names"], json!(["lrr", "gto"]));
    assert_eq!(document["comparison"]["found"]["factors"].as_array().unwrap().len(), 5);
}

#[test]
fn the_texts_of_a_set_up_are_those_that_its_changed_launch_names_without_the_changes() {
    let mut desk = desk();
    let saxpy = value(&mut desk, &json!({ "ask": "texts", "setup": { "launch": "launches/saxpy.ron" } }))[0]
        ["text"]
        .as_str()
        .unwrap()
        .to_owned();
    let edits = json!({ "launches/warp_states.ron": saxpy, "kernels/saxpy.ptx": "changed" });
    let setup = json!({ "launch": "launches/warp_states.ron", "edits": edits });
    let texts = value(&mut desk, &json!({ "ask": "texts", "setup": setup }));
    let paths: Vec<&Value> = texts.as_array().unwrap().iter().map(|text| &text["path"]).collect();
    assert_eq!(paths, ["launches/warp_states.ron", "kernels/saxpy.ptx", "gpus/h200.ron"]);
    assert_ne!(texts[0]["text"], saxpy);
    assert_ne!(texts[1]["text"], "changed");
}

#[test]
fn a_fault_of_a_text_is_refused_with_its_place() {
    let text = "(program: \"../kernels/vector_add.ptx\", kernel: 7)";
    let edits = json!({ "launches/warp_states.ron": text });
    let setup = json!({ "launch": "launches/warp_states.ron", "edits": edits });
    let refused = refusal(&mut desk(), &json!({ "ask": "run", "setup": setup }));
    assert_eq!(refused["path"], "launches/warp_states.ron");
    let places = refused["places"].as_array().unwrap();
    assert!(places.iter().any(|place| place["from"] == 47 && place["to"] == 48), "{refused}");
}

#[test]
fn what_is_unknown_is_refused_in_words() {
    let mut desk = desk();
    let missing = json!({ "ask": "run", "setup": { "launch": "launches/none.ron" } });
    assert_eq!(refusal(&mut desk, &missing)["message"], "there is no file launches/none.ron");
    let machine = json!({ "launch": "launches/saxpy.ron", "gpu": "h20" });
    let message = refusal(&mut desk, &json!({ "ask": "run", "setup": machine }))["message"].clone();
    assert!(
        message.as_str().unwrap().starts_with("unknown machine 'h20'; did you mean 'h200'?"),
        "{message}"
    );
    let look = json!({ "sm": 0, "slot": 0, "lane": 0, "partition": 0, "first_set": 0, "sets": 4 });
    let early = refusal(&mut desk, &json!({ "ask": "look", "look": look }));
    assert_eq!(early["message"], "nothing is being stepped: begin first");
    let early = refusal(&mut desk, &json!({ "ask": "so_far", "of": 0 }));
    assert_eq!(early["message"], "nothing is being stepped: begin first");
}

#[test]
fn a_hundred_cycles_on_and_back_shows_the_same_state_on_both_devices() {
    let mut desk = desk();
    let setup = json!({ "launch": "launches/warp_states.ron", "beside": "gto" });
    let about = value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    assert_eq!([&about[0]["scheduler"], &about[1]["scheduler"]], ["lrr", "gto"]);
    let look = json!({ "sm": 0, "slot": 3, "lane": 5, "partition": 0, "first_set": 0, "sets": 8 });
    let mut go = |to: Value| value(&mut desk, &json!({ "ask": "go", "to": to, "of": 0, "look": look }));
    let before = go(json!({ "cycle": 60 }));
    let after = go(json!({ "forward": 100 }));
    assert_eq!([&after["cycle"], &after["views"][1]["cycle"]], [160, 160]);
    assert_ne!(before["views"][0], after["views"][0]);
    assert_ne!(before["views"][0]["sm"], before["views"][1]["sm"], "the schedulers differ");
    assert_eq!(go(json!({ "back": 100 })), before);
}

/// The document so far at a cycle, of device `of`.
fn so_far(desk: &mut Desk, of: usize, to: &Value) -> Value {
    let look = json!({ "sm": 0, "slot": 0, "lane": 0, "partition": 0, "first_set": 0, "sets": 4 });
    value(desk, &json!({ "ask": "go", "to": to, "of": of, "look": look }));
    value(desk, &json!({ "ask": "so_far", "of": of }))["document"].clone()
}

#[test]
fn at_the_end_the_numbers_so_far_are_those_of_the_run() {
    for name in ["launches/warp_states.ron", "launches/saxpy_repeated.ron", "launches/histogram_shared.ron"] {
        let mut desk = desk();
        let setup = json!({ "launch": name, "gpu": "toy" });
        let mut whole = value(&mut desk, &json!({ "ask": "run", "setup": setup }))["document"].clone();
        value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
        let mut stepped = so_far(&mut desk, 0, &json!("end"));
        // Of a run all of the first launch is recorded, and its instructions are counted; of steps the last cycles, and all.
        for document in [&mut whole, &mut stepped] {
            for (number, launch) in document["launches"].as_array_mut().unwrap().iter_mut().enumerate() {
                let keys = launch.as_object_mut().unwrap();
                keys.remove("timeline");
                keys.retain(|key, _| number == 0 || key != "code");
            }
        }
        assert!(stepped == whole, "{name}");
    }
}

#[test]
fn a_hundred_cycles_on_and_back_give_the_same_numbers_so_far() {
    let mut desk = desk();
    let setup = json!({ "launch": "launches/warp_states.ron", "beside": "gto" });
    value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    for of in [0, 1] {
        let before = so_far(&mut desk, of, &json!({ "cycle": 60 }));
        let after = so_far(&mut desk, of, &json!({ "forward": 100 }));
        assert_eq!([&before, &after].map(|document| metric(document, 0, CYCLES)), [61, 161]);
        assert!(before["launches"][0]["code"] != after["launches"][0]["code"], "device {of}");
        assert!(so_far(&mut desk, of, &json!({ "back": 100 })) == before, "device {of}");
    }
}

#[test]
fn the_last_cycles_are_recorded_up_to_the_one_that_is_shown() {
    let mut desk = desk();
    let setup = json!({ "launch": "launches/histogram_shared.ron", "gpu": "toy" });
    value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    let mut window = |cycle: u64| {
        let document = so_far(&mut desk, 0, &json!({ "cycle": cycle }));
        let timeline = &document["launches"][0]["timeline"];
        (timeline["from"].as_u64(), timeline["to"].as_u64(), timeline["cut"].as_bool())
    };
    assert_eq!(window(4000), (Some(4001 - 256), Some(4001), Some(false)));
    assert_eq!(window(3999), (Some(4000 - 256), Some(4000), Some(false)));
    assert_eq!(window(0), (None, None, None));
}

#[test]
fn before_anything_has_happened_ratios_are_missing() {
    let mut desk = desk();
    let setup = json!({ "launch": "launches/vector_add.ron" });
    value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    let document = so_far(&mut desk, 0, &json!({ "cycle": 0 }));
    assert_eq!(metric(&document, 0, CYCLES), 1);
    assert_eq!(metric(&document, 0, "sm__warps_active.avg.pct_of_peak_sustained_active"), Value::Null);
    assert_eq!(document["launches"][0]["launch"]["partial"], true);
}

#[test]
fn a_line_of_cuda_is_run_to() {
    let mut desk = desk();
    let setup = json!({ "launch": "launches/saxpy.ron", "gpu": "toy" });
    let about = value(&mut desk, &json!({ "ask": "begin", "setup": setup }));
    assert_eq!(about[0]["files"][0]["name"], "kernels/saxpy.cu");
    let look = json!({ "sm": 0, "slot": 0, "lane": 0, "partition": 0, "first_set": 0, "sets": 4 });
    let to = json!({ "source": { "file": 0, "line": 4 } });
    let seen = value(&mut desk, &json!({ "ask": "go", "to": to, "of": 0, "look": look }));
    let slots = seen["views"][0]["sm"]["slots"].as_array().unwrap();
    let issues = slots.iter().find(|slot| slot["warp"]["state"] == "selected").unwrap();
    let pc = usize::try_from(issues["warp"]["pc"].as_u64().unwrap()).unwrap();
    assert_eq!(about[0]["codes"][0]["instructions"][pc]["source"], json!([0, 4]));
}

#[test]
fn a_lab_keeps_its_numbers_until_they_are_asked_for() {
    let mut desk = desk();
    let lab = value(&mut desk, &json!({ "ask": "lab", "name": "1-latency" }));
    assert_eq!(lab["title"], "Lab 1: latency against warps");
    let mut check = |reveal: bool| {
        let request = json!({
            "ask": "check_lab", "name": "1-latency", "predictions": { "cycles_between": 1 }, "changes": {},
            "copies": {}, "reveal": reveal,
        });
        let judged = value(&mut desk, &request);
        judged["predictions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["id"] == "cycles_between")
            .unwrap()
            .clone()
    };
    let hidden = check(false);
    assert_eq!([&hidden["state"], &hidden["simulated"]], [&json!("no"), &Value::Null]);
    assert!(hidden["hint"].as_str().unwrap().starts_with("One instruction per cycle"));
    assert_eq!(check(true)["simulated"], "5.03");
}
