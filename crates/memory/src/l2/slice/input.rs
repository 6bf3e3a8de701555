//! How requests pass into a slice: those of SMs through its port, and a write not right behind another one of its line.

use super::{Asker, L2Spec, Slice};
use crate::message::Request;
use warplab_config::Ticks;

impl Slice {
    /// When a request that is looked up has passed in, where that takes time. Writes of a line wait for each other at its home.
    #[inline]
    pub(super) fn pass_in(
        &mut self,
        spec: &L2Spec,
        request: &Request,
        asker: Asker,
        is_home: bool,
    ) -> Option<Ticks> {
        let input = spec.input.as_ref()?;
        let time = if asker == Asker::OtherHalf { Ticks(0) } else { input.time(request) };
        let begin = self.inbox(asker).passed().max(Ticks::from(request.at));
        Some(if is_home { self.last_writes.pass(input, request, begin, time) } else { begin + time })
    }
}
