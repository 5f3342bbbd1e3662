//! A capture file, block by block.

use super::frame;
use crate::frame::{Frame, Msdu};
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{Block, Linktype, OptionCode, PcapBlockOwned, PcapError, create_reader};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, OnceLock};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;
/// The longest block that is taken: no frame is a thousandth of that.
const BLOCK_MAX: usize = 64 << 20;
const RADIOTAP: i32 = 127;
/// The Packet Block, which the Enhanced one replaced: old programs' files have it. src: pcapng, appendix A
const OBSOLETE_PACKET: u32 = 2;
/// An interface's name. src: pcapng 4.2
const IF_NAME: OptionCode = OptionCode(2);
/// What a pcapng file begins with, in either byte order: the type of a Section Header Block.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// What a file was.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FileInfo {
    /// "pcap" or "pcapng".
    pub format: &'static str,
    /// Bytes that were read and understood.
    pub bytes: u64,
    /// Packets in it.
    pub packets: u64,
    /// Of these, packets that are no frame of 802.11 behind a radiotap header.
    pub unreadable: u64,
    /// Beside these, packets of interfaces (pcapng) with another link type.
    pub other_links: u64,
    /// Of these, packets of which the capture kept a part only.
    pub snapped: u64,
    /// Names of the interfaces that it describes, by [`Frame::interface`].
    #[serde(skip)]
    pub interfaces: Vec<Option<String>>,
    /// The first comment on the whole file.
    pub comment: Option<String>,
    /// The file ended in the middle, or is damaged: where and how. What stood before it was read.
    pub damage: Option<String>,
}

/// Why nothing of a file could be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure(pub String);

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Failure {}

/// A packet as the capture has it.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// Link type (LINKTYPE_*).
    pub link: i32,
    /// Its interface, as [`FileInfo::interfaces`] has them.
    pub interface: u32,
    /// Its bytes, as many as were kept.
    pub kept: &'a [u8],
    /// How long it was on the wire.
    pub whole: u32,
    /// When, ns. None: the capture has no time of it.
    pub time: Option<u64>,
}

/// An interface: its number in the file, its link type and what its time stamps count.
#[derive(Clone, Copy)]
struct Interface {
    number: u32,
    link: i32,
    per_second: u64,
    offset_ns: i128,
}

impl Interface {
    fn time(self, ticks: u64) -> u64 {
        let ns = i128::from(ticks) * 1_000_000_000 / i128::from(self.per_second) + self.offset_ns;
        u64::try_from(ns).unwrap_or(0)
    }
}

fn wrong_link(l: Linktype) -> Failure {
    let what = match l.0 {
        1 => " (Ethernet: captured above the Wi-Fi driver, where frames of the air cannot be seen)",
        105 => " (802.11 without radiotap: rates and A-MPDUs are not in it)",
        113 | 276 => " (Linux \"any\" interface)",
        119 => " (802.11 behind a Prism header)",
        192 => " (802.11 behind a PPI header)",
        _ => "",
    };
    Failure(format!(
        "its link type is {}{what}; expected 127, radiotap: a capture in monitor mode, such as `tcpdump -i mon0 -y IEEE802_11_RADIO`",
        l.0
    ))
}

fn resolution(code: u8) -> Option<u64> {
    let n = u32::from(code & 0x7f);
    if code & 0x80 == 0 { 10u64.checked_pow(n) } else { 2u64.checked_pow(n) }.filter(|&r| r <= 1 << 62)
}

struct State {
    info: FileInfo,
    links: &'static [i32],
    link: i32,
    /// Of the section.
    interfaces: Vec<Interface>,
    /// Of the file, by place in the section and name: a section that describes the same ones again has the same monitors.
    numbers: HashMap<(usize, Option<String>), u32>,
    nanoseconds: bool,
    big_endian: bool,
    foreign: Option<Linktype>,
    /// What is wrong with the block that was read last.
    wrong: Option<String>,
}

