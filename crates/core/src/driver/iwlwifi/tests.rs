use super::*;
use crate::mac80211::profile::Profile;
use crate::mac80211::{self};
use crate::phy::{Gi, He, Width};
use crate::rate::fixed;
use crate::sim::{Auto, Bitmap, FlowId, Kind, NodeId, Place, Reason};
use crate::wifi::What;

struct Bench {
    dev: Iwlwifi,
    q: Txqs,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
}

impl Bench {
    fn new(par: Params, stations: usize) -> Bench {
        let mode = Mode::He(He::new(11, 2, Width::Mhz160, Gi::Us0_8).unwrap());
        let modes = vec![mode; stations];
        let rates = Rates::fixed(&fixed::Params::default(), modes.clone());
        let peer = Peer { amsdus: true, window: 256, density: par.density };
        let dev = Iwlwifi::new(&par, rates, &vec![peer; stations], &modes, true, Band::Ghz5);
        let queues = mac80211::Params { memory_limit: Auto::Set(mac80211::MEMORY_VHT), ..Default::default() };
        let q = Txqs::new(&queues, Profile::of((6, 12)), stations as u16, 7, 34);
        Bench { dev, q, freed: vec![], dropped: vec![], wants: vec![] }
    }
    fn call(&mut self, f: impl FnOnce(&mut Iwlwifi, &mut Txqs, &mut Sink<'_>)) {
        let Bench { dev, q, freed, dropped, wants } = self;
        f(dev, q, &mut Sink { freed, dropped, wants });
    }
    /// A packet to station `to`, and what follows within the instant.
    fn send(&mut self, to: u8, p: &Packet) {
        self.call(|d, q, sink| d.xmit(Time::ZERO, StaIx(to), Tid::new(0), p, q, sink));
    }
    fn bell(&mut self) {
        while let Some(i) = self.wants.iter().position(|w| w.2 == DOORBELL) {
            self.wants.remove(i);
            self.call(|d, q, sink| d.timer(Time::ZERO, DOORBELL, q, sink));
        }
    }
    fn head(&self) -> &Burst {
        self.dev.head(Ac::Be).unwrap()
    }
    fn msdus(&self) -> Vec<usize> {
        self.head().mpdus.iter().map(|m| 1 + usize::from(m.more)).collect()
    }
    /// The head is answered: all of its MPDUs but `lost`.
    fn done(&mut self, lost: &[usize]) {
        let acked = (0..self.head().mpdus.len()).filter(|k| !lost.contains(k)).collect::<Bitmap>();
        let r = Report { answered: true, acked, received: acked, tries: 1, ..Report::default() };
        self.call(|d, q, sink| d.done(Time::ZERO, Ac::Be, &r, q, sink));
        self.bell();
    }
}

fn datagram(seq: u32) -> Packet {
    let blank = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0));
    Packet { payload: 1_472, headers: 28, seq, owner: Owner(0), truesize: 2_304, ..blank }
}

/// TCP's: `segs` of 1448 bytes.
fn segments(segs: u16) -> Packet {
    let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
    let payload = u32::from(segs) * 1_448;
    Packet { payload, headers: 52, mss: 1_448, segs, owner: Owner(0), truesize: 896 + payload, ..blank }
}

/// A super-packet of 44 segments is nine A-MSDUs of five, the last of four: nine TFDs, nine MPDUs of one aggregate, which weigh a head each.
#[test]
fn a_super_packet_becomes_a_msdus() {
    let mut b = Bench::new(Params::default(), 1);
    b.send(0, &segments(44));
    b.bell();
    assert_eq!(b.msdus(), [5, 5, 5, 5, 5, 5, 5, 5, 4]);
    assert_eq!((b.dev.rings[0].used(), b.dev.cut(), b.dev.held()), (9, 43, 44));
    let [cut] = b.freed[..] else { panic!("{:?}", b.freed) };
    assert_eq!((cut.truesize, cut.parts, cut.by_card), (896 + 44 * 1_448, 9 * 896 + 44 * 1_448, false));
    // A full A-MSDU: four subframes of 1524 and one of 1522, 26 bytes of header, 4 of FCS.
    assert_eq!(b.head().mpdus[0].len, 4 * 1_524 + 1_522 + 30);
    b.freed.clear();
    b.done(&[]);
    assert_eq!(b.freed.iter().map(|f| f.truesize).sum::<u32>(), cut.parts);
    assert_eq!((b.freed.len(), b.dev.rings[0].used(), b.dev.held()), (44, 0, 0));
}

