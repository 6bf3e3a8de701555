//! Kernels of the hardware reference that are ordered for fewer registers than their quickest order takes, so that more warps fit.

use crate::common::{lowered, options, text};

/// What a kernel takes; in brackets what it takes with ptxas.
fn registers(suite: &str, kernel: &str) -> u32 {
    let file = format!("{suite}.ptx");
    let lowered = lowered(&file, text(&file), &options());
    let found = lowered.program.kernels.iter().find(|it| it.name == kernel);
    found.expect("the suite has it").registers
}

#[test]
fn a_sum_of_squares_leaves_room_for_64_warps() {
    assert_eq!(registers("everyday", "k_rms_norm"), 32); // 32
}

#[test]
fn an_unrolled_stencil_takes_a_third_fewer() {
    assert_eq!(registers("compilers", "k_stencil_2d"), 48); // 48
}

#[test]
fn tests_of_bits_take_no_registers_over_a_barrier() {
    assert_eq!(registers("ordinary", "k_bitonic_shared"), 32); // 29
}

#[test]
fn what_is_read_seldom_is_made_again_in_a_game_of_life() {
    assert_eq!(registers("clusters", "k_life"), 46); // 32
}

#[test]
fn loads_of_one_part_do_not_take_the_registers_of_all() {
    assert_eq!(registers("unseen/r_miniapps", "quda_wilson_dslash12"), 78); // 72
}
