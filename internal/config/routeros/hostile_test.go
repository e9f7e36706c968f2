package routeros

import (
	"strings"
	"testing"

	"linerate/internal/config/configtest"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// A part of the user's own may name a switch's ports; what is no word is refused.
func TestHostilePorts(t *testing.T) {
	refused := 0
	for _, name := range configtest.Hostile {
		part := &catalog.Part{Name: "switch", Ports: []catalog.Port{{Index: 1, Name: name, Cage: "sfp+"}}}
		s := &plan.Switch{Name: "sw", OS: "routeros", Part: part, Decl: &fabric.Switch{}, Ports: []plan.SwitchPort{{ID: "sw.1", Index: 1, Speed: 10e9, MTU: 9000}}}
		d, err := Switch(&plan.Plan{Name: "f"}, s)
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "switch sw: port sw.1:") {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if apply := d.Files[0].Text(); name != "" && name != "plain" || name == "plain" && !strings.Contains(apply, `where name="plain"`) {
			t.Errorf("port %q is taken:\n%s", name, apply)
		}
	}
	if refused < len(configtest.Hostile)-2 {
		t.Errorf("only %d of %d names are refused", refused, len(configtest.Hostile))
	}
}