/// Reads a file to its end, or to where it is damaged (which [`FileInfo::damage`] says). `each` gets every frame, and of an A-MSDU its MSDUs.
///
/// Errors: it is no capture, or one of another link type alone.
pub fn read<R: Read + Send>(input: R, mut each: impl FnMut(&Frame, &[Msdu])) -> Result<FileInfo, Failure> {
    let mut msdus = Vec::new();
    packets(input, &[RADIOTAP], wrong_link, |p| {
        let read = frame(p.kept, p.whole, p.time.unwrap_or(0), &mut msdus);
        read.map(|f| Frame { interface: p.interface, untimed: p.time.is_none(), ..f })
            .inspect(|f| each(f, &msdus))
            .is_some()
    })
}

/// The same of the packets of any of `links`; `each` says whether it could read the packet. `refused` says what is wrong with a file that has
/// another link type alone.
pub(super) fn packets<R: Read + Send>(
    input: R,
    links: &'static [i32],
    refused: fn(Linktype) -> Failure,
    mut each: impl FnMut(Raw<'_>) -> bool,
) -> Result<FileInfo, Failure> {
    let trouble = Arc::new(OnceLock::new());
    let mut input = input;
    let mut magic = Vec::new();
    if let Err(e) = input.by_ref().take(SECTION.len() as u64).read_to_end(&mut magic) {
        let _ = trouble.set(e.to_string());
    }
    let pcapng = magic == SECTION;
    let whole = std::io::Cursor::new(magic).chain(input);
    let mut reader = create_reader(BUFFER, Fill(whole, trouble.clone())).map_err(|e| match e {
        PcapError::Eof | PcapError::Incomplete(_) | PcapError::HeaderNotRecognized if trouble.get().is_some() => {
            Failure(format!("cannot be read: {}", trouble.get().expect("there is some")))
        }
        PcapError::Eof => Failure("is empty; expected pcap or pcapng".into()),
        PcapError::ReadError => Failure("cannot be read".into()),
        PcapError::Incomplete(_) => Failure("ends within its own header; expected pcap or pcapng".into()),
        // The parser tries pcapng, then pcap, and says of the second alone what was missing.
        _ if pcapng => Failure("is pcapng, but its first block (the section's header) is cut off or damaged".into()),
        _ => Failure("is neither pcap nor pcapng".into()),
    })?;
    let mut s = State {
        info: FileInfo::default(),
        links,
        link: 0,
        interfaces: Vec::new(),
        numbers: HashMap::new(),
        nanoseconds: false,
        big_endian: false,
        foreign: None,
        wrong: None,
    };
    loop {
        match reader.next() {
            Ok((n, block)) => {
                s.block(&block, &mut each);
                if s.foreign.is_some() && s.info.format == "pcap" {
                    break; // all its packets are of that link type
                }
                if let Some(wrong) = &s.wrong {
                    s.info.damage = Some(format!("at byte {}: {wrong}", s.info.bytes));
                    break;
                }
                s.info.bytes += n as u64;
                reader.consume_noshift(n);
            }
            Err(PcapError::Eof) => break,
            Err(PcapError::Incomplete(_)) => {
                if !more(&mut *reader) {
                    let left = reader.data().len();
                    s.info.damage = (left > 0).then(|| s.cut(left));
                    break;
                }
            }
            Err(PcapError::BufferTooSmall) => {
                let room = reader.data().len().max(BUFFER) * 2;
                if room > BLOCK_MAX {
                    s.info.damage = Some(format!(
                        "at byte {}: a block that claims to be longer than {} MiB",
                        s.info.bytes,
                        BLOCK_MAX >> 20
                    ));
                    break;
                }
                if !reader.grow(room) || !more(&mut *reader) {
                    s.info.damage = Some(s.cut(reader.data().len()));
                    break;
                }
            }
            Err(PcapError::UnexpectedEof) => {
                let left = reader.data().len();
                s.info.damage = (left > 0).then(|| s.cut(left));
                break;
            }
            Err(PcapError::ReadError) => {
                s.info.damage = Some(format!("at byte {}: it cannot be read further", s.info.bytes));
                break;
            }
            Err(_) => {
                s.info.damage =
                    Some(format!("at byte {}: what stands there is no block of {}", s.info.bytes, s.info.format));
                break;
            }
        }
    }
    if let (Some(why), None) = (trouble.get(), &s.info.damage) {
        s.info.damage = Some(format!("at byte {}: it cannot be read further: {why}", s.info.bytes));
    }
    match s.foreign {
        Some(l) if s.info.packets == 0 => Err(refused(l)),
        _ => Ok(s.info),
    }
}

/// Refills the reader's buffer; false if there was nothing more.
fn more(r: &mut dyn PcapReaderIterator) -> bool {
    let before = r.data().len();
    r.refill().is_ok() && r.data().len() > before
}

/// Reads until the buffer is full: a pipe's short reads are no end. What cannot be read ends the file, and is told beside.
struct Fill<R>(R, Arc<OnceLock<String>>);

impl<R: Read> Read for Fill<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let mut n = 0;
        while n < buf.len() {
            match self.0.read(&mut buf[n..]) {
                Ok(0) => break,
                Ok(k) => n += k,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => {
                    let _ = self.1.set(e.to_string());
                    break;
                }
            }
        }
        Ok(n)
    }
}

