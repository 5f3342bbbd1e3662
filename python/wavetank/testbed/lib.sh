# shellcheck shell=sh
# What the roles' scripts share (POSIX sh, sourced). A role's script lists its settings; each is a function below, which
# carries out the verb it was called with:
#
#   up      saves what there is, once, then sets what is wanted; stops at the first command that fails, and names it
#   check   one line a setting: ok, differs (has, wants), cannot tell (why); code 1 if one differs
#   show    one line a setting: what there is, what is wanted, what was there before
#   down    puts back what was saved, the last first
#
# A kind of setting is a pair: get_KIND prints what there is (code 1: prints why it cannot be told), set_KIND sets it. What was
# found is kept in $STATE/$ROLE, a line a setting: kind, target, value, between tabs.
#
# Formats read here: sysctl(8); `tc -j` (iproute2 tc/q_*.c: sizes in bytes, times in us, netem's in seconds, fq's slack in ns);
# `ip -d link`; `ethtool -k`; `iw phy PHY info` prints no RTS threshold where it is off (iw info.c); debugfs (Linux
# net/mac80211/debugfs.c aqm_read, aql_txq_limit_read, airtime_flags_read).

tab=$(printf '\t')
verb=''
differs=0

die() {
	echo "$ROLE: $*" >&2
	[ "$verb" != up ] || echo "$ROLE: \`down\` puts back what was set so far" >&2
	exit 1
}

# Runs a command; where it fails, says which, and stops.
run() {
	"$@" || die "failed: $*"
}

# Writes a file of /proc or /sys; where it cannot, says which, and stops.
write() { # FILE TEXT
	{ printf '%s\n' "$2" >"$1"; } 2>/dev/null || die "failed: writing '$2' to $1"
}

tool() { # NAME PACKAGE: code 1, and why, where it is missing
	command -v "$1" >/dev/null 2>&1 || {
		echo "$1 is not here (Debian: apt-get install $2)"
		return 1
	}
}

words() { # TEXT: blanks and tabs become one blank
	printf '%s' "$1" | tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//'
}

# -- what was found ----------------------------------------------------------------------------------------------------

state() { echo "$STATE/$ROLE"; }

saved() { # KIND TARGET: what was there before; code 1 where nothing is saved
	[ -f "$(state)" ] || return 1
	awk -F "$tab" -v k="$1" -v t="$2" '$1 == k && $2 == t { print $3; found = 1; exit } END { exit !found }' "$(state)"
}

remember() { # KIND TARGET VALUE: once
	saved "$1" "$2" >/dev/null && return 0
	printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$(state)" || die "failed: writing $(state)"
}

# -- the verbs, for one setting ----------------------------------------------------------------------------------------

report() { # WHAT SAYS
	case $2 in
	ok | 'ok '*) [ "${quiet:-no}" = yes ] || printf '%-12s %s\n' ok "$1${2#ok}" ;;
	differs*)
		differs=1
		printf '%-12s %s\n' differs "$1${2#differs}"
		;;
	*)
		printf '%-12s %s\n' 'cannot tell' "$1: $2"
		;;
	esac
}

setting() { # KIND TARGET WANT [if-there]
	told=yes
	have=$("get_$1" "$2") || told=no
	what="$1 $2"
	case $verb in
	up)
		if [ "$told" = no ]; then
			[ "${4:-}" != if-there ] || return 0
			die "$what cannot be set: $have"
		fi
		remember "$1" "$2" "$have"
		[ "$have" = "$3" ] || "set_$1" "$2" "$3"
		;;
	check)
		if [ "$told" = no ]; then
			report "$what" "$have"
		elif [ "$have" = "$3" ]; then
			report "$what" "ok = $3"
		else
			report "$what" "differs: has ${have:-nothing}, wants $3"
		fi
		;;
	show)
		before=$(saved "$1" "$2") && before="; before: ${before:-nothing}" || before=''
		printf '%s\n' "$what: ${have:-nothing}; wants $3$before"
		;;
	esac
}

