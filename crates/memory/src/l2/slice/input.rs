//! How requests pass into a slice: those of SMs through its port.

use super::{Asker, L2Spec, Slice};
use crate::message::Request;
use warplab_config::Ticks;

impl Slice {
    /// When a request that is looked up has passed in, where that takes time.
    #[inline]
    pub(super) fn pass_in(&mut self, spec: &L2Spec, request: &Request, asker: Asker) -> Option<Ticks> {
        let input = spec.input.as_ref()?;
        let time = if asker == Asker::OtherHalf { Ticks(0) } else { input.time(request) };
        Some(self.inbox(asker).passed().max(Ticks::from(request.at)) + time)
    }
}
