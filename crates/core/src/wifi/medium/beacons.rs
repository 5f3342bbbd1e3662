//! The access point's beacon on the medium: it contends above all others, nobody answers it. The departures are [`medium`](super)'s.

use super::Medium;
use crate::sim::{Lane, Time};
use crate::wifi::beacon::Beacons;
use crate::wifi::burst::StaIx;
use crate::wifi::stations::{MediumEvent, Stations};

impl Medium {
    /// The access point sends these; [`MediumEvent::Tbtt`] is wanted at the time that is answered.
    pub fn set_beacons(&mut self, mut beacons: Beacons) -> Time {
        let first = beacons.first();
        self.beacons = Some(Box::new(beacons));
        first
    }

    /// A beacon is due. One that still waits goes in its stead. src: linux@6.12 ath9k/beacon.c ath9k_beacon_tasklet (`bmisscnt`)
    pub(super) fn tbtt<S: Stations>(&mut self, now: Time, stations: &mut S) {
        let senses = self.senses(StaIx::AP);
        let Some(b) = &mut self.beacons else { return };
        stations.schedule(b.after(now), Lane::Timer, MediumEvent::Tbtt);
        stations.tbtt(now, b.after(now));
        if b.contender.ready {
            return;
        }
        b.contender.begin();
        if senses {
            return; // its AIFS counts from the end of what is on the air
        }
        b.contender.arrive(now, self.reference[StaIx::AP.ix()], self.slot);
        let at = b.contender.access(self.slot);
        if at < self.next {
            self.access_at(at, stations);
        }
    }

    /// References have changed: when a beacon that waits may go.
    pub(super) fn beacon_from(&mut self) -> Time {
        let senses = self.senses(StaIx::AP);
        let moved = self.hidden.as_ref().is_none_or(|h| h.moved(StaIx::AP));
        let Some(b) = self.beacons.as_mut().filter(|b| b.contender.ready) else { return Time::NEVER };
        if moved {
            b.contender.idle_from(self.reference[StaIx::AP.ix()]);
        }
        if senses { Time::NEVER } else { b.contender.access(self.slot) }
    }

    /// When the beacon starts, if it starts before anybody notices who starts first; then the access point's other queues are not among the
    /// winners any more.
    pub(super) fn beacon_goes(&mut self, unnoticed: Time) -> Option<Time> {
        if self.senses(StaIx::AP) {
            return None;
        }
        let at = self.beacons.as_ref().filter(|b| b.contender.ready)?.contender.access(self.slot);
        if at >= unnoticed {
            return None;
        }
        for k in (0..self.winners.len()).rev() {
            let (i, other) = self.winners[k];
            if self.contenders[i as usize].sta == StaIx::AP {
                self.winners.swap_remove(k);
                if other == at {
                    self.internal.push(i);
                }
            }
        }
        Some(at)
    }

    /// The beacon goes on the air at `at`; the winners that are left collide with it.
    pub(super) fn beacon<S: Stations>(&mut self, now: Time, at: Time, stations: &mut S) {
        let collided = !self.winners.is_empty();
        let b = self.beacons.as_mut().expect("it was due");
        b.contender.ready = false;
        let one = b.one(at, collided);
        let end = at + one.airtime;
        self.airtime[StaIx::AP.ix()] += one.airtime;
        stations.beacon(&one);
        if let Some(h) = &mut self.hidden {
            h.spoilt(StaIx::AP, None, end, end, &mut self.reference);
        }
        if collided {
            return self.collide_until(now, end, stations);
        }
        (self.busy_until, self.undecoded) = (end, None);
        if self.hidden.is_none() {
            self.reference.fill(end);
        }
        self.idle(stations);
    }
}
