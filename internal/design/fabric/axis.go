package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// settingKind says how the values of an experiment's setting are read.
type settingKind int

const (
	isText settingKind = iota
	isCount
	isBytes
	isTime
	isRate
	isShare
	isWord // out of a list that the method may narrow
	isLoad
	isRatio // a plain number, such as 1e-12
)

// setting is a key of an experiment that becomes an axis: one of the flags of
// `linerate measure`.
type setting struct {
	name    string
	kind    settingKind
	low     float64            // the smallest value
	high    float64            // the largest, 0: none
	highs   map[string]float64 // the largest by method, where it is another one
	words   []string           // of isWord
	methods []string           // that take it; nil: all
}

// most is the largest value that a method takes; 0: there is no limit.
func (s setting) most(method string) float64 {
	if high, ok := s.highs[method]; ok {
		return high
	}
	return s.high
}

// maxMessage is what an agent keeps ready for one message: 64 MiB.
const maxMessage = 64 << 20

// maxTile and maxRanks are the most that a halo exchange takes: words of a message, which has to fit whole into the buffer of a socket, and processes.
const (
	maxTile  = 16384
	maxRanks = 4096
)

func settings() []setting {
	net := []string{"stream", "ping", "acceptance", "proof"}
	return []setting{
		{name: "transport", kind: isWord},
		{name: "time", kind: isTime, low: 0.01, high: 7 * 86400},
		{name: "warmup", kind: isTime, high: 86400},
		{name: "pause", kind: isTime, high: 86400},
		{name: "seed", kind: isCount},
		{name: "against", kind: isText},
		{name: "rate", kind: isRate, low: 1},
		{name: "pace", kind: isRate, low: 1},
		{name: "pace_by", kind: isWord, words: []string{"kernel", "program"}, methods: []string{"stream"}},
		{name: "source", kind: isText, methods: []string{"stream"}},
		{name: "copies", kind: isWord, words: []string{"both", "receive", "none"}, methods: []string{"stream"}},
		{name: "placement", kind: isText, methods: []string{"stream", "ping", "verbs", "halo"}},
		{name: "gather", kind: isCount, low: 1, high: 1024, methods: []string{"stream"}},
		{name: "spin", kind: isWord, words: []string{"true", "false"}, methods: []string{"ping", "halo"}},
		{name: "every", kind: isTime, low: 1e-6, high: 86400, methods: []string{"ping"}},
		{name: "load_streams", kind: isCount, low: 1, high: 1024, methods: []string{"ping"}},
		{name: "load_direction", kind: isWord, words: []string{"out", "in", "both"}, methods: []string{"ping"}},
		{name: "mtu", kind: isCount, low: minMTU, high: maxMTU},
		{name: "streams", kind: isCount, low: 1, high: 1024, methods: append([]string{"copy", "block"}, net...)},
		{name: "size", kind: isBytes, low: 1, highs: map[string]float64{"stream": maxMessage, "ping": maxMessage}, methods: append([]string{"verbs", "block", "copy", "halo"}, net...)},
		{name: "fragment", kind: isWord, words: []string{"true", "false"}, methods: net},
		{name: "direction", kind: isWord, words: []string{"out", "in", "both"}, methods: []string{"stream", "ping", "verbs", "copy", "halo"}}, // acceptance fills both ways; proof goes to one host
		{name: "pattern", kind: isWord, methods: []string{"block", "verbs", "halo", "stream", "ping", "acceptance"}},                          // proof is an incast
		{name: "class", kind: isText, methods: []string{"proof"}},
		{name: "bit_error_rate", kind: isRatio, low: 1e-18, high: 1e-3, methods: []string{"acceptance"}},
		{name: "op", kind: isWord, words: []string{"write", "read", "send"}, methods: []string{"verbs"}},
		{name: "metric", kind: isWord, words: []string{"latency", "goodput"}, methods: []string{"verbs", "halo"}},
		{name: "pairs", kind: isCount, low: 1, high: 4096, methods: []string{"verbs", "halo"}},
		{name: "amount", kind: isBytes, low: 1, methods: []string{"stream", "block", "copy"}},
		{name: "read", kind: isShare, high: 1, methods: []string{"block"}},
		{name: "depth", kind: isCount, low: 1, high: 65536, methods: []string{"block", "verbs"}},
		{name: "service", kind: isWord, words: []string{"rc", "ud"}, methods: []string{"verbs"}},
		{name: "inline", kind: isBytes, high: 65536, methods: []string{"verbs"}},
		{name: "signal", kind: isCount, low: 1, high: 65536, methods: []string{"verbs"}},
		{name: "batch", kind: isCount, low: 1, high: 1024, methods: []string{"verbs"}},
		{name: "path_mtu", kind: isCount, low: 256, high: 4096, methods: []string{"verbs"}},
		{name: "service_level", kind: isCount, high: 15, methods: []string{"verbs"}},
		{name: "traffic_class", kind: isCount, high: 255, methods: []string{"verbs"}},
		{name: "device", kind: isText, methods: []string{"verbs"}},
		{name: "threads", kind: isCount, low: 1, high: 4096, methods: []string{"block", "copy", "app"}},
		{name: "load", kind: isLoad, methods: []string{"block"}},
		{name: "steady", kind: isWord, words: []string{"true", "false"}, methods: []string{"block"}},
		{name: "profile", kind: isText, methods: []string{"block"}},
		{name: "span", kind: isBytes, low: 4096, methods: []string{"block"}},
		{name: "think", kind: isTime, high: 3600, methods: []string{"block"}},
		{name: "cache", kind: isWord, methods: []string{"block", "copy"}},
		{name: "files", kind: isCount, low: 1, high: 1e6, methods: []string{"copy"}},
		{name: "tool", kind: isWord, words: []string{"cp", "robocopy", "smbclient", "curl", "nfs-cp", "own", "scp", "sftp", "rsync"}, methods: []string{"copy"}},
		{name: "sync", kind: isWord, words: []string{"true", "false"}, methods: []string{"block"}},
		{name: "on_error", kind: isWord, words: []string{"stop", "go-on"}, methods: []string{"block"}},
		{name: "verify", kind: isWord, words: []string{"true", "false"}, methods: []string{"block"}},
		{name: "tiles", kind: isCount, high: maxTile, methods: []string{"halo"}},
		{name: "exchange", kind: isWord, words: []string{"two-phase", "one-phase", "sendrecv"}, methods: []string{"halo"}},
		{name: "processes", kind: isCount, low: 1, high: 1 << 20, highs: map[string]float64{"halo": maxRanks}, methods: []string{"app", "halo"}},
		{name: "command", kind: isText, methods: []string{"app"}},
		{name: "server", kind: isText, methods: []string{"app"}},
		{name: "ready", kind: isText, methods: []string{"app"}},
		{name: "app", kind: isWord, words: Apps(), methods: []string{"app"}},
	}
}

