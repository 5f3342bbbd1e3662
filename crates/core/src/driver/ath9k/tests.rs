use super::*;
use crate::mac80211;
use crate::phy::{Dsss, Hr, Ht, Mode, Ofdm};
use crate::rate::fixed;
use crate::sim::{FlowId, Freed, Kind, Lane, NodeId, Owner, Packet, Place, Reason};
use crate::wifi::edca::Set;
use crate::wifi::{Framing, What};

/// A card at a station, driven by hand.
struct Bench {
    d: Ath9k,
    q: Txqs,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
    next: u32,
}

const BE: Ac = Ac::Be;

impl Bench {
    fn new(p: Params, mode: Mode) -> Bench {
        Bench::of(p, mode, false)
    }
    fn of(p: Params, mode: Mode, frame_protection: bool) -> Bench {
        let rates = Rates::fixed(&fixed::Params::default(), vec![mode]);
        let ht = mode.aggregates();
        Bench {
            d: Ath9k::new(
                &p,
                rates,
                vec![p.density],
                Framing::open(ht),
                ht,
                Set::Station.all().map(|a| a.txop),
                frame_protection,
            ),
            q: Txqs::new(
                &mac80211::Params::default(),
                &mac80211::profile::V6_12,
                1,
                1,
                Framing::open(true).header().into(),
            ),
            freed: vec![],
            dropped: vec![],
            wants: vec![],
            next: 0,
        }
    }
    fn send(&mut self, n: u32) {
        for _ in 0..n {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0));
            (p.payload, p.headers, p.truesize, p.seq) = (1472, 28, 2304 + self.next % 256, self.next);
            p.owner = Owner(0);
            self.next += 1;
            let Bench { d, q, freed, dropped, wants, .. } = self;
            let mut sink = Sink { freed, dropped, wants };
            q.enqueue(Time::ZERO, 0, 0, &p, &mut sink);
            d.wake(Time::ZERO, StaIx::AP, Tid::new(0), q, &mut sink);
        }
    }
    /// The head is done; `bad` of its MPDUs (by place) were not acknowledged.
    fn done(&mut self, answered: bool, bad: &[usize]) {
        let n = self.d.head(BE).unwrap().mpdus.len();
        let all = if answered && n > 0 { u64::MAX >> (64 - n) } else { 0 };
        let acked = bad.iter().fold(all, |a, i| a & !(1 << i));
        self.ends(&Report { answered, acked: acked.into(), received: acked.into(), tries: 1, ..Report::default() });
    }
    fn ends(&mut self, r: &Report) {
        let Bench { d, q, freed, dropped, wants, .. } = self;
        d.done(Time::ZERO, BE, r, q, &mut Sink { freed, dropped, wants });
    }
    fn queued(&self) -> Vec<usize> {
        self.d.hw[BE.ix()].queue.iter().map(|b| b.mpdus.len()).collect()
    }
    fn head(&self) -> Vec<u16> {
        self.d.head(BE).unwrap().mpdus.iter().map(|m| m.seq.get()).collect()
    }
    fn freed(&mut self) -> Vec<u32> {
        self.freed.drain(..).map(|f| f.truesize - 2304).collect()
    }
}

fn ht(mcs: u8) -> Mode {
    Mode::Ht(Ht::new(mcs, true, true).unwrap())
}

/// Frames outside an agreement had RTS by the threshold until ath9k took rates from the station's table.
#[test]
fn the_threshold_is_for_what_is_under_an_agreement() {
    let p = Params { rts_threshold: Some(0), ..Params::default() };
    let ht = Mode::Ht(Ht::new(7, true, true).unwrap());
    for (mode, frame_protection, rts) in
        [(ht, false, true), (Mode::Ofdm(Ofdm::R54), false, false), (Mode::Ofdm(Ofdm::R54), true, true)]
    {
        let mut b = Bench::of(p, mode, frame_protection);
        b.send(1);
        assert_eq!(b.d.head(BE).unwrap().rts, rts, "{mode:?} {frame_protection}");
    }
}

/// The first link has its tries behind RTS where the first frame is longer than the threshold; other links have theirs anyway.
#[test]
fn the_first_frame_decides_how_often_the_first_link_tries() {
    let mut b = Bench::new(Params::default(), ht(15));
    b.send(1);
    let mut burst = b.d.head(BE).unwrap().clone();
    let len = u32::from(burst.mpdus[0].len);
    let choice =
        crate::rate::Choice { first_rts: 2, ..b.d.rates.choose(Time::ZERO, StaIx::AP, crate::wifi::Mark::NONE) };
    let plain = choice.chain[0].tries;
    assert!(plain > 2);
    for (threshold, tries) in [(None, plain), (Some(len), plain), (Some(len - 1), 2)] {
        hw::plain(&mut burst, &choice, &Params { rts_threshold: threshold, ..Params::default() });
        assert_eq!(burst.chain[0].tries, tries, "{threshold:?}");
    }
}

