//! A pcapng file: one section, one interface, names, packets with nanosecond time stamps.
//!
//! Stands for: draft-ietf-opsawg-pcapng, little endian: Section Header, Interface Description, Name Resolution, Enhanced Packet.

use super::{cuts, kept, mpdu, radiotap};
use crate::air::Inside;
use crate::frame::Frame;
use crate::names::Names;
use std::io::{self, Write};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const RESOLUTION: u32 = 4;
const PACKET: u32 = 6;
/// LINKTYPE_IEEE802_11_RADIOTAP.
pub const RADIOTAP: u16 = 127;

/// What a file says of itself.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The program.
    pub program: &'a str,
    /// A comment on the whole file.
    pub comment: &'a str,
    /// The interface's name.
    pub interface: &'a str,
    /// Bytes of a frame that are kept, radiotap header not counted; 0: all.
    pub snaplen: u32,
    /// A-MSDUs are kept whole all the same: the headers of their MSDUs stand all over them.
    pub whole_amsdus: bool,
}

/// A file that is being written.
pub struct Pcapng<W> {
    out: W,
    block: Vec<u8>,
    most: usize,
    whole_amsdus: bool,
}

fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend((value.len() as u16).to_le_bytes());
    block.extend(value);
    block.resize(block.len().next_multiple_of(4), 0);
}

impl<W: Write> Pcapng<W> {
    /// Begins a file.
    pub fn new(out: W, about: &About<'_>, names: Option<&Names>) -> io::Result<Pcapng<W>> {
        let most = if about.snaplen == 0 { usize::MAX } else { about.snaplen as usize };
        let mut f = Pcapng { out, block: Vec::with_capacity(4096), most, whole_amsdus: about.whole_amsdus };
        f.begin(SECTION);
        f.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        f.block.extend([1, 0, 0, 0]);
        f.block.extend(u64::MAX.to_le_bytes()); // length of the section: not told
        option(&mut f.block, 4, about.program.as_bytes());
        option(&mut f.block, 1, about.comment.as_bytes());
        f.end(true)?;
        f.begin(INTERFACE);
        f.block.extend(RADIOTAP.to_le_bytes());
        f.block.extend([0, 0]);
        // The file's snap length counts the radiotap header too. libpcap refuses what is longer.
        let snap = if about.snaplen == 0 || about.whole_amsdus { 0 } else { about.snaplen + 64 };
        f.block.extend(snap.to_le_bytes());
        option(&mut f.block, 2, about.interface.as_bytes());
        option(&mut f.block, 9, &[9]); // 10^-9 s
        f.end(true)?;
        if let Some(names) = names {
            f.begin(RESOLUTION);
            for (node, name, _) in names.nodes() {
                let Some(ip) = names.address(node).map(u32::to_be_bytes) else { continue };
                f.block.extend(1u16.to_le_bytes());
                f.block.extend((4 + name.len() as u16 + 1).to_le_bytes());
                f.block.extend(ip);
                f.block.extend(name.as_bytes());
                f.block.push(0);
                f.block.resize(f.block.len().next_multiple_of(4), 0);
            }
            f.block.extend([0; 4]);
            f.end(false)?;
        }
        Ok(f)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]);
    }

    fn end(&mut self, options: bool) -> io::Result<()> {
        if options {
            self.block.extend([0; 4]);
        }
        let len = self.block.len() as u32 + 4;
        self.block[4..8].copy_from_slice(&len.to_le_bytes());
        self.block.extend(len.to_le_bytes());
        self.out.write_all(&self.block)
    }

    /// Bytes of a frame that are kept.
    fn most(&self, f: &Frame) -> usize {
        if self.whole_amsdus && f.amsdu.is_some() { usize::MAX } else { self.most }
    }

    /// Whether a frame is an A-MSDU of which it does not keep every header.
    pub fn cuts(&self, f: &Frame, inside: Inside<'_>) -> bool {
        cuts(f, inside.msdus, self.most(f))
    }

    /// Writes a frame, its octets if there are any, else what its fields and MSDUs say. `sent`: this is its sender's capture (and whether it was acknowledged), or its receiver's; none: a monitor's.
    pub fn frame(
        &mut self,
        f: &Frame,
        inside: Inside<'_>,
        sent: Option<Option<bool>>,
        comment: &str,
    ) -> io::Result<()> {
        self.begin(PACKET);
        self.block.extend([0; 4]);
        self.block.extend(((f.time >> 32) as u32).to_le_bytes());
        self.block.extend((f.time as u32).to_le_bytes());
        self.block.extend([0; 8]);
        let at = self.block.len();
        radiotap(f, sent.flatten(), &mut self.block);
        let head = self.block.len() - at;
        let most = self.most(f);
        let whole = match inside.octets {
            Some(o) => kept(f, o, most, &mut self.block),
            None => mpdu(f, inside.msdus, most, &mut self.block),
        } + head;
        let kept = (self.block.len() - at) as u32;
        self.block[at - 8..at - 4].copy_from_slice(&kept.to_le_bytes());
        self.block[at - 4..at].copy_from_slice(&(whole as u32).to_le_bytes());
        self.block.resize(self.block.len().next_multiple_of(4), 0);
        if !comment.is_empty() {
            option(&mut self.block, 1, comment.as_bytes());
        }
        if let Some(direction) = sent {
            let flags: u32 = if direction.is_some() { 2 } else { 1 }; // outbound, inbound
            option(&mut self.block, 2, &flags.to_le_bytes());
        }
        self.end(!comment.is_empty() || sent.is_some())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
