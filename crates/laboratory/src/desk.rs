//! Everything that the laboratory has at hand, and who answers what.

use crate::answer::Refusal;
use crate::files::{DEFAULT_MACHINE, Files};
use crate::job::{Job, machine_name};
use crate::labs::{self, Answers};
use crate::request::{Request, SetUp};
use crate::steps::Steps;
use crate::{check, document};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use warplab_config::gpu::SchedulerPolicy;
use warplab_config::load_launch;
use warplab_gpu::Progress;

/// Everything that the laboratory has at hand.
#[derive(Debug, Default)]
pub struct Desk {
    files: BTreeMap<String, String>,
    /// What is being stepped.
    steps: Option<Steps>,
}

/// No changes.
static UNCHANGED: BTreeMap<String, String> = BTreeMap::new();

impl Desk {
    /// Answers a request: `{"value": ...}`, or `{"refusal": ...}`.
    pub fn answer(&mut self, request: &str, progress: &mut dyn FnMut(Progress)) -> String {
        let answer = match serde_json::from_str::<Request>(request) {
            Ok(request) => self.value(request, progress),
            Err(fault) => Err(Refusal::plain(format!("this is no request: {fault}"))),
        };
        match answer {
            Ok(value) => json!({ "value": value }),
            Err(refusal) => json!({ "refusal": refusal }),
        }
        .to_string()
    }

    fn value(&mut self, request: Request, progress: &mut dyn FnMut(Progress)) -> Result<Value, Refusal> {
        let files = Files { all: &self.files, edits: &UNCHANGED };
        match request {
            Request::Files { files } => {
                self.files.extend(files);
                Ok(json!(self.files.len()))
            }
            Request::Catalogue => Ok(catalogue(files)),
            Request::Texts { setup } => texts(self.with(&setup), &setup),
            Request::Check { path, text, gpu } => {
                let config = files.machine(gpu.as_deref().unwrap_or(DEFAULT_MACHINE), &[])?;
                Ok(json!(check::faults(&path, &text, &config)))
            }
            Request::Run { setup } => {
                let files = self.with(&setup);
                let job = Job::read(files, &setup)?;
                let Some(scheduler) = &setup.beside else {
                    return document::run(files, &job, setup.sm, progress);
                };
                let other = SetUp { scheduler: Some(scheduler.clone()), ..setup.clone() };
                let other = Job::read(files, &other)?;
                document::run_beside(files, [&job, &other], setup.sm, progress)
            }
            Request::Begin { setup } => {
                let steps = Steps::begin(self.with(&setup), &setup)?;
                Ok(self.steps.insert(steps).about())
            }
            Request::Go { to, of, look } => {
                self.steps.as_mut().map(|steps| steps.go(to, of, &look)).ok_or_else(nothing_begun)
            }
            Request::Look { look } => {
                self.steps.as_ref().map(|steps| steps.look(&look)).ok_or_else(nothing_begun)
            }
            Request::SoFar { of } => {
                self.steps.as_ref().map_or_else(|| Err(nothing_begun()), |steps| steps.so_far(of))
            }
            Request::Lab { name } => labs::lab(files, &name),
            Request::CheckLab { name, predictions, changes, copies, reveal } => {
                let answers =
                    Answers { predictions: &predictions, changes: &changes, copies: &copies, reveal };
                labs::check(files, &name, answers)
            }
        }
    }

    /// The files with the changes of a set-up.
    fn with<'a>(&'a self, setup: &'a SetUp) -> Files<'a> {
        Files { all: &self.files, edits: &setup.edits }
    }
}

fn nothing_begun() -> Refusal {
    Refusal::plain("nothing is being stepped: begin first")
}

/// What there is to choose from.
fn catalogue(files: Files<'_>) -> Value {
    let machine = |name: &&str| {
        let config = files.machine(name, &[]).ok();
        json!({ "name": name, "title": config.as_ref().map(|config| &config.name) })
    };
    let policy = |policy: &SchedulerPolicy| json!({ "name": policy.option(), "summary": policy.summary() });
    let lab = |name: String| {
        let title = labs::describe_lab(files, &name).map(|lab| lab.title).unwrap_or_default();
        json!({ "name": name, "title": title })
    };
    json!({
        "machines": files.machines().iter().map(machine).collect::<Vec<_>>(),
        "schedulers": SchedulerPolicy::ALL.iter().map(policy).collect::<Vec<_>>(),
        "launches": launches(files),
        "labs": labs::names(files).into_iter().map(lab).collect::<Vec<_>>(),
        "states": document::states(),
    })
}

/// The launches with what their first comment says; those of labs belong to their labs.
fn launches(files: Files<'_>) -> Vec<Value> {
    let paths = files.all.iter().filter(|(path, _)| {
        (path.starts_with("launches/") || path.starts_with("machine-code/")) && path.ends_with(".ron")
    });
    paths
        .map(|(path, text)| {
            let comment = text.lines().next().and_then(|line| line.strip_prefix("//"));
            json!({ "path": path, "about": comment.unwrap_or_default().trim() })
        })
        .collect()
}

/// The texts of a set-up as they are without its changes; which ones they are is said by the changed launch.
fn texts(files: Files<'_>, setup: &SetUp) -> Result<Value, Refusal> {
    let path = Path::new(&setup.launch);
    let source = files.source(path)?;
    let original = |path: &str| files.all.get(path).map_or("", String::as_str);
    let text = |path: &str, kind: &str| json!({ "path": path, "kind": kind, "text": original(path) });
    let mut found = vec![text(&source.name, "launch")];
    let Ok(launch) = load_launch(&source) else { return Ok(json!(found)) };
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Ok(program) = files.source(&folder.join(&launch.program)) {
        found.push(text(&program.name, "program"));
    }
    let name = machine_name(&launch, folder, setup)?;
    if let Ok(machine) = files.source(Path::new(&format!("gpus/{name}.ron"))) {
        let mut shown = text(&machine.name, "machine");
        shown["machine"] = json!(name);
        found.push(shown);
    }
    Ok(json!(found))
}