func settingNames() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.name)
	}
	return names
}

// methods are what an experiment can be.
func methods() []string {
	return []string{"stream", "ping", "verbs", "block", "copy", "halo", "app", "acceptance", "proof"}
}

// wordsOf are the values of a setting that a method knows; nil: any.
func wordsOf(s setting, method string) []string {
	if s.words != nil {
		return s.words
	}
	switch s.name + " " + method {
	case "transport stream", "transport proof":
		return []string{"tcp", "udp"}
	case "transport ping":
		return []string{"tcp", "udp", "icmp"}
	case "transport halo":
		return []string{"tcp", "rdma", "mpi"}
	case "transport verbs":
		return []string{"ib", "rocev1", "rocev2", "iwarp"}
	case "transport copy":
		return []string{"smb", "smb-direct", "nfs", "ftp", "ssh", "http", "local"}
	case "transport block":
		return []string{"local", "smb", "smb-direct", "nfs", "iscsi", "nbd", "nvme-tcp"}
	case "cache block":
		return []string{"around", "through"}
	case "cache copy":
		return []string{"cold", "warm"}
	case "pattern block":
		return []string{"random", "sequential", "zipf"}
	}
	if s.name == "pattern" {
		return []string{"pairs", "incast", "all-to-all"}
	}
	return nil
}

