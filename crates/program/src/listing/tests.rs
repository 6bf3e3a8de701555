use super::{instruction_text, read, read_instruction, write};
use warplab_diagnostics::Source;

/// Instructions as a disassembler prints them.
const LINES: &[&str] = &[
    "LDC R1, c[0x0][0x28]",
    "S2R R9, SR_CTAID.X",
    "IMAD.WIDE R2, R9.reuse, 0x4, R2",
    "LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x80]",
    "STG.E desc[UR4][R6.64+-0x80], R9",
    "@!P0 BRA 0x0",
    "LOP3.LUT P0, RZ, R0, UR5, RZ, 0xc0, !PT",
    "FSETP.GT.OR P3, PT, R9, RZ, !P0",
    "FFMA R7, R9.reuse, -R8, -1",
    "FMUL R7, |R9|, 0.000030517578",
    "FADD R1, -|R2|, +INF",
    "DFMA R4, R4, 5e-1, R6",
    "IADD3 R6, P0, R2, R4, RZ",
    "IADD3.X R7, R3, ~R5, RZ, P0, !PT",
    "MUFU.RCP R3, c[0x3][R4+0x10]",
    "SHFL.BFLY PT, R4, R5, 0x1, 0x1f",
    "BSSY B1, 0x0",
    "HADD2.F32 R3, -RZ, R4.H0_H0",
    "LDS.64 R2, [R3.X8+UR4+0x10]",
    "ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R7",
    "BAR.SYNC.DEFER_BLOCKING 0x0",
    "EXIT",
];

#[test]
fn an_instruction_prints_as_it_was_read() {
    for line in LINES {
        let instruction = read_instruction(line).unwrap_or_else(|fault| panic!("{line}: {fault:?}"));
        assert_eq!(instruction_text(&instruction), *line);
    }
}

#[test]
fn a_program_reads_back_as_it_was_written() {
    let mut text = String::from(
        ".arch sm_90\n.file 0 \"a.cu\"\n.global table bytes=16 align=8 data=0102 address=8:other+4\n.kernel k\n.registers 12\n.shared 128\n.local 0\n.barriers 1\n.max_block 256 1 1\n.parameter_base 0x210\n.parameter x offset=0 bytes=8 type=u64\n.constant 3 data=00ff\n",
    );
    for line in LINES {
        text.push_str(&format!("stall=4 yield=0 wr=1 rd=- wait=000011 at=0:7 {line} ;\n"));
    }
    let (program, faults) = read(&Source::new("k.sass", text));
    assert_eq!(faults, []);
    let written = write(&program);
    let (again, faults) = read(&Source::new("k.sass", written.clone()));
    assert_eq!(faults, []);
    assert_eq!(write(&again), written);
    assert_eq!(program.kernels[0].instructions.len(), LINES.len());
    assert_eq!(program.globals[0].relocations[0].symbol, "other");
    assert_eq!(again.architecture, Some(90));
    let origin = again.kernels[0].instructions[0].origin;
    assert_eq!((origin.source_file, origin.source_line), (Some(0), 7));
}

#[test]
fn every_fault_of_a_listing_is_reported() {
    let (_, faults) = read(&Source::new("k.sass", ".kernel k\nFFMB R1, R2\nLDG.Q R1, [R2]\nBRA 0x100\n"));
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown opcode 'FFMB'",
            "unknown modifier '.Q' of LDG",
            "the target 0x100 is past the end of kernel 'k'"
        ]
    );
    assert_eq!(faults[0].help, "did you mean 'FFMA'?");
}

#[test]
fn files_and_architectures_that_are_not_there_are_faults() {
    let text = ".arch 90\n.file 1 \"a.cu\"\n.kernel k\nat=0:3 EXIT ;\n";
    let (_, faults) = read(&Source::new("k.sass", text));
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        ["'90' is no architecture", "file 1 where file 0 is expected", "there is no file 0"]
    );
}
