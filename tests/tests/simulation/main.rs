//! Tests that simulate: one binary, so that what several of them look at is simulated once (`warplab_tests::sweep`).

mod accuracy;
mod course;
mod cubin;
mod deviations;
mod experiments;
mod halves;
mod hardware;
mod hazards;
mod isa;
mod laws;
mod load_store;
mod machine_code;
mod monotony;
mod runtime;
mod sampling;
mod sequences;
mod shared_units;
mod small_deviations;
mod tensor;
mod tensor_copies;
mod tensor_programs;
mod textbook;
mod unseen;
mod waits;
mod warpgroups;
mod waves;