# An interface that must be there before anything is set.
device() { # DEVICE [wifi]
	why=''
	if [ ! -d "/sys/class/net/$1" ]; then
		why='no such device'
	elif [ "${2:-}" = wifi ] && [ ! -e "/sys/class/net/$1/phy80211" ]; then
		why='no Wi-Fi device'
	fi
	case $verb in
	up) [ -z "$why" ] || die "$1: $why; is its name in bed.env right?" ;;
	check) if [ -n "$why" ]; then report "device $1" "differs: $why"; else report "device $1" ok; fi ;;
	show) printf '%s\n' "device $1: ${why:-there}" ;;
	esac
}

# What is only looked at: a kernel, a card, a width.
wants() { # WHAT HAVE WANT
	case $verb in
	check) if [ "$2" = "$3" ]; then report "$1" "ok = $3"; else report "$1" "differs: has ${2:-nothing}, wants $3"; fi ;;
	show) printf '%s\n' "$1: ${2:-nothing}; wants $3" ;;
	esac
}

untold() { # WHAT WHY
	case $verb in
	check) report "$1" "$2" ;;
	show) printf '%s\n' "$1: $2" ;;
	esac
}

# -- sysctls -----------------------------------------------------------------------------------------------------------

get_sysctl() {
	file=/proc/sys/$(echo "$1" | tr . /)
	[ -r "$file" ] || {
		echo 'this kernel has none of that name'
		return 1
	}
	words "$(cat "$file")"
}
set_sysctl() { write "/proc/sys/$(echo "$1" | tr . /)" "$2"; }
sysctl() { setting sysctl "$@"; }

# -- links: gso_max_segs, gso_max_size, qlen ---------------------------------------------------------------------------

get_link() { # "DEVICE WHAT"
	tool ip iproute2 || return 1
	line=$(ip -d -o link show dev "${1% *}" 2>/dev/null) || {
		echo "no such device"
		return 1
	}
	words "$line" | awk -v k="${1#* }" '{ gsub(/\\/, " "); for (i = 1; i < NF; i++) if ($i == k) { print $(i + 1); exit } }'
}
set_link() {
	case ${1#* } in
	qlen) run ip link set dev "${1% *}" txqueuelen "$2" ;;
	*) run ip link set dev "${1% *}" "${1#* }" "$2" ;;
	esac
}
link() { setting link "$1 $2" "$3"; }

# -- offloads ----------------------------------------------------------------------------------------------------------

get_offload() { # "DEVICE tso|gso|gro"
	tool ethtool ethtool || return 1
	case ${1#* } in
	tso) long=tcp-segmentation-offload ;;
	gso) long=generic-segmentation-offload ;;
	*) long=generic-receive-offload ;;
	esac
	features=$(ethtool -k "${1% *}" 2>/dev/null) || {
		echo "ethtool cannot ask ${1% *}"
		return 1
	}
	printf '%s\n' "$features" | awk -v k="$long:" '$1 == k { print $2; exit }'
}
set_offload() { run ethtool -K "${1% *}" "${1#* }" "$2"; }
offload() { setting offload "$1 $2" "$3"; }

# -- queueing disciplines ----------------------------------------------------------------------------------------------

# tree DEVICE 'qdisc root handle 1: htb default 1' 'class parent 1: classid 1:1 htb rate 100000000bit ...' ...
# The first is the root. Over a discipline that somebody made (a handle other than 0:) `up` stops, since it could not be put back.
tree() {
	dev=$1
	shift
	root=$(tc_root "$dev") || root=''
	case $verb in
	up)
		reason=$(tool tc iproute2) || die "$reason"
		ip link show dev "$dev" >/dev/null 2>&1 || die "tree $dev: no such device"
		if ! saved tree "$dev" >/dev/null; then
			case $root in
			'' | *' 0: '*) remember tree "$dev" default ;;
			*)
				[ "${REPLACE_QDISC:-no}" = yes ] || die "tree $dev: somebody has put there: $root" \
					"(remove it, or say REPLACE_QDISC=yes in bed.env: down then leaves the kernel's default)"
				remember tree "$dev" default
				;;
			esac
		fi
		tree_differs "$dev" "$@" >/dev/null || return 0
		set_tree "$dev" default
		for spec; do
			# shellcheck disable=SC2086 # words on purpose
			run tc "${spec%% *}" add dev "$dev" ${spec#* }
		done
		;;
	check)
		if ! why=$(tool tc iproute2); then
			report "tree $dev" "$why"
		elif why=$(tree_differs "$dev" "$@"); then
			report "tree $dev" "differs: $why"
		else
			report "tree $dev" "ok = $*"
		fi
		;;
	show) printf '%s\n' "tree $dev: ${root:-nothing}; wants $*" ;;
	esac
}
tc_root() { tc qdisc show dev "$1" 2>/dev/null | awk '/ root / { print; exit }'; }
set_tree() { # DEVICE default: the kernel's own discipline
	case $(tc_root "$1") in
	'' | *' 0: '*) ;;
	*) run tc qdisc del dev "$1" root ;;
	esac
}