#[test]
fn schedules_on_every_packet_until_two_are_queued() {
    let mut b = Bench::new(Params::default(), ht(15));
    b.send(1);
    assert_eq!(b.queued(), [1]);
    assert_eq!(b.d.head(BE).unwrap().what, What::Single, "an A-MPDU of one is a plain frame with a normal ACK");
    assert!(b.d.head(BE).unwrap().agreement);
    b.send(100);
    assert_eq!(b.queued(), [1, 1], "the others wait: one in the retry queue, the rest above");
    assert_eq!((b.d.held(), b.q.packets()), (3, 98));
}

#[test]
fn the_next_aggregate_is_formed_before_tcp_hears_of_the_last() {
    let mut b = Bench::new(Params::default(), ht(15));
    b.send(101);
    b.done(true, &[]);
    assert_eq!(b.queued(), [1, 32], "half the Block Ack window");
    b.done(true, &[]);
    assert_eq!(b.queued(), [32, 32]);
    assert_eq!(b.freed(), [0, 1], "what `done` freed is looked at after it formed the next");
    b.done(true, &[3]);
    // Of 2..=33 number 5 failed: it is not freed, and the window ends at 68, so it goes with 66, 67 and 68 alone; 66 waited in
    // the retry queue already.
    assert_eq!(b.freed().len(), 31);
    assert_eq!(b.queued(), [32, 4]);
    let next = &b.d.hw[BE.ix()].queue[1].mpdus;
    assert_eq!(next.iter().map(|m| (m.seq.get(), m.attempts)).collect::<Vec<_>>(), [(66, 0), (5, 1), (67, 0), (68, 0)]);
}

#[test]
fn the_window_stops_at_the_first_hole() {
    let mut b = Bench::new(Params { ampdu_frames: 64, ..Params::default() }, ht(31));
    b.send(300);
    b.done(true, &[]); // 0; forms 2..=44 or so: the byte limit
    let n = b.queued()[1];
    assert_eq!(n, 42, "65535 bytes");
    b.done(true, &[]); // 1; what is left of the window
    assert_eq!(b.queued(), [42, 22], "the thesis's alternation of 42 and 22");
    b.done(true, &[0]); // 2 fails; 3..=43 are acknowledged: the window stays at 2
    let second = &b.d.hw[BE.ix()].queue[1];
    assert_eq!(second.mpdus.iter().map(|m| m.seq.get()).collect::<Vec<_>>(), [2], "nothing beyond 65 may go");
    b.done(true, &[]);
    b.done(true, &[]); // 2 at last
    assert_eq!(b.head()[0], 66);
    assert_eq!(b.queued()[0], 42);
}

/// The thesis's worked example, sent by the card: A-MPDUs of eight, four and eight frames. src: thesis figure 4.2 (window 8)
#[test]
fn two_losses_halve_the_next_aggregate() {
    // One aggregate at a time, as in the figure: a second that waits would have its part of the window.
    let mut b = Bench::new(Params { window: 8, depth: 1, ..Params::default() }, ht(15));
    b.send(4);
    b.done(true, &[]); // 0, which found the card idle
    b.send(96);
    b.done(true, &[]); // 1 to 3
    assert_eq!(b.head(), (4..12).collect::<Vec<_>>());
    b.done(true, &[2, 4]);
    // 12 was taken from its queue when the first was formed, and waited for the window (`ath_tx_get_tid_subframe`).
    assert_eq!(b.head(), [12, 6, 8, 13]);
    b.done(true, &[]);
    assert_eq!(b.head(), (14..22).collect::<Vec<_>>());
}

#[test]
fn hardware_retries_of_the_whole_count_and_thirty_are_the_end() {
    let mut b = Bench::new(Params::default(), ht(7));
    b.send(1);
    for _ in 0..31 {
        assert!(b.dropped.is_empty());
        b.done(false, &[]);
    }
    assert_eq!(
        b.dropped.len(),
        1,
        "30 transmissions are followed by one more, as `retries < ATH_MAX_SW_RETRIES` has it"
    );
    assert_eq!(b.d.head(BE).unwrap().what, What::Bar(Seq::new(1)));
    b.done(true, &[]);
    assert!(b.d.head(BE).is_none());
    b.send(1);
    assert_eq!(b.head(), [1]);
}

