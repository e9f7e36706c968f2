package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/traffic"
)

// Product lists every combination of the parameters' values.
func Product(parameters []fabric.Parameter) []map[string]string {
	out := []map[string]string{{}}
	for _, a := range parameters {
		var next []map[string]string
		for _, m := range out {
			for _, v := range a.Values {
				n := map[string]string{a.Key: v}
				for k, x := range m {
					n[k] = x
				}
				next = append(next, n)
			}
		}
		out = next
	}
	return out
}

// Unsupported returns why this combination cannot be measured.
func Unsupported(e *fabric.Experiment, settings map[string]string, o Options) string {
	t := settings["transport"]
	if t == traffic.ICMP && method.Named(e.Method).RoundTrips {
		for _, k := range []string{"load_streams", "fragment"} {
			if v := settings[k]; v != "" && v != "false" {
				return fmt.Sprintf(
					"%s: %s is not possible over icmp, where only from has an agent and asks; measure over tcp or udp", k, v)
			}
		}
	}
	if t == traffic.MPTCP && e.Grouped() {
		return fmt.Sprintf("%s among several hosts at once over mptcp is not part of this version; measure it over tcp, "+
			"or between two hosts", e.Method)
	}
	if settings["fragment"] == "true" && settings["transport"] != traffic.UDP {
		return "fragment is a setting of the transport udp"
	}
	if settings["load_direction"] != "" && settings["load_streams"] == "" {
		return "load_direction is of the load that load_streams asks for"
	}
	if why := contradiction(settings); why != "" {
		return why
	}
	if path := settings["source"]; path != "" && !o.Sources {
		return fmt.Sprintf(
			"it reads the file %s of the host that sends and gives it to the other end; allow that with --allow-source", path)
	}
	for k, v := range settings {
		if !method.Measures(e.Method, k) {
			return fmt.Sprintf("the setting %s: %s is not part of this version", k, v)
		}
	}
	return ""
}

// WrongDirection returns why the direction of a combination cannot be measured over its transport.
func WrongDirection(settings map[string]string, direction string) string {
	if settings["transport"] == traffic.ICMP && direction != "" && direction != traffic.Out {
		return fmt.Sprintf("direction: %s is not possible over icmp, where only from has an agent and asks: out", direction)
	}
	return ""
}

// Supported returns an error for the settings of an experiment from the command line that this version cannot measure.
func Supported(e *fabric.Experiment) error {
	var all []error
	for _, settings := range Product(e.Parameters) {
		direction := settings["direction"]
		delete(settings, "direction")
		delete(settings, "time")
		if why := cmp.Or(Unsupported(e, settings, Options{Sources: true}), WrongDirection(settings, direction)); why != "" &&
			!slices.ContainsFunc(all, func(err error) bool { return err.Error() == why }) {
			all = append(all, errors.New(why))
		}
	}
	return errors.Join(all...)
}

// contradiction names two settings that exclude each other.
func contradiction(settings map[string]string) string {
	udp := settings["transport"] == traffic.UDP
	batch := settings["batch"] != "" && settings["batch"] != "1"
	for _, c := range []struct {
		with bool
		key  string
		why  string
	}{
		{udp, "amount", "datagrams that are lost are not retransmitted, so that no amount of them comes through for " +
			"certain; measure a time, or use tcp"},
		{udp, "source", "datagrams come from memory; use tcp"},
		{batch, "amount", "a batch of messages takes a time; omit batch or amount"},
		{batch, "source", "a file is sent without batches; omit batch or source"},
		{settings["pace"] == "", "pace_by", "it says who keeps a rate, and no pace was asked for; add one, such as " +
			"pace 300M"},
	} {
		if c.with && settings[c.key] != "" {
			return c.key + ": " + c.why
		}
	}
	return ""
}

// ConditionsOf are the conditions of a path, from its ends' latest facts.
func ConditionsOf(s Session, p plan.Path) path.Conditions {
	return path.Conditions{From: s.Facts(p.From), To: s.Facts(p.To), Lab: s.Lab() != nil, Scale: LabScale(s),
		VLAN: p.Tagged()}
}

// LabScale is the part of the planned rates that the hosts of a session have: less than 1 in a lab.
func LabScale(s Session) float64 {
	if lab := s.Lab(); lab != nil {
		return lab.Scale
	}
	return 1
}

// PlannedLink is the planned link of an RDMA device; empty: any.
func PlannedLink(p *plan.Port) string {
	if p == nil {
		return ""
	}
	return p.RDMA
}