# Prints what differs, code 1 where nothing does. HTB's bursts are not compared: the kernel has them in ticks, not in bytes.
tree_differs() { # DEVICE SPEC...
	from=$1
	shift
	qdiscs=$(tc -j qdisc show dev "$from" 2>/dev/null) || {
		echo "nothing can be asked of $from"
		return 0
	}
	classes=$(tc class show dev "$from" 2>/dev/null)
	for spec; do
		case $spec in
		qdisc*)
			why=$(printf '%s' "$qdiscs" | awk -v spec="$spec" '
				function value(key,    s) { # of the object o
					if (!match(o, "\"" key "\":")) return ""
					s = substr(o, RSTART + RLENGTH)
					if (substr(s, 1, 1) == "{") return value_in(s, key)
					sub(/[,}].*/, "", s); gsub(/"/, "", s); return s
				}
				function value_in(s, key) { sub(/^\{/, "", s); sub("^\"" key "\":", "", s); sub(/[,}].*/, "", s); return s }
				{ text = text $0 }
				END {
					n = split(spec, w, " ")
					for (i = 2; i <= n; i++) if (w[i] == "handle") { handle = w[i + 1]; kind = w[i + 2]; first = i + 3 }
					m = split(text, objects, /\{"kind":/)
					for (i = 2; i <= m; i++) if (index(objects[i], "\"handle\":\"" handle "\"")) o = "{\"kind\":" objects[i]
					if (o == "") { print "no discipline has the handle " handle; exit }
					if (value("kind") != kind) { print handle " is " value("kind") ", wants " kind; exit }
					for (i = first; i <= n; i++) {
						if (w[i] == "ecn" || w[i] == "noecn") {
							if ((value("ecn") == "true") != (w[i] == "ecn")) { print handle " wants " w[i]; exit }
							continue
						}
						key = w[i]; want = w[++i]; have = value(key)
						if (key == "default") { sub(/^0x/, "", have) }
						if (want ~ /us$/) { want = want + 0; if (kind == "netem") have = have * 1000000 }
						if (have == "") { print handle " does not say " key; exit }
						# a span may be rounded to CoDel units of 1.024 us
						if (w[i] ~ /us$/ ? (have - want > 2 || want - have > 2) : have + 0 != want + 0) {
							print handle " has " key " " have ", wants " w[i]; exit
						}
					}
				}')
			;;
		*)
			why=$(printf '%s\n' "$classes" | awk -v spec="$spec" '
				function bits(t,    n) { n = t + 0; return n * (t ~ /Gbit/ ? 1e9 : t ~ /Mbit/ ? 1e6 : t ~ /Kbit/ ? 1e3 : 1) }
				BEGIN { n = split(spec, w, " "); for (i = 1; i < n; i++) { if (w[i] == "classid") id = w[i + 1]; if (w[i] == "rate") rate = w[i + 1] } }
				$1 == "class" && $3 == id { seen = 1; for (i = 1; i < NF; i++) if ($i == "rate") have = $(i + 1) }
				END {
					if (!seen) print "no class " id
					else { d = bits(have) - (rate + 0); if (d < 0) d = -d; if (d > rate / 1000) print "class " id " has rate " have ", wants " rate }
				}')
			;;
		esac
		if [ -n "$why" ]; then
			echo "$why"
			return 0
		fi
	done
	return 1
}

# -- modules -----------------------------------------------------------------------------------------------------------

get_module() { if [ -d "/sys/module/$1" ]; then echo loaded; else echo absent; fi; }
set_module() { # NAME loaded|absent
	if [ "$2" = absent ]; then
		run rmmod "$1"
		return
	fi
	modprobe "$1" 2>/dev/null && return
	for file in "$MODULES/$1.ko" "$MODULES/$1/$1.ko" "$MODULES/wavetank_bbr/$1.ko"; do
		if [ -f "$file" ]; then
			run insmod "$file"
			return
		fi
	done
	die "failed: modprobe $1, and $MODULES has no $1.ko (README.md says how it is built)"
}
module() { setting module "$1" loaded; }

get_param() { # "MODULE NAME"
	sed 's/^Y$/1/; s/^N$/0/' "/sys/module/${1% *}/parameters/${1#* }" 2>/dev/null | grep . || {
		echo "${1% *} is not loaded, or has no ${1#* }"
		return 1
	}
}
set_param() { write "/sys/module/${1% *}/parameters/${1#* }" "$2"; }
param() { setting param "$1 $2" "$3"; }

# A congestion control of ours: as a BPF program where bed.env says so, else as a module.
control() { # NAME MODULE [PARAMETER=VALUE...]
	name=$1
	mod=$2
	shift 2
	case $verb:$CONTROL_BY in
	up:bpf)
		case " $(cat /proc/sys/net/ipv4/tcp_available_congestion_control) " in *" $name "*) return 0 ;; esac
		remember bpf "$name" absent
		for pair; do set -- "$@" --set "$pair" && shift; done
		run wavetank bpf load "$name" "$@"
		;;
	*:bpf)
		case " $(cat /proc/sys/net/ipv4/tcp_available_congestion_control) " in
		*" $name "*) wants "control $name" loaded loaded ;;
		*) wants "control $name" absent loaded ;;
		esac
		[ $# = 0 ] || untold "control $name $*" "a BPF program does not say what it was compiled with"
		;;
	*)
		module "$mod"
		for pair; do param "$mod" "${pair%%=*}" "${pair#*=}"; done
		;;
	esac
}
set_bpf() { run wavetank bpf unload "$1"; }