/// `retries` is six bits wide: 29 and four links of 13 tries are 17, and 13 more the end.
#[test]
fn many_tries_begin_the_count_anew() {
    let mut b = Bench::new(Params::default(), ht(7));
    b.d.rates = Rates::fixed(&fixed::Params { tries: 13, ..Default::default() }, vec![ht(7)]);
    b.send(1);
    (0..29).for_each(|_| b.done(false, &[]));
    b.ends(&Report { link: 3, tries: 13, ..Report::default() });
    assert_eq!(b.d.head(BE).unwrap().mpdus[0].attempts, 17);
    (0..13).for_each(|_| b.done(false, &[]));
    assert!(b.dropped.is_empty());
    b.done(false, &[]);
    assert_eq!(b.dropped.len(), 1);
}

/// With window and hardware full, a frame comes that the last BAR gave up: it is freed with the next completion.
#[test]
fn what_a_bar_gave_up_is_freed_by_a_completion() {
    let mut b = Bench::new(Params { retries: 0, depth: 1, ..Params::default() }, ht(7));
    b.send(4);
    b.done(true, &[]);
    assert_eq!(b.head(), [1, 2, 3]);
    let first = b.d.tids[0].window.start();
    // 2 is the last that is given up; 1 is behind it, as if it had been put back.
    b.d.tids[0].bar = Some(first.plus(2));
    let head = b.d.hw[BE.ix()].queue[0].mpdus.remove(0);
    b.d.tids[0].retry.push_back(head);
    b.send(1);
    assert!(b.dropped.is_empty());
    assert_eq!(b.d.held() + u64::from(b.q.packets()), 4);
    b.done(true, &[]);
    assert_eq!(b.dropped.len(), 1);
}

#[test]
fn an_unanswered_bar_is_not_sent_again() {
    let mut b = Bench::new(Params { retries: 0, ..Params::default() }, ht(7));
    b.send(1);
    b.done(false, &[]);
    assert_eq!(b.d.head(BE).unwrap().what, What::Bar(Seq::new(1)));
    b.send(1);
    b.done(false, &[]);
    b.done(true, &[]);
    assert!(b.d.head(BE).is_none(), "mac80211 hears of no skb that it could follow");
}

#[test]
fn a_bar_goes_at_the_lowest_rate_of_the_band() {
    for (band, at) in
        [(Band::Ghz5, Mode::Ofdm(Ofdm::R6)), (Band::Ghz2, Mode::Dsss(Hr { rate: Dsss::R1, short: false }))]
    {
        let mut b = Bench::new(Params { retries: 0, ..Params::default() }, ht(7));
        b.d.on(band);
        b.send(1);
        b.done(false, &[]);
        let bar = b.d.head(BE).unwrap();
        assert_eq!((bar.what, bar.chain[0].mode, bar.chain[0].tries), (What::Bar(Seq::new(1)), at, 10));
    }
}

#[test]
fn a_legacy_link_in_the_chain_sends_single_frames() {
    let mut b = Bench::new(Params::default(), Mode::Ofdm(Ofdm::R54));
    b.send(20);
    assert_eq!(b.queued(), [1; 8], "eight frames outside an agreement");
    assert!(!b.d.head(BE).unwrap().agreement);
    b.done(false, &[]);
    assert_eq!(b.dropped.len(), 1, "no software retries outside an agreement");
    let mut b = Bench::new(Params::default(), ht(7));
    let mut modes = b.d.rates.choose(Time::ZERO, StaIx::AP, crate::wifi::Mark::NONE).chain;
    modes[3].mode = Mode::Ofdm(Ofdm::R6);
    let choice = crate::rate::Choice { chain: modes, probe: false, rts_fallback: false, first_rts: 0 };
    assert_eq!(limits::aggr_limit(&b.d.par, &choice, Span::ZERO), 0);
}

#[test]
fn what_is_heard_is_charged_to_best_effort() {
    let mut b = Bench::new(Params::default(), ht(15));
    let Bench { d, q, .. } = &mut b;
    d.heard(Time::ZERO, StaIx::AP, Tid::new(6), Span::from_us(44), q);
    assert_eq!((q.account(0, Ac::Be as u8).rx, q.account(0, Ac::Vo as u8).rx), (44, 0));
}

#[test]
fn sequence_numbers_wrap() {
    let mut b = Bench::new(Params::default(), ht(15));
    b.send(64);
    let mut last = None;
    for round in 0..5_000u32 {
        let bad: &[usize] = if round % 7 == 0 { &[0] } else { &[] };
        b.done(true, bad);
        let n = b.freed().len() as u32;
        b.send(n);
        assert_eq!(b.dropped.len(), 0, "round {round}");
        assert_eq!(b.d.held() + u64::from(b.q.packets()), 64, "round {round}");
        if let Some(h) = b.d.head(BE) {
            last = Some(h.mpdus[0].seq);
        }
    }
    assert!(last.is_some());
    assert!(b.next > 40_000, "several times around: {}", b.next);
    assert_eq!(b.d.held() + u64::from(b.q.packets()), 64);
    assert!(b.dropped.is_empty());
}
