use super::{instruction_text, read, read_instruction, write};
use crate::operand::Operand;
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
    "ACQBULK",
    "FMUL.FTZ.D4 R0, R0, R7",
    "VIMNMX.S16x2 R7, P0, P1, R0, R5, !PT",
    "VIADD.16x2 R11, R2, -R5",
    "VABSDIFF4.U8.ACC R12, R3, R0, RZ",
    "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R10.64], R4",
    "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R8, R0, R11, RZ",
    "UP2UR UR43, UPR, URZ, 0x2",
    "WARPSYNC.COLLECTIVE.ALL 0x0",
    "DEPBAR.LE SB5, 0xf",
    "DEPBAR {5,4,0}",
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
fn a_nan_of_either_kind_is_read() {
    let immediate = |text: &str| {
        let instruction = read_instruction(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        instruction.operands.iter().find_map(|operand| match operand {
            Operand::Immediate(bits) => Some(*bits),
            _ => None,
        })
    };
    assert_eq!(immediate("FSEL R3, R19, +QNAN , P2"), Some(0x7fff_ffff));
    assert_eq!(immediate("FSEL R3, R19, -SNAN , P2"), Some(0xffa0_0000));
    assert_eq!(immediate("DADD R2, R4, +SNAN "), Some(0x7ff4_0000));
    assert_eq!(immediate("FSEL R3, R19, 0x7f800001, P2"), Some(0x7f80_0001));
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

/// The messages of the faults of the only kernel of a listing.
fn refused(text: &str) -> Vec<String> {
    let (program, faults) = read(&Source::new("k.sass", text));
    assert_eq!((faults.len(), program.kernels.len(), program.refused.len()), (0, 0, 1), "{faults:?}");
    program.refused[0].reasons.iter().map(ToString::to_string).collect()
}

#[test]
fn every_fault_of_a_kernel_is_reported() {
    assert_eq!(
        refused(".kernel k\nFFMB R1, R2\nLDG.Q R1, [R2]\nBRA 0x100\n"),
        [
            "unknown opcode 'FFMB'; did you mean 'FFMA'?",
            "unknown modifier '.Q' of LDG; did you mean '.8'?",
            "the target 0x100 is past the end of kernel 'k'"
        ]
    );
}

#[test]
fn a_kernel_that_cannot_be_read_keeps_no_other_from_it() {
    let text = ".kernel first\nEXIT\n.kernel second\nFFMB R1, R2\nEXIT\n.kernel third\nEXIT\n";
    let (program, faults) = read(&Source::new("k.sass", text));
    assert_eq!(faults, []);
    assert_eq!(program.kernel_names(), ["first", "third", "second"]);
    let refused = program.refusal("second").expect("it is refused");
    assert_eq!(refused.kernel.instructions.len(), 2);
    let written = write(&program);
    assert!(
        written.ends_with(".refused second\n.reason unknown opcode 'FFMB'; did you mean 'FFMA'?\n"),
        "{written}"
    );
    let (again, faults) = read(&Source::new("again.sass", written.clone()));
    assert_eq!(faults, []);
    assert_eq!(again.kernel_names(), program.kernel_names());
    let reasons =
        |program: &crate::Program| program.refused.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(reasons(&again), reasons(&program));
}

#[test]
fn an_address_of_a_reason_is_read_back() {
    let text = ".refused k\n.reason 0x00a0 'TEX R1': unknown opcode 'TEX'\n";
    let (program, faults) = read(&Source::new("k.sass", text));
    assert_eq!(faults, []);
    assert_eq!(program.refused[0].reasons[0].address, Some(0xa0));
    assert_eq!(write(&program), text);
}

#[test]
fn what_a_listing_asks_for_has_limits() {
    let cases = [
        (
            ".parameter x offset=4294967295 bytes=8",
            "4294967831 bytes of constant bank 0 with the parameters; at most 65536 are possible",
        ),
        (
            ".parameter x offset=4294967296 bytes=8",
            "4294967832 bytes of constant bank 0 with the parameters; at most 65536 are possible",
        ),
        (
            ".parameter x offset=18446744073709551615 bytes=8",
            "18446744073709551615 bytes of constant bank 0 with the parameters; at most 65536 are possible",
        ),
        (".local 1000000000", "1000000000 bytes of local memory a thread; at most 524288 are possible"),
        (
            ".parameter_base 4294967295",
            "4294967295 bytes of constant bank 0 with the parameters; at most 65536 are possible",
        ),
        (".registers 0", "0 registers a thread; 1 to 65535 are possible"),
        (".barriers 4294967295", "4294967295 block barriers; at most 16 are possible"),
        (".shared 4294967295", "4294967295 bytes of static shared memory; at most 16777216 are possible"),
        (".max_block 4294967295 4294967295 2", "4294967295 threads of a block; 1 to 1024 are possible"),
        (".required_block 0 1 1", "0 threads of a block; 1 to 1024 are possible"),
        (".constant 300 data=00", "constant bank 300 does not exist; known are 1 to 7"),
        (".constant 0 data=00", "constant bank 0 does not exist; known are 1 to 7"),
        (
            ".constant 3 data=00 address=4294967295:x+0",
            "the address at offset 4294967295 is outside the 1 bytes",
        ),
    ];
    for (line, message) in cases {
        assert_eq!(refused(&format!(".kernel k\n{line}\nEXIT\n")), [message], "{line}");
    }
}

#[test]
fn variables_of_a_listing_have_limits() {
    let cases = [
        (
            "bytes=1152921504606846976",
            "1152921504606846976 bytes of a variable; at most 281474976710656 are possible",
        ),
        ("bytes=8 align=0", "an alignment of 0; a power of two up to 1048576 is possible"),
        ("bytes=1 data=0000", "2 initial bytes for a variable of 1 bytes"),
        ("bytes=8 address=1:x+0", "the address at offset 1 is outside the 8 bytes"),
    ];
    for (fields, message) in cases {
        let (_, faults) = read(&Source::new("k.sass", format!(".global g {fields}\n.kernel k\nEXIT\n")));
        let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(messages, [message], "{fields}");
    }
}

#[test]
fn files_and_architectures_that_are_not_there_are_faults() {
    let text = ".arch 90\n.file 1 \"a.cu\"\n.kernel k\nat=0:3 EXIT ;\n";
    let (_, faults) = read(&Source::new("k.sass", text));
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(messages, ["'90' is no architecture", "file 1 where file 0 is expected"]);
    assert_eq!(
        refused(".kernel k\nat=0:3 EXIT ;\n"),
        ["there is no file 0; files have lines '.file NUMBER NAME' before the first kernel, counted from 0"]
    );
}
