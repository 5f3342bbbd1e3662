//! Captures as frames: pcap (us and ns) and pcapng, in both byte orders, of link type 127 (radiotap). Streaming: one block at a
//! time is in memory. Nothing here trusts a length that it has read.

mod dot11;
mod file;
mod packet;
mod radiotap;

pub use file::{Failure, FileInfo, read};

use crate::frame::Frame;

/// One captured frame: `data` what was kept of it, `whole` how long it was on the wire (radiotap header included). None: so short, or
/// so damaged, that it is no frame.
pub fn frame(data: &[u8], whole: u32, time: u64) -> Option<Frame> {
    let mut f = Frame { time, ..Frame::EMPTY };
    let head = radiotap::header(data, &mut f)?;
    // No MPDU is longer than 16 bits can say; a length beyond is damage.
    f.len = (whole.saturating_sub(head.len as u32).min(u32::from(u16::MAX) - 4)) + if head.fcs { 0 } else { 4 };
    dot11::mpdu(&data[head.len..], head.pad, head.fcs, &mut f)?;
    Some(f)
}
