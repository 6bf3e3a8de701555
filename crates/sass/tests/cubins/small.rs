//! A small cubin with everything that a cubin can hold.

use warplab_diagnostics::Source;
use warplab_program::{Opcode, Program, listing};
use warplab_sass::read_cubin;

const CUBIN: &[u8] = include_bytes!("../small.cubin");
const JSON: &str = include_str!("../small.json");

fn small() -> Program {
    read_cubin(CUBIN, JSON).unwrap()
}

#[test]
fn what_a_cubin_says_beside_its_code() {
    let program = small();
    let kernel = program.kernel("mix").unwrap();
    assert_eq!((kernel.registers, kernel.static_shared_bytes, kernel.local_bytes), (16, 512, 0));
    assert_eq!((kernel.barriers, kernel.parameter_base), (1, 0x210));
    assert_eq!((kernel.max_block, kernel.required_block), (Some([128, 1, 1]), None));
    let parameters: Vec<_> = kernel.parameters.iter().map(|p| (p.name.as_str(), p.offset, p.bytes)).collect();
    assert_eq!(parameters, [("0", 0, 8), ("1", 8, 4)]);
    let banks: Vec<_> = kernel.constant_banks.iter().map(|bank| (bank.bank, bank.bytes.len())).collect();
    assert_eq!(banks, [(2, 28), (3, 16), (4, 24)]);
    let symbols: Vec<_> =
        kernel.constant_banks[2].relocations.iter().map(|r| (r.offset, &*r.symbol)).collect();
    assert_eq!(symbols, [(0, "counter"), (8, "pointer"), (16, "scratch")]);
    let globals: Vec<_> = program.globals.iter().map(|g| (&*g.name, g.bytes, g.relocations.len())).collect();
    assert_eq!(globals, [("counter", 4, 0), ("pointer", 8, 1), ("scratch", 256, 0)]);
    assert_eq!(program.globals[0].initial, [7, 0, 0, 0]);
}

#[test]
fn a_call_goes_to_the_function_and_a_return_back() {
    let program = small();
    let kernel = program.kernel("mix").unwrap();
    let of = |opcode| kernel.instructions.iter().find(|found| found.opcode == opcode).unwrap();
    assert_eq!(of(Opcode::Call).target(), Some(0x44));
    assert_eq!(of(Opcode::Ret).target(), None);
    assert_eq!(of(Opcode::Bar).control.stall, 6);
}

#[test]
fn its_listing_reads_back() {
    let program = small();
    let source = Source::new("small.sass", listing::write(&program));
    let (mut again, faults) = listing::read(&source);
    assert_eq!(faults, []);
    for instruction in again.kernels.iter_mut().flat_map(|kernel| &mut kernel.instructions) {
        instruction.origin = warplab_program::Origin::default();
    }
    assert_eq!(again, program);
}

#[test]
fn every_fault_is_named_with_its_place() {
    let json = JSON.replacen("BAR.SYNC", "BARR.SYNC", 1).replacen("BRX", "BRX.WRONG", 1);
    let program = read_cubin(CUBIN, &json).unwrap();
    let refused = program.refusal("mix").expect("it is refused");
    let texts: Vec<String> = refused.reasons.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].starts_with("0x") && texts[0].contains("unknown opcode 'BARR'"), "{texts:?}");
    assert!(texts[1].contains("unknown modifier '.WRONG' of BRX"), "{texts:?}");
    // What cannot be read keeps its place among the addresses.
    assert_eq!(refused.kernel.instructions.len(), small().kernel("mix").unwrap().instructions.len());
}

const LINKED: &[u8] = include_bytes!("../linked.cubin");
const LINKED_JSON: &str = include_str!("../linked.json");

#[test]
fn an_instruction_of_one_kernel_refuses_that_kernel_alone() {
    let whole = read_cubin(LINKED, LINKED_JSON).unwrap();
    assert_eq!((whole.kernels.len(), whole.refused.len()), (2, 0));
    // The last EXIT of the text belongs to neither kernel's callee.
    let at = LINKED_JSON.find("\"first\"").unwrap();
    let json = format!("{}{}", &LINKED_JSON[..at], LINKED_JSON[at..].replacen("EXIT", "EXXT", 1));
    let program = read_cubin(LINKED, &json).unwrap();
    assert_eq!(program.kernel_names(), ["second", "first"]);
    assert_eq!(program.kernel("second"), whole.kernel("second"));
    assert!(program.refusal("first").unwrap().to_string().contains("unknown opcode 'EXXT'"));
}

#[test]
fn functions_behind_a_kernel_may_be_listed_on_their_own() {
    // As nvdisasm 13.2 prints the same file: it also leaves out the comma before an address.
    let json = include_str!("../small_13_2.json");
    assert!(json.contains("\"R6[R6]\"") && json.contains("\"$mix$_Z6helperii\",\"start\":1088"));
    assert_eq!(read_cubin(CUBIN, json).unwrap(), small());
}

#[test]
fn an_instruction_of_a_unit_that_is_missing_says_which() {
    for (opcode, unit) in [
        ("BGMMA.64x64x256.AND.POPC", "products of matrices of bits by four warps (wgmma.b1)"),
        ("TEX.LL", "texture units"),
        ("SULD.2D", "surfaces"),
    ] {
        let program = read_cubin(CUBIN, &JSON.replacen("BAR.SYNC", opcode, 1)).unwrap();
        let reason = program.refusal("mix").unwrap().reasons[0].to_string();
        let name = opcode.split('.').next().unwrap();
        assert!(reason.contains(&format!("'{name}' is not supported: there are no {unit} here")), "{reason}");
    }
}