# -- Wi-Fi -------------------------------------------------------------------------------------------------------------

phy_of() { # DEVICE
	cat "/sys/class/net/$1/phy80211/name" 2>/dev/null || {
		echo "$1 is no Wi-Fi device here"
		return 1
	}
}

# The kernel tells nobody which bit rates are set: down clears them, which is what nobody's setting is.
get_bitrates() { phy_of "$1" >/dev/null || { phy_of "$1"; return 1; }; echo none; }
set_bitrates() { # DEVICE WORDS; "none": all
	[ "$2" != none ] || set -- "$1" ''
	# shellcheck disable=SC2086 # words on purpose
	run iw dev "$1" set bitrates $2
}
bitrates() { # DEVICE WORDS...
	dev=$1
	shift
	case $verb in
	up)
		reason=$(tool iw iw) || die "$reason"
		setting bitrates "$dev" "$*"
		;;
	*)
		last=$(iw dev "$dev" link 2>/dev/null | sed -n 's/^[[:space:]]*tx bitrate: //p')
		untold "bitrates $dev $*" "the kernel does not say which are set; ${last:+last sent at $last}${last:-nothing was sent yet}"
		;;
	esac
}

get_rts() {
	tool iw iw || return 1
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	iw phy "$phy" info | awk '/RTS threshold:/ { v = $3 } END { print v == "" ? "off" : v }'
}
set_rts() { run iw phy "$(phy_of "$1")" set rts "$2"; }
rts() { setting rts "$@"; }

get_txpower() { # whole mBm
	tool iw iw || return 1
	iw dev "$1" info 2>/dev/null | awk '/txpower/ { print int($2 * 100 + 0.5); found = 1 } END { exit !found }' || {
		echo "$1 says no power"
		return 1
	}
}
set_txpower() { run iw dev "$1" set txpower fixed "$2"; }
txpower() { [ -z "${TXPOWER_MBM:-}" ] || setting txpower "$1" "$TXPOWER_MBM"; }

