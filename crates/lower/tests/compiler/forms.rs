//! Every form of a PTX instruction as a line of PTX, from the table that the reader checks programs with.

use std::collections::BTreeSet;
use warplab_diagnostics::Source;
use warplab_ptx::tree::Opcode;
use warplab_ptx::{Form, form, parse};

/// Registers of every width, variables of every space and the functions that the lines name.
const BEFORE: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n\
    .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
    .global .align 16 .b8 g[64]; .const .align 16 .b8 c[64]; .shared .align 16 .b8 s[64];\n\
    .func (.reg .b32 %r) again(.reg .b32 %n) { .reg .pred %q; setp.eq.u32 %q, %n, 0; @%q bra END; call (%n), again, (%n); END: mov.u32 %r, %n; ret; }\n";
const INSIDE: &str =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<9>;\n";

/// Lines whose operands the table leaves open.
const OPEN: &[(Opcode, &[&str])] = &[
    // A result that nothing reads would make it a reduction.
    (Opcode::Atom, &["atom.global.add.u32 %r1, [%d7], %r2; atom.global.add.u32 %r3, [%d7], %r1"]),
    (Opcode::Atom, &["atom.add.u32 %r1, [%d7], %r2; atom.add.u32 %r3, [%d7], %r1"]),
    (Opcode::Exit, &["@%p1 exit"]),
    (Opcode::Ret, &["@%p1 ret", "call (%r1), again, (%r2)"]),
    (
        Opcode::Bar,
        &[
            "bar.sync 0",
            "bar.sync %r1, %r2",
            "bar.arrive 1, 64",
            "bar.warp.sync 0xffffffff",
            "bar.warp.sync %r1",
        ],
    ),
    (
        Opcode::Bar,
        &["bar.red.and.pred %p1, 0, %p2", "bar.red.or.pred %p1, 0, 64, %p2", "bar.red.popc.u32 %r1, 0, %p2"],
    ),
    (
        Opcode::Barrier,
        &[
            "barrier.sync 0",
            "barrier.sync.aligned %r1, %r2",
            "barrier.arrive 1, 64",
            "barrier.red.popc.u32 %r1, 0, %p2",
        ],
    ),
    (Opcode::Barrier, &["barrier.cluster.arrive", "barrier.cluster.wait"]),
    (Opcode::Bra, &["@%p1 bra AFTER", "bra AFTER"]),
    (Opcode::Brx, &["brx.idx %r1, TABLE"]),
    (
        Opcode::Call,
        &[
            "call (%r1), again, (%r2)",
            "{ .param .b64 a; .param .b64 b; .param .b32 c; call (c), vprintf, (a, b); }",
        ],
    ),
    (
        Opcode::Cp,
        &["cp.async.ca.shared.global [%r7], [%d1], 16", "cp.async.cg.shared.global [%r7], [%d1], 16, %r1"],
    ),
    (Opcode::Cp, &["cp.async.commit_group", "cp.async.wait_group 1", "cp.async.wait_all"]),
    (
        Opcode::Cp,
        &[
            "cp.async.mbarrier.arrive.shared::cta.b64 [%r7]",
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r7]",
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%d1], %r1, [%r2]",
            "cp.async.bulk.global.shared::cta.bulk_group [%d1+16], [%r7], 64",
            "cp.async.bulk.prefetch.L2.global [%d1], 64",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d1], [%r7], %r1",
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r7], [%d1, {%r1, %r3}], [%r2]",
            "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%d1+128, {%r1, %r3, 0, 1, 2}], [%r7]",
            "cp.async.bulk.prefetch.tensor.1d.L2.global [%d1, {%r1}]",
            "cp.reduce.async.bulk.tensor.3d.global.shared::cta.max.bulk_group [%d1, {%r1, %r1, 7}], [%r7]",
        ],
    ),
    (
        Opcode::Cp,
        &["cp.async.bulk.commit_group", "cp.async.bulk.wait_group 1", "cp.async.bulk.wait_group.read 0"],
    ),
    (
        Opcode::Mbarrier,
        &["mbarrier.init.shared::cta.b64 [%r7], %r1", "mbarrier.init.shared::cta.b64 [%r7], 5"],
    ),
    (
        Opcode::Tensormap,
        &[
            "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r7], %d1",
            "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r7], 1, %d1",
            "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r7], 2, %r1",
            "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r7], 11",
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r7], 128",
        ],
    ),
    (Opcode::Mbarrier, &["mbarrier.inval.shared::cta.b64 [%r7]", "mbarrier.pending_count.b64 %r1, %d1"]),
    (
        Opcode::Mbarrier,
        &[
            "mbarrier.arrive.shared::cta.b64 %d1, [%r7]",
            "mbarrier.arrive.shared::cta.b64 _, [%r7], %r1",
            "mbarrier.arrive.b64 %d1, [%d7]",
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], %r1",
            "mbarrier.arrive.release.cluster.shared::cta.b64 _, [%r7]",
            "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d1, [%r7], 2",
            "mbarrier.arrive_drop.shared::cta.b64 %d1, [%r7]",
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r7], 16",
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r7], %r1",
        ],
    ),
    (
        Opcode::Mbarrier,
        &[
            "mbarrier.test_wait.shared::cta.b64 %p1, [%r7], %d1",
            "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r7], 0",
            "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r1, %r2",
        ],
    ),
    (Opcode::Fence, &["fence.proxy.async", "fence.proxy.async.shared::cta", "fence.proxy.async.global"]),
    (Opcode::Fence, &["fence.mbarrier_init.release.cluster"]),
    (Opcode::Createpolicy, &["createpolicy.fractional.L2::evict_last.b64 %d1, 1.0"]),
    (Opcode::Ldmatrix, &["ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%d7]"]),
    (Opcode::Ldmatrix, &["ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%d7]"]),
    (
        Opcode::Mma,
        &[
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r6, %r7}",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r1, %r2}, \
             {%r1, %r2, %r3, %r4}",
            "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6}",
            "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6}",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6}",
        ],
    ),
    (Opcode::Movmatrix, &["movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2"]),
    (Opcode::Mov, &["mov.u32 %r1, %tid.x", "mov.u32 %r1, %clock", "mov.u64 %d1, %clock64", "mov.u64 %d1, g"]),
    (Opcode::Mov, &["mov.b64 {%r1, %r2}, %d1", "mov.b64 %d1, {%r1, %r2}", "mov.b32 {%h1, %h2}, %r1"]),
    (
        Opcode::Wgmma,
        &[
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d1, %d2, %p1, 1, -1, 0, 1",
            "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, %d2, 0, 1, 1, 0",
            "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, %d2, 1, 1, 1",
            "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%r1, %r2, %r3, %r4}, %d1, %d1, 1, 1, 1",
            "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {%r1, %r2, %r3, %r4}, %d1, %d1, %p1",
        ],
    ),
    (
        Opcode::Wgmma,
        &["wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned 1"],
    ),
    (
        Opcode::Wmma,
        &[
            "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d1], %r0",
            "wmma.load.b.sync.aligned.row.m16n16k16.global.bf16 {%r1, %r2, %r3, %r4}, [%d1], 32",
            "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [s+32], 16",
            "wmma.load.a.sync.aligned.col.m16n16k16.shared.s8 {%r1, %r2}, [%r7], 16",
            "wmma.load.c.sync.aligned.row.m8n8k4.f64 {%d1, %d2}, [%d7]",
            "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, \
             {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1}, {%r1, %r2, %r3, %r4}",
            "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4}, \
             {%r5}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}",
            "wmma.mma.sync.aligned.col.row.m8n8k4.f64.f64.f64.f64.rn {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6}",
            "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d1], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, %r0",
            "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%d1], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, %r0",
            "wmma.store.d.sync.aligned.col.m8n8k4.f64 [%d7], {%d1, %d2}",
        ],
    ),
    (Opcode::Stmatrix, &["stmatrix.sync.aligned.m8n8.x1.shared.b16 [%d7], {%r1}"]),
    (Opcode::Stmatrix, &["stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%d7], {%r1, %r2, %r3, %r4}"]),
];

