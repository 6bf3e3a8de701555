//! Tensor maps that a kernel writes (`tensormap`): the words that the driver makes of the same tensor.

use crate::programs::{check, kernel};
use warplab_exec::tensor_map::{TensorElement, TensorMap};

/// The first halves of the words of a map; what stands behind them `tensormap.replace` does not write.
fn words(map: &TensorMap) -> Vec<u32> {
    let bytes = map.encode();
    bytes.as_chunks::<4>().0[..16].iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn fields_are_written_as_the_driver_lays_them_out() {
    let map = TensorMap {
        base: 0x12_3456_7890,
        element: TensorElement::Tf32,
        dimensions: 3,
        sizes: [100, 50, 20, 1, 1],
        strides: [400, 20_000, 0, 0],
        box_sizes: [32, 16, 8, 1, 1],
        steps: [1, 2, 1, 1, 1],
        swizzle: 128,
        promotion: 0,
        fills_with_nan: true,
    };
    let fields = [
        "global_address.shared::cta.b1024.b64 [m], 0x1234567890",
        "rank.shared::cta.b1024.b32 [m], 2",
        "box_dim.shared::cta.b1024.b32 [m], 0, 32",
        "box_dim.shared::cta.b1024.b32 [m], 1, 16",
        "box_dim.shared::cta.b1024.b32 [m], 2, %r5",
        "global_dim.shared::cta.b1024.b32 [m], 0, 100",
        "global_dim.shared::cta.b1024.b32 [m], 1, 50",
        "global_dim.shared::cta.b1024.b32 [m], 2, 20",
        "global_stride.shared::cta.b1024.b64 [m], 0, %rd5",
        "global_stride.shared::cta.b1024.b64 [m], 1, 20000",
        "element_stride.shared::cta.b1024.b32 [m], 1, 2",
        "elemtype.shared::cta.b1024.b32 [m], 11",
        "swizzle_mode.shared::cta.b1024.b32 [m], 3",
        "fill_mode.shared::cta.b1024.b32 [m], 1",
    ];
    let replace: String = fields.map(|field| format!("@%p1 tensormap.replace.tile.{field};\n")).concat();
    let body = format!(
        ".shared .align 128 .b8 m[128]; mov.u32 %r2, m; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r4, 0; mov.u32 %r5, 8; mov.u64 %rd5, 400;\n\
         st.shared.u32 [%r3], %r4; bar.sync 0; setp.eq.u32 %p1, %r1, 0;\n{replace}bar.sync 0; ld.shared.u32 %r0, [%r3];"
    );
    let expected = words(&map);
    check(&kernel("", "", &body), 32, |lane| expected.get(lane as usize).copied().unwrap_or(0));
}

#[test]
fn a_warp_copies_a_map_to_global_memory() {
    let declarations = ".global .align 128 .b8 g[128];";
    let body = ".shared .align 128 .b8 m[128]; mov.u32 %r2, m; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mad.lo.u32 %r4, %r1, 7, 3; st.shared.u32 [%r3], %r4; bar.warp.sync -1;\n\
        mov.u64 %rd5, g; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd5], [m], 128;\n\
        fence.proxy.tensormap::generic.acquire.gpu [%rd5], 128; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd5, %rd6; ld.volatile.global.u32 %r0, [%rd6];";
    check(&kernel("", declarations, body), 32, |lane| 7 * lane + 3);
}
