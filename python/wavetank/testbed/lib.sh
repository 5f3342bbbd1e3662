# shellcheck shell=sh source-path=SCRIPTDIR disable=SC2154 # `here`, `ROLE`, `BED` are the scripts' own
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
# The kinds stand in lib-host.sh, lib-tc.sh and lib-wifi.sh.

tab=$(printf '\t')
verb=''
differs=0
# shellcheck source=lib-host.sh
. "$here/lib-host.sh"
# shellcheck source=lib-tc.sh
. "$here/lib-tc.sh"
# shellcheck source=lib-wifi.sh
. "$here/lib-wifi.sh"

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

# -- what is only looked at --------------------------------------------------------------------------------------------

kernel() { # VERSION
	have=$(uname -r)
	# Debian's release stops at the series: the stable release is in the version ("Debian 6.1.192-1").
	case "$have $(uname -v)" in
	"$1 "* | "$1".* | "$1"-* | *" Debian $1-"*) have=$1 ;;
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