/// What stands in front of an instruction that branches and behind it.
fn around(line: &str) -> [&'static str; 2] {
    match line {
        _ if line.contains("TABLE") => {
            ["TABLE: .branchtargets AFTER, OTHER;\n", "OTHER: membar.cta;\nAFTER: "]
        }
        _ if line.contains("AFTER") => ["", "membar.cta;\nAFTER: "],
        _ => ["", ""],
    }
}

/// A module with a kernel for every line; the kernel of line 7 is named `k7`.
pub(crate) fn module(lines: &[String]) -> String {
    let kernels = lines.iter().enumerate().map(|(at, line)| {
        let [before, after] = around(line);
        format!(
            ".visible .entry k{at}(.param .u64 p) .maxnreg 128 {{\n{INSIDE}{before}{line};\n{after}ret;\n}}\n"
        )
    });
    BEFORE.to_owned() + &kernels.collect::<String>()
}

/// The lines of an opcode that the reader accepts: every choice of types and of the modifiers that must be written,
/// and each modifier that may be.
pub(crate) fn lines(opcode: Opcode) -> Vec<String> {
    let form = form(opcode);
    let needed = choices(&form.needed);
    let mut lines: Vec<String> = open(opcode).map(str::to_owned).collect();
    if matches!(opcode, Opcode::Wgmma | Opcode::Wmma) {
        // Their tables take anything for an operand and up to four of many types.
        return accepted(lines);
    }
    for types in types(&form) {
        let optional = form.allowed.iter().flatten().map(|name| format!("{}.{name}", needed[0]));
        let modifiers: BTreeSet<String> = needed.iter().cloned().chain(optional).collect();
        for modifiers in modifiers {
            let lists = operand_lists(opcode, &modifiers, &form, &types);
            let ending = types.iter().map(|ty| format!(".{ty}")).collect::<String>();
            lines.extend(lists.iter().map(|list| format!("{opcode}{modifiers}{ending} {list}")));
        }
    }
    accepted(lines)
}

