# shellcheck shell=sh disable=SC2154 # names of lib.sh and bed.env
# Queueing disciplines (sourced by lib.sh).
#
# Formats read: `tc -j qdisc` (iproute2 tc/q_*.c: sizes in bytes, times in us, netem's in seconds, fq's slack in ns); `tc class`.

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
				function cake(    i, m, t, says, key_of, key, want, have) { # options that are words of their own; why it differs, or ""
					says = "unlimited bandwidth unlimited wash wash true ingress ingress true no-split-gso split_gso false"
					says = says " no-ack-filter ack-filter disabled ack-filter ack-filter enabled ack-filter-aggressive ack-filter aggressive"
					m = split(says, t, " ")
					for (i = 1; i < m; i += 3) key_of[t[i]] = i + 1
					for (i = first; i <= n; i++) {
						key = want = w[i]
						if (key in key_of) { want = t[key_of[w[i]] + 1]; key = t[key_of[w[i]]] }
						else if (key ~ /^(bandwidth|rtt|overhead|mpu|memlimit)$/) want = w[++i] + 0
						else if (key ~ /^(diffserv[348]|besteffort|precedence)$/) key = "diffserv"
						else if (key ~ /^(atm|ptm)$/) key = "atm"
						else key = "flowmode"
						have = value(key)
						if (key == "bandwidth" && have != "unlimited") have *= 8
						if (have != want) return "has " key " " have ", wants " want
					}
					return ""
				}
				function told(of, key,    s) { # of an object within o; 0 where nothing is told, as tc leaves out what is 0
					if (of == "gap" || of == "limit") return value(key) + 0
					if (!match(o, "\"" of "\":[{]")) return 0
					s = substr(o, RSTART + RLENGTH); sub(/[}].*/, "", s)
					if (!match(s, "\"" key "\":")) return 0
					return substr(s, RSTART + RLENGTH) + 0
				}
				function netem(    i, j, m, t, of, option, want, have, near) { # options with several values each; which distribution nobody tells
					of["delay"] = "delay jitter correlation"; of["loss"] = "loss correlation"; of["gemodel"] = "p r 1-h 1-k"
					of["duplicate"] = "duplicate correlation"; of["reorder"] = "reorder correlation"; of["rate"] = "rate packetoverhead"; of["gap"] = "gap"; of["limit"] = "limit"
					for (i = first; i <= n; i++) {
						option = w[i]
						if (option == "distribution") { i++; continue }
						if (option == "ecn") { if (value("ecn") != "true") return "wants ecn"; continue }
						if (w[i + 1] == "gemodel") option = w[++i]
						if (!(option in of)) return "has nobody to say " option
						m = split(of[option], t, " ")
						for (j = 1; j <= m && w[i + 1] ~ /^-?[0-9]/; j++) {
							want = w[++i] + 0
							if (w[i] ~ /us$/) want /= 1000000
							if (w[i] ~ /%$/) want /= 100
							if (w[i] ~ /bit$/) want /= 8
							have = told(option == "loss" ? "loss-random" : option == "gemodel" ? "loss-gemodel" : option, t[j])
							near = (want < 0 ? -want : want) / 10000 + 0.000002 # six digits are told
							if (have - want > near || want - have > near)
								return "has " option " " t[j] " " have ", wants " w[i]
						}
					}
					return ""
				}
				{ text = text $0 }
				END {
					n = split(spec, w, " ")
					for (i = 2; i <= n; i++) if (w[i] == "handle") { handle = w[i + 1]; kind = w[i + 2]; first = i + 3 }
					m = split(text, objects, /\{"kind":/)
					for (i = 2; i <= m; i++) if (index(objects[i], "\"handle\":\"" handle "\"")) o = "{\"kind\":" objects[i]
					if (o == "") { print "no discipline has the handle " handle; exit }
					if (value("kind") != kind) { print handle " is " value("kind") ", wants " kind; exit }
					if (kind == "cake" || kind == "netem") { why = kind == "cake" ? cake() : netem(); if (why != "") print handle " " why; exit }
					for (i = first; i <= n; i++) {
						if (w[i] == "ecn" || w[i] == "noecn") {
							if ((value("ecn") == "true") != (w[i] == "ecn")) { print handle " wants " w[i]; exit }
							continue
						}
						key = w[i]; want = w[++i]; have = value(key)
						if (key == "default") { sub(/^0x/, "", have) }
						if (want ~ /us$/) want = want + 0
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
