//! Throwaway.
fn main() {
    let config = warplab_tests::gpu(&std::env::args().nth(1).unwrap());
    let program = warplab_tests::compile(&config, &std::env::args().nth(2).unwrap());
    println!("{}", warplab_program::listing::write(&program));
}