impl State {
    fn cut(&self, left: usize) -> String {
        format!("at byte {}: it ends in the middle of a block, {left} bytes after its begin", self.info.bytes)
    }

    fn block(&mut self, block: &PcapBlockOwned<'_>, each: &mut impl FnMut(Raw<'_>) -> bool) {
        match block {
            PcapBlockOwned::LegacyHeader(h) => {
                self.info.format = "pcap";
                self.nanoseconds = h.is_nanosecond_precision();
                self.link = h.network.0 & 0xffff;
                self.foreign = (!self.links.contains(&self.link)).then_some(h.network);
            }
            PcapBlockOwned::Legacy(b) => {
                let unit = if self.nanoseconds { 1 } else { 1_000 };
                let time = u64::from(b.ts_sec) * 1_000_000_000 + u64::from(b.ts_usec) * unit;
                let kept = &b.data[..b.data.len().min(b.caplen as usize)];
                self.packet((self.link, 0), kept, b.origlen, Some(time), each);
            }
            PcapBlockOwned::NG(Block::SectionHeader(h)) => {
                self.info.format = "pcapng";
                self.interfaces.clear();
                self.big_endian = h.big_endian();
                if self.info.comment.is_none() {
                    let comment = h.options.iter().find(|o| o.code == OptionCode::Comment);
                    self.info.comment = comment.and_then(|o| o.as_str().ok()).map(String::from);
                }
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(i)) => {
                if !self.links.contains(&i.linktype.0) {
                    self.foreign = Some(i.linktype);
                }
                // pcap-parser 0.17 takes the offset for little endian always.
                let offset = if self.big_endian { i.if_tsoffset.swap_bytes() } else { i.if_tsoffset };
                let name = i.options.iter().find(|o| o.code == IF_NAME).and_then(|o| o.as_str().ok());
                let number = self.number(name.map(String::from));
                self.interfaces.push(Interface {
                    number,
                    link: i.linktype.0,
                    per_second: resolution(i.if_tsresol).unwrap_or(1_000_000),
                    offset_ns: i128::from(offset) * 1_000_000_000,
                });
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(b)) => {
                let Some(i) = self.interface(b.if_id) else { return };
                let time = i.time(u64::from(b.ts_high) << 32 | u64::from(b.ts_low));
                let kept = &b.data[..b.data.len().min(b.caplen as usize)];
                self.packet((i.link, i.number), kept, b.origlen, Some(time), each);
            }
            PcapBlockOwned::NG(Block::SimplePacket(b)) => {
                let Some(i) = self.interface(0) else { return };
                let kept = &b.data[..b.data.len().min(b.origlen as usize)];
                self.packet((i.link, i.number), kept, b.origlen, None, each);
            }
            PcapBlockOwned::NG(Block::Unknown(b))
                if [OBSOLETE_PACKET, OBSOLETE_PACKET.swap_bytes()].contains(&b.block_type) =>
            {
                self.obsolete(b.data, each);
            }
            PcapBlockOwned::NG(_) => {}
        }
    }

    /// Interface (16 bits), drops (16 bits), time, bytes kept and bytes on the wire, the packet.
    fn obsolete(&mut self, data: &[u8], each: &mut impl FnMut(Raw<'_>) -> bool) {
        let Some((head, packet)) = data.split_at_checked(20) else {
            self.wrong = Some("a Packet Block that is shorter than its fields".into());
            return;
        };
        let big = self.big_endian;
        let word = |at: usize| {
            let b = head[at..at + 4].try_into().expect("four bytes");
            if big { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
        };
        let number = if big { word(0) >> 16 } else { word(0) & 0xffff };
        let Some(i) = self.interface(number) else { return };
        let kept = &packet[..packet.len().min(word(12) as usize)];
        let time = i.time(u64::from(word(4)) << 32 | u64::from(word(8)));
        self.packet((i.link, i.number), kept, word(16), Some(time), each);
    }

    /// The number in the file of the interface that the section describes next.
    fn number(&mut self, name: Option<String>) -> u32 {
        let all = &mut self.info.interfaces;
        *self.numbers.entry((self.interfaces.len(), name)).or_insert_with_key(|(_, name)| {
            all.push(name.clone());
            all.len() as u32 - 1
        })
    }

    /// A packet's interface, if its packets are read. src: pcapng 4.3: its number is that of an interface description of the section
    fn interface(&mut self, number: u32) -> Option<Interface> {
        let Some(&i) = self.interfaces.get(number as usize) else {
            let n = self.interfaces.len();
            self.wrong = Some(format!("a packet of interface {number}, of which the section has {n} before it"));
            return None;
        };
        if self.links.contains(&i.link) {
            return Some(i);
        }
        self.info.other_links += 1;
        None
    }

    fn packet(
        &mut self,
        (link, interface): (i32, u32),
        kept: &[u8],
        whole: u32,
        time: Option<u64>,
        each: &mut impl FnMut(Raw<'_>) -> bool,
    ) {
        self.info.packets += 1;
        self.info.snapped += u64::from((kept.len() as u64) < u64::from(whole));
        if !each(Raw { link, interface, kept, whole: whole.max(kept.len() as u32), time }) {
            self.info.unreadable += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a section, an interface of microseconds and one Packet Block with a beacon's first bytes behind an empty radiotap header.
    fn file(big: bool) -> Vec<u8> {
        let word = |x: u32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let half = |x: u16| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let mut out = Vec::new();
        let mut block = |kind: u32, body: &[u8]| {
            let len = word(body.len() as u32 + 12);
            out.extend([&word(kind)[..], &len, body, &len].concat());
        };
        block(0x0a0d_0d0a, &[&word(0x1a2b_3c4d)[..], &half(1), &half(0), &[0xff; 8]].concat());
        block(1, &[&half(127)[..], &half(0), &word(0)].concat());
        let packet = [&[0, 0, 8, 0, 0, 0, 0, 0, 0x80, 0, 0, 0][..], &[0xff; 6], &[2; 6]].concat();
        let head = [&half(0)[..], &half(0xffff), &word(1), &word(7), &word(packet.len() as u32), &word(300)].concat();
        block(2, &[head, packet].concat());
        out
    }

    #[test]
    fn obsolete_packet_blocks() {
        for big in [false, true] {
            let mut got = Vec::new();
            let info = read(&file(big)[..], |f, _| got.push((f.time, f.len, f.ta))).unwrap();
            assert_eq!((info.packets, info.snapped, info.damage), (1, 1, None));
            let ns = ((1 << 32) + 7) * 1_000;
            assert_eq!(got, [(ns, 300 - 8 + 4, Some(crate::Mac([2; 6])))]);
        }
    }
}
