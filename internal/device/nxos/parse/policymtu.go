package parse

import (
	"slices"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// policyMTU is what "show interface" prints for each switched port of models whose MTU is set by a network-qos policy,
// whatever the policy sets.
const policyMTU = 1500

// policyModels are those models. Some newer Nexus 3000 print the port's MTU, but are not distinguished.
var policyModels = lazyregexp.New(`^Nexus ?[356]\d{3}|^N[356]K-`)

// policyPorts are the switched ports with that MTU.
type policyPorts struct{ names []string }

// Settle combines several outputs of a switch: on some models the printed MTU is not that of the port, and is removed.
func Settle(f *parse.Builder) {
	state := parse.StateOf[policyPorts](f)
	if len(state.names) == 0 || !policyModels.MatchString(f.Machine.Product.Or("")) {
		state.names = nil
		return
	}
	for i := range f.NICs {
		if n := &f.NICs[i]; slices.Contains(state.names, n.Name) && n.MTU == policyMTU {
			n.MTU = 0
			delete(n.Proofs, "mtu")
		}
	}
	f.Unknown = append(f.Unknown, facts.Unknown{Subject: "mtu",
		Reason: "on this model a network-qos policy sets the MTU of switched ports, and show interface prints 1500 " +
			"whatever it is"})
	state.names = nil
}
