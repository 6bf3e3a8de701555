//! Line information of a cubin.

use warplab_program::Instruction;
use warplab_sass::read_cubin;

const CUBIN: &[u8] = include_bytes!("../lines.cubin");
const JSON: &str = include_str!("../lines.json");

#[test]
fn an_inlined_instruction_has_the_line_of_the_inlined_function() {
    let program = read_cubin(CUBIN, JSON).unwrap();
    assert_eq!(program.files, ["/src/lines.cu"]);
    assert_eq!(program.refused, []);
    let line = |instruction: &Instruction| (instruction.opcode.name(), instruction.origin.source_line);
    let lines: Vec<_> = program.kernels[0].instructions[9..15].iter().map(line).collect();
    assert_eq!(lines, [("EXIT", 12), ("FMUL", 3), ("FMUL", 7), ("HFMA2", 7), ("RET", 7), ("BRA", 7)]);
    assert!(program.kernels[0].instructions.iter().all(|it| it.origin.source_file == Some(0)));
}

/// The header of the one unit of `.debug_line`: its length, its version and the length of the rest of the header.
const HEADER: [u8; 10] = [0x5f, 0, 0, 0, 2, 0, 0x2a, 0, 0, 0];

/// The cubin with one byte of that header changed.
fn with_header_byte(index: usize, byte: u8) -> Vec<u8> {
    let at = CUBIN.windows(HEADER.len()).position(|window| window == HEADER).unwrap();
    let mut bytes = CUBIN.to_vec();
    bytes[at + index] = byte;
    bytes
}

#[test]
fn damaged_line_information_is_one_fault_with_advice() {
    let faults = read_cubin(&with_header_byte(0, 0x5e), JSON).unwrap_err();
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["the line information in .debug_line is damaged; compile without -lineinfo"]);
}

#[test]
fn line_information_of_an_unknown_version_is_left_out() {
    let program = read_cubin(&with_header_byte(4, 9), JSON).unwrap();
    assert!(program.files.is_empty());
    assert!(program.kernels[0].instructions.iter().all(|it| it.origin.source_file.is_none()));
}
