//! How the driver cuts a super-packet: into A-MSDUs, each of them one skb, which the hardware splits into MSDUs.
//!
//! Enters: a super-packet that came through mac80211 whole. Leaves: skbs ([`amsdus`]), and the MSDUs of each ([`msdus`]).
//! Stands for: linux@6.12 drivers/net/wireless/intel/iwlwifi/mvm/tx.c iwl_mvm_tx_tso, iwl_mvm_tx_tso_segment: the segment size that
//! `skb_gso_segment` is told is that of a whole A-MSDU's payload. The pieces' memory is a head each and their part of the payload.
//! Differs: D1 an skb of too many page fragments for 22 buffers gets no A-MSDU there; TCP's payload lies in few large pages.

use crate::phy::Mode;
use crate::sim::Packet;
use crate::tcp;
use crate::wifi::amsdu::{MSDUS, SUBFRAME_HEADER};

/// The longest A-MSDU within an A-MPDU of a station without VHT. src: iwl_mvm_tx_tso (IEEE 802.11-2015 8.7.3)
const HT_AMSDU: u16 = 4_095;
/// LLC, SNAP and type.
const LLC_SNAP: u32 = 8;

/// Bytes that an A-MSDU to a peer sent to with `mode` may have (`max_amsdu_len`): what the peer says of its MPDUs, headers not taken off.
pub fn limit(mode: Mode, mpdu_bytes: u16, amsdu_bytes: u16) -> u32 {
    match mode {
        Mode::Vht(_) | Mode::He(_) => mpdu_bytes.into(),
        _ => amsdu_bytes.min(HT_AMSDU).into(),
    }
}

/// Segments of this super-packet that one A-MSDU of `limit` bytes holds (`num_subframes`).
pub fn subframes(p: &Packet, limit: u32, most: u8) -> u16 {
    let subframe = SUBFRAME_HEADER + LLC_SNAP + u32::from(p.headers) + u32::from(p.mss);
    let pad = subframe.next_multiple_of(4) - subframe;
    let fit = (limit + pad) / (subframe + pad);
    (fit as u16).clamp(1, u16::from(most).min(MSDUS as u16))
}

/// What the driver tells `skb_gso_segment` of it.
fn as_told(p: &Packet, n: u16) -> Packet {
    Packet { mss: p.mss * n, segs: p.segs.div_ceil(n), ..*p }
}

/// Memory of its A-MSDUs of `n` segments each, in all.
pub fn weight(p: &Packet, n: u16) -> u32 {
    tcp::weight(&as_told(p, n), None)
}

/// Its A-MSDUs of `n` segments each, the last one of what is left.
pub fn amsdus(p: &Packet, n: u16) -> impl Iterator<Item = Packet> + use<> {
    let (mss, segs, ident) = (p.mss, p.segs, p.ident);
    let told = as_told(p, n);
    let cut = if told.segs > 1 { tcp::segment(&told, None) } else { tcp::segment(&Packet { segs: 1, ..told }, None) };
    cut.zip(0..).map(move |(a, i)| Packet { mss, segs: n.min(segs - i * n), ident: ident.wrapping_add(i * n), ..a })
}

/// The MSDUs of an A-MSDU: the memory is the first one's.
pub fn msdus(a: &Packet) -> impl Iterator<Item = Packet> + use<> {
    let truesize = a.truesize;
    tcp::segment(a, None).zip(0..).map(move |(m, i)| Packet { truesize: if i == 0 { truesize } else { 0 }, ..m })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Gi, He, Ht, Width};
    use crate::sim::{FlowId, Kind, NodeId, Owner, flags};

    /// Of 1448 bytes each, behind 52 of headers; the memory of an skb without payload is 896.
    fn segments(segs: u16, payload: u32) -> Packet {
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
        let (flags, owner) = (flags::ACK | flags::PSH, Owner(0));
        let truesize = 896 + payload;
        Packet { segs, payload, headers: 52, mss: 1_448, ident: 9, truesize, flags, owner, ..blank }
    }

    /// A subframe is 14 + 8 + 52 + 1448 = 1522 bytes, 1524 with its padding: 7991 + 2 are five of them, 11454 + 2 seven, 4095 + 2 two, 3895 + 2 two.
    #[test]
    fn as_many_as_the_peer_takes() {
        let he = Mode::He(He::new(11, 2, Width::Mhz160, Gi::Us0_8).unwrap());
        let ht = Mode::Ht(Ht::new(15, true, true).unwrap());
        let p = segments(44, 44 * 1_448);
        let n = |mode, mpdu, amsdu, most| subframes(&p, limit(mode, mpdu, amsdu), most);
        assert_eq!([7_991, 11_454, 3_895].map(|mpdu| n(he, mpdu, 7_935, 7)), [5, 7, 2]);
        assert_eq!((n(ht, 11_454, 7_935, 7), n(ht, 11_454, 3_839, 7), n(he, 11_454, 7_935, 3)), (2, 2, 3));
        // Small segments are many.
        assert_eq!(subframes(&Packet { mss: 500, ..p }, 7_991, 7), 7);
    }

    /// 64 KiB are 44 segments and a bit: nine A-MSDUs, the last of four full segments and the bit.
    #[test]
    fn nine_a_msdus() {
        let p = segments(45, 44 * 1_448 + 100);
        let all: Vec<Packet> = amsdus(&p, 5).collect();
        assert_eq!(all.iter().map(|a| a.segs).collect::<Vec<_>>(), [5; 9]);
        assert_eq!((all[0].payload, all[8].payload), (7_240, 4 * 1_448 + 100));
        assert_eq!((all[3].seq, all[3].ident, all[3].truesize), (3 * 7_240, 9 + 15, 896 + 7_240));
        assert_eq!(all.iter().map(|a| a.truesize).sum::<u32>(), weight(&p, 5));
        let last: Vec<Packet> = msdus(&all[8]).collect();
        assert_eq!(last.iter().map(|m| m.payload).collect::<Vec<_>>(), [1_448, 1_448, 1_448, 1_448, 100]);
        assert_eq!(last.iter().map(|m| m.truesize).collect::<Vec<_>>(), [896 + 4 * 1_448 + 100, 0, 0, 0, 0]);
        assert_eq!((last[4].seq, last[4].ident, last[4].segs), (44 * 1_448, 9 + 44, 1));
        let pushes = |m: &Packet| m.flags & flags::PSH != 0;
        assert_eq!(all.iter().flat_map(msdus).filter(pushes).count(), 1);
    }

    #[test]
    fn what_fits_into_one_is_not_cut() {
        let p = segments(3, 3 * 1_448);
        let all: Vec<Packet> = amsdus(&p, 5).collect();
        assert_eq!((all.len(), all[0].segs, all[0].mss, all[0].truesize), (1, 3, 1_448, p.truesize));
        assert_eq!(msdus(&all[0]).count(), 3);
    }
}