// axis reads one setting's values: a list, one value, or A..B in doublings.
func (d *decoder) axis(key *node, value *node, subject, method string, s setting) (Axis, bool) {
	a := Axis{Key: s.name, At: key.at}
	items := []*node{value}
	if value.kind == list {
		items = value.items
	}
	ok := true
	seen := map[string]bool{}
	for _, n := range items {
		if d.src.stopped {
			return a, false
		}
		if n.kind != scalar {
			d.bad(n.at, subject, fmt.Sprintf("%s takes values, and this is %s", s.name, n.describe()), "", fmt.Sprintf("write %s: [A, B]", s.name))
			ok = false
			continue
		}
		values, c := s.values(n.text, method)
		if c != nil {
			d.bad(n.at, subject, c.message, c.limit, c.fix)
			ok = false
		}
		for _, v := range values {
			if c := s.canonical(v); seen[c] {
				d.bad(n.at, subject, fmt.Sprintf("%s %s is in the list twice", s.name, quote(v)), "each value is measured once; repeats: says how often", "take one out")
			} else {
				seen[c] = true
			}
			a.Values = append(a.Values, v)
		}
	}
	if len(items) == 0 {
		d.bad(value.at, subject, fmt.Sprintf("the list of %s is empty", s.name), "", "write a value, or take the key out")
		ok = false
	}
	return a, ok
}

// values reads one value or a range, and says what is wrong with it.
func (s setting) values(text, method string) ([]string, *complaint) {
	if low, high, ok := strings.Cut(text, ".."); ok && s.doubles() {
		return s.doublings(strings.TrimSpace(low), strings.TrimSpace(high), method)
	}
	if c := s.check(text, method); c != nil {
		return nil, c
	}
	return []string{text}, nil
}

func (s setting) doubles() bool {
	return s.kind == isCount || s.kind == isBytes || s.kind == isTime || s.kind == isRate
}

// check says what is wrong with one value.
func (s setting) check(text, method string) *complaint {
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f }) || len(text) > maxText {
		return &complaint{quote(text) + " has control characters or is too long", "", "write one plain line"}
	}
	switch s.kind {
	case isWord:
		words := wordsOf(s, method)
		if words == nil || slices.Contains(words, text) {
			return nil
		}
		fix := "write one of them"
		if near := nearest(text, words); near != "" {
			fix = "write " + near
		}
		return &complaint{fmt.Sprintf("%s %s is not known", s.name, quote(text)), fmt.Sprintf("%s of %s is %s", s.name, method, orList(words)), fix}
	case isLoad:
		parts, ok := ParseBlockLoads(text)
		if !ok || slices.ContainsFunc(parts, func(p BlockPart) bool { return strings.HasSuffix(p.Block, "B") }) {
			return &complaint{quote(text) + " is no load", "a load is order, block size, queue depth and threads", "write it as SEQ1M-Q8T1, RND4K-Q32T16 or MIX80-8K-Q8T1, and several at once with their shares of reads as RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"}
		}
		return nil
	case isText:
		if text == "" {
			return &complaint{s.name + " is empty", "", "write a value, or take the key out"}
		}
		return nil
	}
	v, err := s.number(text)
	switch {
	case err != nil && s.kind == isCount:
		fix := "write digits only"
		if a, b, ok := strings.Cut(text, "-"); ok && s.check(a, method) == nil && s.check(b, method) == nil {
			fix = fmt.Sprintf("write [%s, %s], or %s..%s for doublings", a, b, a, b)
		}
		return &complaint{quote(text) + " is no whole number", "", fix}
	case err != nil:
		return unitComplaint(s.name, text, err)
	case v < s.low || s.most(method) > 0 && v > s.most(method):
		return &complaint{fmt.Sprintf("%s %s is out of range", s.name, visible(text)), s.limit(method), "write a value in that range"}
	}
	return nil
}

