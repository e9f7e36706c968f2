package render

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
)

// A limit of the kernel is raised where it is below the plan, and never lowered; a larger one is as planned.
func TestLimitsAreNeverLowered(t *testing.T) {
	var script strings.Builder
	for _, l := range slices.Concat(readText, applyText, verifyText) {
		script.WriteString(l.Text + "\n")
	}
	// A machine with one setting, which is in a file.
	script.WriteString(`
say() { printf '%s\n' "$*"; }
keep() { say "kept $4"; }
sysctl() { printf '%s\n' "${3#*=}" >"$file"; }
sysctl_of() { cat "$file"; }
file=$3
echo "$1" >"$file"
raise net.ipv4.tcp_rmem "$2"
echo "now $(cat "$file")"
echo "$1" >"$file"
least "sysctl net.ipv4.tcp_rmem" "$2" "$(sysctl_of net.ipv4.tcp_rmem)"
`)
	const planned = "4096 131072 4194304"
	for have, want := range map[string]string{
		"4096 131072 33554432": "now 4096 131072 33554432\nok sysctl net.ipv4.tcp_rmem is 4096 131072 33554432\n",
		planned:                "now " + planned + "\nok sysctl net.ipv4.tcp_rmem is " + planned + "\n",
		"8192 87380 1000000": "kept 8192 87380 1000000\nnow 8192 131072 4194304\n" +
			"not as planned: sysctl net.ipv4.tcp_rmem is 8192 87380 1000000, planned " + planned + "\n",
	} {
		out, err := exec.Command("sh", "-c", script.String(), "sh", have, planned, t.TempDir()+"/value").CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%swant\n%s", have, err, out, want)
		}
	}
}

// A file for every boot is not below the kernel's own default.
func TestLimitsAboveTheDefault(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"net.ipv4.tcp_rmem", "4096 131072 4194304", "4096 131072 33554432"},
		{"net.ipv4.tcp_rmem", "4096 131072 67108864", "4096 131072 67108864"},
		{"net.ipv4.conf.all.arp_ignore", "1", "1"},
	} {
		s := plan.Setting{Kind: plan.SetSysctl, Key: c.key, Value: c.value}
		if got := s.AboveDefault(); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.key, c.value, got, c.want)
		}
	}
}
