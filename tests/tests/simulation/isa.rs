//! The same kernels by both roads, PTX through the simulator's own compiler and real machine code: the same bytes.

use warplab_config::launch::Argument;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};
use warplab_program::{Kernel, Program};
use warplab_tests::interpreted::{self, Interpreted};
use warplab_tests::sweep::{self, Run, quick};
use warplab_tests::{Case, compile, gpu, listing, read};

/// Words of each of the two buffers.
const WORDS: u64 = 4096;

/// What a kernel of `traces/isa` writes.
fn output(program: &Program, kernel: &Kernel, n: u32) -> Result<Vec<u8>, String> {
    let mut image = MemoryImage::new();
    let out = image.allocate("out", WORDS * 4, Init::Zero);
    let input = image.allocate("in", WORDS * 4, Init::HashI32 { seed: 7 });
    let symbols = allocate_globals(program, &mut image).map_err(|fault| fault.to_string())?;
    let parameters = [&out.0.to_le_bytes()[..], &input.0.to_le_bytes(), &n.to_le_bytes()].concat();
    let shape = LaunchShape { grid: [2, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 1024 };
    let limits = Limits { block_instructions: 2_000_000, ..Limits::default() };
    run(program, kernel, shape, &parameters, &symbols, &image, limits).map_err(|fault| fault.to_string())?;
    image.read_bytes(out, WORDS * 4).map_err(|fault| fault.to_string())
}

/// The first difference of two outputs: of which thread, in which of its 32 words.
fn first_difference(left: &[u8], right: &[u8], names: [&str; 2]) -> Option<String> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |value, &byte| value << 8 | u32::from(byte));
    let mut words = left.chunks(4).map(word).zip(right.chunks(4).map(word)).enumerate();
    let (index, (left, right)) = words.find(|(_, (left, right))| left != right)?;
    let [first, second] = names;
    Some(format!("thread {} word {}: {first} {left:#010x}, {second} {right:#010x}", index / 32, index % 32))
}

fn assert_same(machine_code: &str) {
    let (ptx, sass) = (compile(&gpu("h200"), "traces/isa/isa.ptx"), listing(machine_code));
    assert_eq!(ptx.kernels.len(), 34);
    let mut wrong = Vec::new();
    for kernel in &ptx.kernels {
        let other = sass.kernel(&kernel.name).expect("the listing has the kernel");
        for n in [3, 6] {
            let difference = match (output(&ptx, kernel, n), output(&sass, other, n)) {
                (Ok(left), Ok(right)) => {
                    assert!(left.iter().any(|&byte| byte != 0), "{} writes nothing", kernel.name);
                    first_difference(&left, &right, ["PTX", "SASS"])
                }
                (Err(fault), _) => Some(format!("PTX: {fault}")),
                (_, Err(fault)) => Some(format!("SASS: {fault}")),
            };
            wrong.extend(difference.map(|what| format!("{} with n = {n}: {what}", kernel.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ordinary_instructions_compute_the_same_by_both_roads() {
    assert_same("traces/isa/isa.sass");
}

#[test]
fn machine_code_of_an_older_architecture_computes_the_same() {
    assert_same("traces/isa/isa.sm_80.sass");
}

/// What a real H200 wrote: lines `kernel n thread` and 32 words.
fn measured(text: &str, kernel: &str, n: u32) -> Vec<u8> {
    let start = format!("{kernel} {n} ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&start));
    let words = lines.flat_map(|line| line.split(' ').skip(1));
    words.flat_map(|word| u32::from_str_radix(word, 16).expect("a word").to_le_bytes()).collect()
}

#[test]
fn rarer_instructions_compute_as_the_hardware_by_both_roads() {
    let (ptx, sass) = (compile(&gpu("h200"), "traces/isa/more.ptx"), listing("traces/isa/more.sass"));
    let hardware = read("traces/isa/more.expected");
    assert_eq!(ptx.kernels.len(), 7);
    let mut wrong = Vec::new();
    for kernel in &ptx.kernels {
        let name = &kernel.name;
        for n in [3, 6] {
            let measured = measured(&hardware, name, n);
            // From PTX a product and its power of two are rounded one after the other: see DEVIATIONS.md.
            let roads = if name == "scaled_products" { vec![&sass] } else { vec![&sass, &ptx] };
            for (road, program) in ["SASS", "PTX"].into_iter().zip(roads) {
                let kernel = program.kernel(name).expect("both programs have the kernel");
                let found = match output(program, kernel, n) {
                    Ok(found) => first_difference(&measured, &found, ["H200", road]),
                    Err(fault) => Some(fault),
                };
                wrong.extend(found.map(|what| format!("{name} with n = {n} by {road}: {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn whole_buffers_of_the_quick_cases_are_the_same_by_both_roads() {
    // What the clock says is no result.
    let mut chosen = quick("suite");
    chosen.retain(|case| case.clock.is_empty());
    let wrong: Vec<String> = chosen.iter().flat_map(differing_buffers).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(chosen.len(), 66);
}

/// The buffers of a case of the suite that differ between PTX and machine code.
fn differing_buffers(case: &Case) -> Vec<String> {
    let [ptx, sass] = [
        buffers(&sweep::PTX, &interpreted::PTX, case),
        buffers(&sweep::MACHINE_CODE, &interpreted::MACHINE_CODE, case),
    ];
    let names: Vec<&String> = case
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Buffer { name, .. } => Some(name),
            _ => None,
        })
        .collect();
    assert_eq!((ptx.len(), sass.len()), (names.len(), names.len()), "{}: a road did not run", case.name);
    let differing = (0..names.len()).filter(|&index| ptx[index] != sass[index]);
    differing.map(|index| format!("{}: {} differs", case.name, names[index])).collect()
}

/// The checksums of all buffers of a case of the suite, simulated or interpreted.
fn buffers<'a>(simulated: &'a [Run], interpreted: &'a [Interpreted], case: &Case) -> &'a [(u64, u64)] {
    let simulated =
        simulated.iter().filter(|run| run.comparison.suite == "suite" && run.case.name == case.name);
    let interpreted = interpreted.iter().filter(|it| it.suite == "suite" && it.name == case.name);
    let mut found = simulated.map(|run| &run.buffers).chain(interpreted.map(|it| &it.buffers));
    found.next().expect("every quick case is run by both roads")
}