fn open(opcode: Opcode) -> impl Iterator<Item = &'static str> {
    OPEN.iter().filter(move |(of, _)| *of == opcode).flat_map(|(_, lines)| lines.iter().copied())
}

/// One modifier of each group, in all ways.
fn choices(groups: &[Vec<&str>]) -> Vec<String> {
    groups.iter().fold(vec![String::new()], |heads, group| {
        heads.iter().flat_map(|head| group.iter().map(move |name| format!("{head}.{name}"))).collect()
    })
}

/// As many types as are written, in all ways; of three the last is the first.
fn types(form: &Form) -> Vec<Vec<&'static str>> {
    let names = &form.types;
    let of_count = |count: usize| -> Vec<Vec<&'static str>> {
        match count {
            0 => vec![Vec::new()],
            1 => names.iter().map(|&ty| vec![ty]).collect(),
            2 => names.iter().flat_map(|&to| names.iter().map(move |&from| vec![to, from])).collect(),
            _ => names.iter().flat_map(|&ty| names.iter().map(move |&other| vec![ty, other, ty])).collect(),
        }
    };
    let (least, most) = form.type_count;
    (least..=most.min(3)).flat_map(of_count).collect()
}

/// The bits of a register for a type; narrow types travel in 16.
fn width(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" | "tf32" => 32,
        _ => ty
            .trim_matches(|letter: char| !letter.is_ascii_digit())
            .parse()
            .map_or(16, |bits: u32| bits.max(16)),
    }
}

fn register(bits: u32, number: usize) -> String {
    let letter = match bits {
        1 => 'p',
        16 => 'h',
        32 => 'r',
        64 => 'd',
        _ => 'q',
    };
    format!("%{letter}{number}")
}

/// Operands that might fit: registers of the width of a type, twice as wide, or of 32 bits.
fn operand_lists(opcode: Opcode, modifiers: &str, form: &Form, types: &[&str]) -> Vec<String> {
    let widths = match (types.first(), types.last()) {
        (Some(first), Some(last)) => BTreeSet::from([width(first), width(last), 2 * width(first), 32]),
        _ => BTreeSet::from([32, 64]),
    };
    let place = |(number, name): (usize, &String)| match name.as_str() {
        "p|q" => vec!["%p1".to_owned(), "%p1|%p2".to_owned()],
        "r" => vec!["%p3".to_owned()],
        "[address]" if modifiers.contains(".param") => vec!["[p]".to_owned()],
        "[address]" => vec!["[%d7]".to_owned()],
        "policy" => vec!["%d8".to_owned()],
        "target" => vec!["AFTER".to_owned()],
        "constant" => vec!["1".to_owned()],
        "d" if opcode == Opcode::Cvt => vec![register(width(types[0]), number)],
        _ if opcode == Opcode::Cvt => vec![register(width(types[types.len() - 1]), number)],
        _ => widths.iter().map(|&bits| register(bits, number)).collect(),
    };
    let places: Vec<Vec<String>> = form.operands.iter().enumerate().map(place).collect();
    // Only pairs are made of two sources.
    let most = if opcode == Opcode::Cvt && !types[0].ends_with("x2") { 2 } else { places.len() };
    let mut lists = Vec::new();
    for count in form.required..=most {
        let all = places[..count].iter().fold(vec![String::new()], |heads, choices| {
            let join = |head: &String, choice: &String| match head.as_str() {
                "" => choice.clone(),
                _ => format!("{head}, {choice}"),
            };
            heads.iter().flat_map(|head| choices.iter().map(move |choice| join(head, choice))).collect()
        });
        lists.extend(all);
    }
    lists
}

/// Lines that are read at once; each has a few faults at most.
const AT_ONCE: usize = 2_000;

/// The lines that the reader accepts.
fn accepted(lines: Vec<String>) -> Vec<String> {
    let mut good = Vec::new();
    for lines in lines.chunks(AT_ONCE) {
        let faulty = faulty(lines);
        good.extend(
            lines.iter().enumerate().filter(|(at, _)| !faulty.contains(at)).map(|(_, line)| line.clone()),
        );
    }
    good
}

/// The numbers of the lines in which the reader finds a fault.
fn faulty(lines: &[String]) -> BTreeSet<usize> {
    let head = format!("{BEFORE}.visible .entry k(.param .u64 p) {{\n{INSIDE}TABLE: .branchtargets AFTER;\n");
    let first = head.lines().count();
    let text = format!("{head}{};\nAFTER: ret;\n}}\n", lines.join(";\n"));
    let source = Source::new("forms.ptx", text);
    let faults = parse(&source).diagnostics;
    faults.iter().map(|fault| source.line(fault.span.start) as usize - 1 - first).collect()
}