/// Where it fits into one A-MSDU the skb stays what it is.
#[test]
fn a_small_one_is_not_cut() {
    let mut b = Bench::new(Params::default(), 1);
    b.send(0, &segments(4));
    b.bell();
    assert_eq!((b.msdus(), b.freed.len()), (vec![4], 0));
    b.done(&[]);
    assert_eq!(b.freed.iter().map(|f| f.truesize).collect::<Vec<_>>(), [896 + 4 * 1_448, 0, 0, 0]);
}

/// With TSO off the stack cuts; while the ring has room every segment goes down alone.
#[test]
fn without_tso_segments_come_one_by_one() {
    let mut b = Bench::new(Params { tso: false, ..Params::default() }, 1);
    b.send(0, &segments(44));
    b.bell();
    assert_eq!((b.msdus(), b.dev.rings[0].used()), (vec![1; 44], 44));
    assert_eq!(b.freed[0].parts, 44 * (896 + 1_448));
}

/// 225 TFDs of one datagram each, and the ring is stopped: what comes then waits in the TXQ, and becomes A-MSDUs of five there. An A-MPDU has 63: 162 are left,
/// which are less than 191, and the ring is woken.
#[test]
fn what_waited_goes_down_as_a_msdus() {
    let mut b = Bench::new(Params::default(), 1);
    (0..400).for_each(|n| b.send(0, &datagram(n)));
    b.bell();
    assert_eq!((b.dev.rings[0].used(), b.dev.rings[0].stopped, b.q.packets()), (225, true, 175));
    assert_eq!((b.q.frames(0, 0), b.head().mpdus.len()), (35, 63));
    b.done(&[]);
    assert_eq!((b.dev.rings[0].used(), b.q.frames(0, 0)), (162 + 35, 0));
    assert_eq!(b.msdus(), [1; 63]);
    b.done(&[]);
    b.done(&[]);
    assert_eq!(b.msdus().iter().filter(|&&n| n == 5).count(), 27, "36 of the 225 and 27 of the others");
    b.done(&[]);
    assert_eq!((b.msdus(), b.freed.len()), (vec![5; 8], 36 + 3 * 63 + 27 * 5));
    b.done(&[]);
    assert_eq!((b.dev.held(), b.q.packets(), b.freed.len(), b.dropped.len()), (0, 0, 400, 0));
}

/// TXQs are pulled from before the skbs are freed, and the memory of what stands behind a lost MPDU is kept.
#[test]
fn memory_is_freed_in_order() {
    let mut b = Bench::new(Params::default(), 1);
    (0..10).for_each(|n| b.send(0, &datagram(n)));
    b.bell();
    b.done(&[3]);
    assert_eq!((b.freed.len(), b.dev.rings[0].used(), b.head().mpdus.len()), (3, 7, 1));
    assert_eq!(b.dev.held(), 1, "the receiver has the six behind it");
    b.done(&[]);
    assert_eq!((b.freed.len(), b.dev.rings[0].used()), (10, 0));
    assert!(b.freed.iter().map(|f| f.seq).eq(0..10));
}

/// Rings are stopped one by one: a station that stands does not hold up another.
#[test]
fn each_station_has_its_own_ring() {
    let mut b = Bench::new(Params::default(), 2);
    (0..300).for_each(|n| b.send(0, &datagram(n)));
    assert!(b.dev.rings[0].stopped);
    b.send(1, &datagram(0));
    assert_eq!((b.dev.rings[Tid::COUNT].used(), b.q.packets()), (1, 75));
}

/// 15 transmissions; then a BAR, and the ring goes on.
#[test]
fn transmissions_are_counted() {
    let mut b = Bench::new(Params::default(), 1);
    b.send(0, &datagram(0));
    b.bell();
    for n in 1..=15 {
        assert_eq!((b.head().what, b.dropped.len()), (What::Single, 0), "transmission {n}");
        b.done(&[0]);
    }
    assert_eq!((b.dropped.len(), b.dev.rings[0].used(), matches!(b.head().what, What::Bar(_))), (1, 0, true));
}

#[test]
fn completions_may_gather() {
    let mut b = Bench::new(Params { report: Span::from_us(800), ..Params::default() }, 1);
    b.send(0, &datagram(0));
    b.bell();
    b.done(&[]);
    assert_eq!((b.freed.len(), &b.wants[..]), (0, &[(Time::from_us(800), Lane::Completion, NOTIFICATION)][..]));
    b.call(|d, q, sink| d.timer(Time::from_us(800), NOTIFICATION, q, sink));
    assert_eq!(b.freed.len(), 1);
}
