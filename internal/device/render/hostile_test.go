package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/configtest"
	"linerate/internal/testenv"
)

// TestHostileTexts: texts of the user's file that no name check restricts may be in comments, READMEs and reasons, but
// never in a line that a device runs.
func TestHostileTexts(t *testing.T) {
	catalog := testenv.Must(catalog.Load())(t)
	rendered := 0
	for _, text := range configtest.Hostile {
		if len(text) < 4 || !utf8.ValidString(text) {
			continue // too short to be distinguished from the rest of a line; YAML is UTF-8
		}
		q := testenv.Must(json.Marshal(text))(t)
		file := fmt.Sprintf(`
fabric: hostile
mtu: 9000
addressing: {names: hosts-file}
hosts:
  bsd: {os: freebsd, version: %[1]s, system: %[1]s, nics: {n: {part: {kind: nic, name: %[1]s, speed: 100G, ports: 1, cage: qsfp28}, ports: [mce0]}}}
  nas: {os: truenas, version: %[1]s, nics: {n: {part: {kind: nic, name: %[1]s, speed: 100G, ports: 1, cage: qsfp28}}}}
  win: {os: windows, version: %[1]s, settings: {powerplan: %[1]s}, nics: {n: {part: {kind: nic, name: %[1]s, speed: 100G, ports: 1, cage: qsfp28}, firmware: %[1]s}}}
switches: {sw: {part: CRS504, os: routeros, version: %[1]s, system: %[1]s}}
links:
  - {ends: [bsd.n, sw.1]}
  - {ends: [nas.n, sw.2]}
  - {ends: [win.n, sw.3]}
classes: {roce: {priority: 3, dscp: 26, lossless: true, share: 50%%, match: %[1]s}}
`, q)
		f, problems := fabric.Parse("hostile.yaml", []byte(file), fabric.Options{Catalog: catalog})
		if len(problems) > 0 {
			continue // refused with its place
		}
		s := Render(plan.Build(f))
		if len(s.Refused) > 0 {
			t.Errorf("%q: %v", text, s.Refused)
		}
		for _, d := range s.Devices {
			for i := range d.Files {
				rendered++
				file := &d.Files[i]
				for _, l := range file.Lines {
					if strings.ContainsAny(l.Text, "\n\r\x00\x1b\u2028\u0085\u202e") {
						t.Errorf("%q: %s %s: %q is not one plain line", text, d.Name, file.Name, l.Text)
					}
					prose := strings.HasSuffix(file.Name, ".md") ||
						file.Comment != "" && strings.HasPrefix(strings.TrimSpace(l.Text), file.Comment)
					if !prose && strings.Contains(text, "reboot") && strings.Contains(l.Text, text) {
						t.Errorf("%q is in %s %s: %s", text, d.Name, file.Name, l.Text)
					}
				}
			}
		}
	}
	if rendered < 200 {
		t.Errorf("only %d files were rendered", rendered)
	}
}
