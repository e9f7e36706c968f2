package render

import (
	"strconv"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/configtest"
)

// read reads a string of the RouterOS console by the rules of its manual. It reports whether the text is exactly one
// string.
func read(text string) (string, bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), i == len(text)-1
		case '$', '?':
			return "", false // a variable; help before 7.1
		case '\\':
			if i++; i == len(text) {
				return "", false
			}
			if strings.IndexByte(`"\$`, text[i]) >= 0 {
				b.WriteByte(text[i])
				continue
			}
			if i+2 > len(text)-1 || strings.ToUpper(text[i:i+2]) != text[i:i+2] {
				return "", false
			}
			n, err := strconv.ParseUint(text[i:i+2], 16, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			i++
		default:
			if c < ' ' || c > '~' {
				return "", false
			}
			b.WriteByte(c)
		}
	}
	return "", false
}

var quoting = configtest.Quoting{Quote: Quote, Read: read,
	Wrong: []string{`"a"b"`, `"$x"`, `"\"`, `"a`, `a"`, "\"\n\"", `"\zz"`}}

func TestQuote(t *testing.T) { quoting.Hostile(t) }

func FuzzQuote(f *testing.F) { quoting.Fuzz(f) }

// TestHostilePorts: a user's part may name a switch's ports. Names that are not words are refused.
func TestHostilePorts(t *testing.T) {
	refused := 0
	for _, name := range configtest.Hostile {
		part := &catalog.Part{Name: "switch", Ports: []catalog.Port{{Index: 1, Name: name, Cage: "sfp+"}}}
		s := &plan.Switch{Name: "sw", OS: "routeros", Part: part, Decl: &fabric.Switch{},
			Ports: []plan.SwitchPort{{ID: "sw.1", Index: 1, Speed: 10e9, MTU: 9000}}}
		d, err := Switch(&plan.Plan{Name: "f"}, s)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "switch sw: port sw.1:") {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if apply := d.Files[0].Text(); name != "" && name != "plain" || name == "plain" &&
			!strings.Contains(apply, `where name="plain"`) {
			t.Errorf("port %q is taken:\n%s", name, apply)
		}
	}
	if refused < len(configtest.Hostile)-2 {
		t.Errorf("only %d of %d names are refused", refused, len(configtest.Hostile))
	}
}
