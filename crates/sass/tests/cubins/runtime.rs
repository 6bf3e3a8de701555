//! What a cubin says of functions of the driver, of stacks, and of functions that pointers reach.

use warplab_program::{Instruction, Opcode, Program, SystemCall};
use warplab_sass::read_cubin;

fn program() -> Program {
    read_cubin(include_bytes!("../runtime.cubin"), include_str!("../runtime.json")).unwrap()
}

#[test]
fn the_address_of_a_function_of_the_driver_stands_in_the_bank_of_addresses() {
    let program = program();
    let bank = program.kernel("prints").unwrap().constant_banks.iter().find(|bank| bank.bank == 4).unwrap();
    let words: Vec<u64> =
        bank.bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    assert!(words.contains(&SystemCall::Print.address()), "{words:x?}");
}

#[test]
fn functions_that_pointers_reach_are_listed_and_the_others_are_not() {
    let program = program();
    let virtuals = program.kernel("virtuals").unwrap();
    assert!(virtuals.instructions.iter().any(Instruction::calls_through_register));
    let names: Vec<&str> = virtuals.functions.iter().map(|function| function.name.as_str()).collect();
    assert!(names.contains(&"_ZNK6Square5sidesEv") && names.contains(&"_ZNK8Triangle5sidesEv"), "{names:?}");
    for function in &virtuals.functions {
        // Pointers hold the place in the kernel's own code, which comes before the end.
        assert_eq!(function.address, u64::from(function.start) * 16);
        assert!((function.start as usize) < virtuals.instructions.len());
    }
    assert!(program.kernel("recursion").unwrap().functions.is_empty());
}

#[test]
fn a_stack_of_unknown_need_has_the_size_of_the_driver() {
    let program = program();
    assert_eq!(program.kernel("recursion").unwrap().local_bytes, 1024);
    assert_eq!(program.kernel("virtuals").unwrap().local_bytes, 1024);
}

#[test]
fn a_return_address_is_a_code_address_of_the_kernel() {
    let program = program();
    let prints = program.kernel("prints").unwrap();
    let at = prints.instructions.iter().position(|found| found.opcode == Opcode::Call).unwrap();
    let lepc = prints.instructions.iter().find(|found| found.opcode == Opcode::Lepc).unwrap();
    assert_eq!(lepc.target().map(|target| target as usize), Some(at + 1));
}

#[test]
fn a_function_that_the_driver_does_not_have_here_is_named() {
    let program = read_cubin(include_bytes!("../aligned.cubin"), include_str!("../aligned.json")).unwrap();
    let reasons = &program.refusal("aligned").expect("it is refused").reasons;
    let texts: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "calls '__cuda_syscall_aligned_malloc', which is not supported; of the functions of the driver there are \
          vprintf, __assertfail, malloc, free"
        ]
    );
}