// unitComplaint turns an error of package unit, which ends in "; write it as ..",
// into words about a key.
func unitComplaint(key, text string, err error) *complaint {
	words, fix, _ := strings.Cut(err.Error(), "; ")
	if _, what, ok := strings.Cut(words, " is not "); ok {
		words = quote(text) + " is not " + what
	}
	return &complaint{words, "", strings.Replace(fix, "write it as", "write "+key+" as", 1)}
}

// number is a value in base units.
func (s setting) number(text string) (float64, error) {
	switch s.kind {
	case isCount:
		n, err := strconv.ParseUint(text, 10, 52)
		return float64(n), err
	case isBytes:
		b, err := unit.ParseBytes(text)
		return float64(b), err
	case isTime:
		t, err := unit.ParseDuration(text)
		return t.Seconds(), err
	case isRate:
		if n, err := strconv.ParseUint(text, 10, 40); err == nil && s.name == "rate" {
			return float64(n), nil // requests a second
		}
		r, err := unit.ParseBitRate(text)
		return float64(r), err
	case isShare:
		return unit.ParsePercent(text)
	case isRatio:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v, nil
		}
		return 0, fmt.Errorf("%q is not a number; write it as 1e-12", text)
	}
	return 0, fmt.Errorf("%s is no number", s.name)
}

// canonical is equal for values that mean the same: 1KiB and 1024.
func (s setting) canonical(text string) string {
	if v, err := s.number(text); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// limit says which numbers the setting takes.
func (s setting) limit(method string) string {
	unitOf := map[settingKind]string{isTime: " s", isRate: " b/s", isBytes: " bytes"}[s.kind]
	switch {
	case s.kind == isShare:
		return s.name + " is from 0% to 100%"
	case s.kind == isBytes && s.most(method) > 0:
		return fmt.Sprintf("%s of %s is from %s to %s", s.name, method, unit.Bytes(s.low), unit.Bytes(s.most(method)))
	case s.most(method) > 0:
		return fmt.Sprintf("%s is from %g to %.7g%s", s.name, s.low, s.most(method), unitOf)
	}
	if s.low == 1 {
		unitOf = strings.TrimSuffix(unitOf, "s")
	}
	return fmt.Sprintf("%s is at least %g%s", s.name, s.low, unitOf)
}

// doublings expands A..B to A, 2A, 4A .. up to B.
func (s setting) doublings(low, high, method string) (values []string, c *complaint) {
	for _, text := range []string{low, high} {
		if c := s.check(text, method); c != nil {
			return nil, c
		}
	}
	a, _ := s.number(low) // checked above
	b, _ := s.number(high)
	if a <= 0 || a > b {
		return nil, &complaint{fmt.Sprintf("the range %s does not rise", quote(low+".."+high)), "A..B is A, 2A, 4A up to B", "write the smaller value first, above 0"}
	}
	number, suffix := low, ""
	if i := strings.IndexFunc(low, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		number, suffix = low[:i], strings.TrimSpace(low[i:])
	}
	first, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil, &complaint{quote(low) + " is no number", "", "write A..B with numbers"}
	}
	for v, k := a, first; v <= b*1.0000001 && len(values) < 64; v, k = 2*v, 2*k {
		text := strconv.FormatFloat(k, 'f', -1, 64) + suffix
		if s.kind == isBytes {
			text = strings.ReplaceAll(unit.Bytes(v).String(), " ", "")
			if exact, err := unit.ParseBytes(text); err != nil || float64(exact) != v {
				text = strconv.FormatFloat(v, 'f', 0, 64) + "B"
			}
		}
		values = append(values, text)
	}
	return values, nil
}
