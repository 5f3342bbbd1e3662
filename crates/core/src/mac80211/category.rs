//! Access categories as mac80211 numbers them.

/// An access category as the kernel numbers it: 0 VO, 1 VI, 2 BE, 3 BK.
pub type Ac = u8;

/// The access category of a TID. src: linux@6.12 net/mac80211/wme.c, `ieee80211_ac_from_tid`
pub const fn ac_of(tid: u8) -> Ac {
    [2, 3, 3, 2, 1, 1, 0, 0][(tid & 7) as usize]
}
