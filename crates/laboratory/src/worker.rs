//! What JavaScript sees of the laboratory.

use crate::Desk;
use warplab_gpu::Progress;
use wasm_bindgen::prelude::wasm_bindgen;

/// The laboratory as JavaScript has it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Laboratory {
    desk: Desk,
}

#[wasm_bindgen]
impl Laboratory {
    /// An empty laboratory: the first request brings the files.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Laboratory {
        Laboratory::default()
    }

    /// Answers a request, both as JSON.
    pub fn answer(&mut self, request: &str) -> String {
        let mut last = 0;
        self.desk.answer(request, &mut |now: Progress| {
            // A call into JavaScript costs more than a short epoch.
            if now.instructions.saturating_sub(last) >= INSTRUCTIONS_PER_CALL {
                last = now.instructions;
                note_progress(now.cycle as f64, now.blocks_dispatched as f64, now.blocks as f64);
            }
        })
    }
}

#[wasm_bindgen]
extern "C" {
    /// What the worker does when a run has come further: cycles, blocks given out, blocks of the grid.
    #[wasm_bindgen(js_name = noteProgress)]
    fn note_progress(cycle: f64, given: f64, blocks: f64);
}

/// Warp instructions between two notes of progress.
const INSTRUCTIONS_PER_CALL: u64 = 50_000;
