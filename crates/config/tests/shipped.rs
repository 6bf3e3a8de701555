//! Every file of `configs/` loads, and says what its documents say.

use warplab_config::{GpuConfig, load_gpu};
use warplab_diagnostics::{Source, render};

fn gpu(name: &str) -> GpuConfig {
    let path = format!("{}/../../configs/gpus/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new(format!("{name}.ron"), std::fs::read_to_string(path).unwrap());
    load_gpu(&source).unwrap_or_else(|faults| panic!("{}", render(&source, &faults)))
}

#[test]
fn the_dram_of_each_machine_has_the_bandwidth_of_its_document() {
    for (name, expected) in [("h200", 4.813e12)] {
        let found = gpu(name).dram_bytes_per_second();
        assert!((found / expected - 1.0).abs() < 1e-3, "{name}: {found} bytes a second, not {expected}");
    }
}