width() { # DEVICE MHZ
	have=$(iw dev "$1" info 2>/dev/null | sed -n 's/.*width: \([0-9]*\) MHz.*/\1/p')
	if [ -n "$have" ]; then wants "width $1" "$have" "$2"; else untold "width $1" "$1 is on no channel"; fi
}

debug_of() { # DEVICE FILE
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	[ -r "/sys/kernel/debug/ieee80211/$phy/$2" ] || {
		echo "/sys/kernel/debug/ieee80211/$phy/$2 cannot be read (root? debugfs? CONFIG_MAC80211_DEBUGFS?)"
		return 1
	}
	echo "/sys/kernel/debug/ieee80211/$phy/$2"
}

get_aqm() { # "DEVICE NAME"
	file=$(debug_of "${1% *}" aqm) || { echo "$file"; return 1; }
	awk -v k="${1#* }" '$2 == k { print $3 }' "$file"
}
set_aqm() { write "$(debug_of "${1% *}" aqm)" "${1#* } $2"; }
aqm() { setting aqm "$1 $2" "$3"; }

get_aql() { # low and high of VO, VI, BE, BK, us
	file=$(debug_of "$1" aql_txq_limit) || { echo "$file"; return 1; }
	words "$(awk 'NR > 1 { print $2, $3 }' "$file")"
}
set_aql() {
	file=$(debug_of "$1" aql_txq_limit) || die "$file"
	# shellcheck disable=SC2086 # eight numbers
	set -- $2
	for ac in 0 1 2 3; do
		write "$file" "$ac $1 $2"
		shift 2
	done
}
aql() { setting aql "$1" "$2 $3 $2 $3 $2 $3 $2 $3"; }

get_debug() { # "DEVICE FILE": one that holds a number
	file=$(debug_of "${1% *}" "${1#* }") || { echo "$file"; return 1; }
	cat "$file"
}
set_debug() { write "$(debug_of "${1% *}" "${1#* }")" "$2"; }
debug() { setting debug "$1 $2" "$3"; }

get_airtime() { # 1: what is sent is counted, 2: what is received, 3: both
	file=$(debug_of "$1" airtime_flags) || { echo "$file"; return 1; }
	awk '/AIRTIME_TX/ { n += 1 } /AIRTIME_RX/ { n += 2 } END { print n + 0 }' "$file"
}
set_airtime() { write "$(debug_of "$1" airtime_flags)" "$2"; }
airtime() { setting airtime "$@"; }

# CoTSQ's lever, man wavetank_tsq(8): a line "PHY VALUE FORMER" for each card that is set.
get_tsq() {
	[ -r /sys/module/wavetank_tsq/parameters/shift ] || {
		echo 'wavetank_tsq is not loaded'
		return 1
	}
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	awk -v p="$phy" '$1 == p { v = $2 } END { print v == "" ? "-" : v }' /sys/module/wavetank_tsq/parameters/shift
}
set_tsq() { write /sys/module/wavetank_tsq/parameters/shift "$1 $2"; }
tsq() {
	module wavetank_tsq
	setting tsq "$@"
}

# mac80211's rate control: what a driver that is loaded from now on gets; the card's own is only looked at.
get_rc() {
	grep . /sys/module/mac80211/parameters/ieee80211_default_rc_algo 2>/dev/null || {
		echo 'mac80211 is not loaded'
		return 1
	}
}
set_rc() { write /sys/module/mac80211/parameters/ieee80211_default_rc_algo "$2"; }
rate_control() { # DEVICE NAME
	setting rc default "$2"
	if file=$(debug_of "$1" rc/name); then
		wants "rate control of $1 (reload its driver to change it)" "$(cat "$file")" "$2"
	else
		untold "rate control of $1" "$file"
	fi
}

# -- what is only looked at --------------------------------------------------------------------------------------------

kernel() { # VERSION
	have=$(uname -r)
	case $have in
	"$1" | "$1".* | "$1"-*) have=$1 ;;
	esac
	wants kernel "$have" "$1"
}

hz() { # TICKS
	for file in /proc/config.gz "/boot/config-$(uname -r)"; do
		if [ -r "$file" ]; then
			have=$({ gzip -dc "$file" 2>/dev/null || cat "$file"; } | sed -n 's/^CONFIG_HZ=//p')
			wants 'kernel, CONFIG_HZ' "$have" "$1"
			return
		fi
	done
	untold "kernel, CONFIG_HZ = $1" "there is neither /proc/config.gz nor /boot/config-$(uname -r)"
}

driver() { # DEVICE NAME: ath10k is ath10k_pci, ath10k_usb, ...
	have=$(basename "$(readlink "/sys/class/net/$1/device/driver" 2>/dev/null)" 2>/dev/null)
	case $have in
	"$2"_pci | "$2"_usb | "$2"_sdio | "$2"_snoc) have=$2 ;;
	esac
	wants "driver of $1" "$have" "$2"
}

