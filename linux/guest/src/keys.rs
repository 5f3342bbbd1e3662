// SPDX-License-Identifier: GPL-2.0
//! A pair of CCMP keys, set at both ends of a link by nl80211: what a four-way handshake would have left there.
//!
//! Stands for: hostapd's and wpa_supplicant's NL80211_CMD_NEW_KEY after EAPOL-Key 4/4 (include/uapi/linux/nl80211.h).
//! Differs: D1 no handshake: association is an open network's, and the keys are there before the first packet; D2 no group key:
//! what goes to all (ARP's questions) is in the clear; D3 no rekeying.

use crate::genl::{ask, family, put, socket};
use crate::sys;

const NEW_KEY: u8 = 11;
const ATTR_IFINDEX: u16 = 3;
const ATTR_MAC: u16 = 6;
const ATTR_KEY_DATA: u16 = 7;
const ATTR_KEY_IDX: u16 = 8;
const ATTR_KEY_CIPHER: u16 = 9;
/// src: include/linux/ieee80211.h WLAN_CIPHER_SUITE_CCMP
const CCMP: u32 = 0x000f_ac04;
/// The RSN element of WPA2-PSK with CCMP, as hostapd's beacons would have it (802.11-2016, 9.4.2.25): it takes air.
pub const RSN_ELEMENT: &str = "30140100000fac040100000fac040100000fac020000";

/// The address of radio `i` (radio/card.c).
fn address(i: usize) -> [u8; 6] {
    [0x02, 0x77, 0x74, 0, 0, i as u8]
}

/// Keys for the link of the access point (radio 0, `wlan0` in the namespace AP) with radio `i`.
pub fn pair(i: usize, ns: &str, dev: &str) -> Result<(), String> {
    // hostapd knows a station some time after the station knows that it is associated
    let until = sys::now() + 1_000_000_000;
    loop {
        match sys::within("AP", || set("wlan0", address(i), i)) {
            Err(_) if sys::now() < until => sys::sleep_until(sys::now() + 1_000_000),
            told => break told?,
        }
    }
    sys::within(ns, || set(dev, address(0), i))
}

/// The key that this namespace's `dev` has for `peer`.
fn set(dev: &str, peer: [u8; 6], link: usize) -> Result<(), String> {
    let name = std::ffi::CString::new(dev).map_err(|e| e.to_string())?;
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    let fd = socket()?;
    let told = family(fd, "nl80211").and_then(|(id, _)| {
        let mut body = Vec::new();
        put(&mut body, ATTR_IFINDEX, &index.to_ne_bytes());
        put(&mut body, ATTR_MAC, &peer);
        put(&mut body, ATTR_KEY_DATA, &[link as u8; 16]);
        put(&mut body, ATTR_KEY_IDX, &[0]);
        put(&mut body, ATTR_KEY_CIPHER, &CCMP.to_ne_bytes());
        ask(fd, id, NEW_KEY, &body)
    });
    unsafe { libc::close(fd) };
    told.map_err(|e| format!("{dev}: key: {e}"))
}
