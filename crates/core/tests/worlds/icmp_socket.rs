//! A host answers all its pings through one socket of its kernel.

use crate::given::{counted, scenario};
use wavetank_core::sim::{Place, Reason};

const HOUSE: &str = "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstations = 4\nmcs = 0\n[ap]\nqdisc = \"pfifo\"\n\
                [time]\nlead_in = \"0 s\"\nflows = \"4 s\"\nwarmup = \"2 s\"\ntail = \"1 s\"\n[traffic]\nudp_down = \"20 Mbit/s\"\nping = \"1 ms\"\n";

/// Pings sent and lost, and answers that found no room in their host's send buffer.
fn pings(backhaul: &str) -> (usize, usize, u64) {
    let (_, out) = counted(&scenario(HOUSE, &[("backhaul.present", backhaul)]));
    let rtts = || out.echoes.iter().flat_map(|e| &e.rtt_ms);
    let refused = out.ledger.named().filter(|&(p, r, _)| (p, r) == (Place::Socket, Reason::Memory));
    (rtts().count(), rtts().filter(|r| r.is_nan()).count(), refused.map(|(.., n)| n).sum())
}

/// Four stations ask a thousand times a second each. The access point's answers wait in queues of its own, behind datagrams, and while 148 of them do
/// it gives no more; a server's are in another host by then.
#[test]
fn answers_that_wait_take_the_send_buffer() {
    let (sent, lost, refused) = pings("false");
    assert!(refused > sent as u64 / 2 && lost as u64 >= refused, "{refused} refused and {lost} lost of {sent}");
    assert_eq!(pings("true").2, 0);
}
