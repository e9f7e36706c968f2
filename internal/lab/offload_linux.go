package lab

import (
	"fmt"
	"strings"

	"github.com/safchain/ethtool"

	"linerate/internal/design/plan"
)

// offload switches a feature of the interface on or off. It runs on the host's thread.
func offload(s plan.Setting) (note string) {
	want := s.Value == "on"
	what := fmt.Sprintf("offload %s %s on %s", s.Key, s.Value, s.Interface)
	e, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	defer e.Close()
	state, err := e.FeaturesWithState(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	change := map[string]bool{}
	for _, name := range plan.OffloadFeatures(s.Key) {
		if f, ok := state[name]; ok && f.Available && f.Active != want {
			change[name] = want
		}
	}
	if len(change) > 0 {
		if err := e.Change(s.Interface, change); err != nil {
			return fmt.Sprintf("%s: the kernel refused it (%v)", what, err)
		}
	}
	after, err := e.Features(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	var wrong []string
	found := false
	for _, name := range plan.OffloadFeatures(s.Key) {
		got, ok := after[name]
		found = found || ok && got == want
		if ok && got != want && state[name].Available {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) > 0 {
		return fmt.Sprintf("%s: it stayed as it was (%s)", what, strings.Join(wrong, ", "))
	}
	if !found && want {
		return fmt.Sprintf("%s: a virtual link does not have it", what)
	}
	return ""
}