told() { untold "$1" "$2"; } # WHAT WHY

# -- the access point's configuration ----------------------------------------------------------------------------------

# 40 MHz: which side the second half is on. src: 802.11-2020 annex E; at 2.4 GHz up to channel 7 above, else below
ht40() { # CHANNEL
	if [ "$1" -le 7 ]; then
		echo +
	elif [ "$1" -le 14 ]; then
		echo -
	elif [ "$1" -ge 149 ]; then
		if [ $((($1 - 149) / 4 % 2)) = 0 ]; then echo +; else echo -; fi
	elif [ $((($1 - 36) / 4 % 2)) = 0 ]; then
		echo +
	else
		echo -
	fi
}

# The middle of 80 or 160 MHz, as a channel's number. src: 802.11-2020 annex E, operating classes 128 and 129
middle() { # CHANNEL MHZ
	span=$(($2 / 5))
	base=36
	[ "$1" -lt 149 ] || base=149
	[ "$2" = 80 ] || [ "$1" -lt 149 ] || die "CHANNEL=$1: 160 MHz begin at 36 or 100"
	[ "$1" -lt 100 ] || [ "$1" -ge 149 ] || base=100
	echo $((($1 - base) / span * span + base + span / 2 - 2))
}

# -- main --------------------------------------------------------------------------------------------------------------

usage() {
	echo "usage: $0 up|down|check|show${extra:+|$extra}" >&2
	exit 2
}

lock_state() { # up: the folder, and whose settings are there
	[ "$(id -u)" = 0 ] || die "needs root"
	mkdir -p "$STATE" || die "failed: mkdir $STATE"
	whose=$(saved bed scenario) || whose=$BED
	[ "$whose" = "$BED" ] || die "is up for another scenario ($whose): run that one's down first"
	remember bed scenario "$BED"
}

put_back() {
	[ "$(id -u)" = 0 ] || die "needs root"
	if [ ! -f "$(state)" ]; then
		echo "$ROLE: nothing is up"
		return 0
	fi
	failed=no
	left=$(state).left
	: >"$left" || die "failed: writing $left"
	lines=$(sed '1!G;h;$!d' "$(state)")
	while IFS=$tab read -r kind target value; do
		[ "$kind" != bed ] || continue
		(
			now=''
			case $kind in tree | bpf | bitrates) ;; *) now=$("get_$kind" "$target") || now='' ;; esac
			[ "$now" = "$value" ] && [ -n "$now" ] || "set_$kind" "$target" "$value"
		) </dev/null || {
			failed=yes
			printf '%s\t%s\t%s\n' "$kind" "$target" "$value" >>"$left"
		}
	done <<-END
		$lines
	END
	if [ "$failed" = yes ]; then
		{
			printf 'bed\tscenario\t%s\n' "$BED"
			sed '1!G;h;$!d' "$left"
		} >"$(state)"
		rm -f "$left"
		die "what is named above could not be put back: $(state) keeps what was there before"
	fi
	rm -f "$left" "$(state)"
}

main() { # VERB
	[ $# = 1 ] || usage
	verb=$1
	case $verb in
	up)
		lock_state
		settings
		verb=check
		quiet=yes
		settings
		echo "$ROLE: up; what was there before is kept in $(state)"
		;;
	down) put_back ;;
	check)
		settings
		[ "$differs" = 0 ] || exit 1
		;;
	show) settings ;;
	"${extra:-none}") "$extra" ;;
	*) usage ;;
	esac
}
