//! Instructions of real machine code that are known and that the simulator has not.

/// What an opcode belongs to that is not simulated.
pub(super) fn missing_unit(opcode: &str) -> Option<&'static str> {
    const UNITS: [(&str, &[&str]); 5] = [
        ("products of matrices of bits by four warps (wgmma.b1)", &["BGMMA"]),
        ("products of matrices of bits or of floats of eight bits", &["BMMA", "QMMA"]),
        ("texture units", &["TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ", "TEXS", "TLDS", "TLD4S"]),
        ("surfaces", &["SUATOM", "SULD", "SUQUERY", "SURED", "SUST"]),
        ("the barrier of a cluster as a value", &["UCGABAR_GET", "UCGABAR_SET"]),
    ];
    UNITS.iter().find(|(_, opcodes)| opcodes.contains(&opcode)).map(|(unit, _)| *unit)
}
