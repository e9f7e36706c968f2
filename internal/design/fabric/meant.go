package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/device/families"
)

// meantWord returns the value of a key that somebody means who writes a common word for it; empty: none. It is never a
// value that the key does not take.
func meantWord(key, word string, allowed []string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	first, _, _ := strings.Cut(word, " ")
	common := map[string]map[string]string{
		"mode": {"ethernet": "eth", "infiniband": "ib", "802.3ad": "lacp", "lag": "lacp", "mode4": "lacp",
			"active-backup": "backup", "failover": "backup", "mode1": "backup"},
		"rdma":   {"roce": "rocev2", "infiniband": "ib", "no": "none", "off": "none", "false": "none"},
		"export": {"cifs": "smb", "samba": "smb", "nvme": "nvme-tcp", "nvmeof": "nvme-tcp", "nvme-of": "nvme-tcp"},
		"trust":  {"l3": "dscp", "l2": "pcp", "cos": "pcp", "802.1p": "pcp"},
		"behind": {"pch": "chipset", "southbridge": "chipset", "plx": "switch"},
	}[key]
	if meant, _ := families.Meant(first); key == "os" && meant != nil && slices.Contains(allowed, meant.Name) {
		return meant.Name
	}
	for _, w := range []string{word, first} {
		if meant := common[w]; slices.Contains(allowed, meant) {
			return meant
		}
	}
	return ""
}

// meantChoice is what to write instead of an unknown value of a key.
func meantChoice(key, text string, allowed []string) string {
	if first, rest, ok := strings.Cut(strings.ToLower(text), " "); ok && key == "os" && slices.Contains(allowed, first) {
		return fmt.Sprintf("write os: %s, version: %q", first, rest)
	}
	if meant := meantWord(key, text, allowed); meant != "" {
		fix := fmt.Sprintf("write %s: %s", key, meant)
		first, _, _ := strings.Cut(strings.ToLower(text), " ")
		if _, edition := families.Meant(first); key == "os" && edition {
			fix += fmt.Sprintf(", version: %s%s", strings.ToUpper(text[:1]), text[1:])
		}
		return fix
	}
	if near := nearest(text, allowed); near != "" {
		return "did you mean " + near + "?"
	}
	if len(allowed) > 6 {
		return "write one of these"
	}
	return "write " + orList(allowed)
}

// meantNumber is what to write instead of a text that is not a whole number.
func meantNumber(text string, low, high int) string {
	if v, ok := WholeNumber(text); ok && v >= low && v <= high {
		return fmt.Sprintf("write %d", v)
	}
	return fmt.Sprintf("write a number from %d to %d", low, high)
}

// WholeNumber returns the number that a text means which is not written in digits alone: 9k, 1,500, 1500 bytes.
func WholeNumber(text string) (int, bool) {
	plain := strings.NewReplacer(",", "", "_", "", " ", "", "'", "").Replace(strings.ToLower(text))
	plain = strings.TrimSuffix(strings.TrimSuffix(plain, "bytes"), "b")
	factor := 1.0
	if rest, ok := strings.CutSuffix(plain, "k"); ok {
		plain, factor = rest, 1000
	}
	v, err := strconv.ParseFloat(plain, 64)
	v *= factor
	return int(v), err == nil && v == float64(int(v))
}

// meantMetric returns the metric of a goal that a common word means; empty: none.
func meantMetric(word string) string {
	return map[string]string{"throughput": "goodput", "bandwidth": "goodput", "speed": "goodput", "rate": "goodput",
		"latency": "latency.p50", "rtt": "latency.p50", "ping": "latency.p50", "p50": "latency.p50", "p99": "latency.p99",
		"time": "seconds", "duration": "seconds", "price": "cost", "money": "cost", "power": "watts", "watt": "watts",
	}[strings.ToLower(strings.TrimSpace(word))]
}

// meantMethod is what to write instead of an unknown method. Programs also run as themselves.
func meantMethod(word string) string {
	meant := MeantMethod(word)
	if meant == "" {
		return "write one of these"
	}
	fix := "write method: " + meant
	app := strings.ToLower(word)
	if app == "iperf" {
		app = "iperf3"
	}
	if s, ok := method.SettingOf("app"); ok && slices.Contains(s.WordsFor(method.Command), app) {
		fix += fmt.Sprintf("\nto run %s itself write {method: command, app: %s}", app, app)
	}
	return fix
}

// meantWant is what to write instead of a goal with an unknown metric, or with a percentage of nothing.
func meantWant(metric, op, right string) string {
	text := fmt.Sprintf("%s %s %s", metric, op, right)
	if strings.HasSuffix(right, "%") {
		text += " of ceiling"
	}
	if _, err := parseWant(text); metric == "" || err != nil {
		return ""
	}
	return "write " + text
}
