package judge

// WaitsForQuota is the share of the periods in which a group must have waited. Waiting now and then costs nothing.
const WaitsForQuota = 0.3

// QuotaOwner describes the origin of a quota that is set again after a restart.
const QuotaOwner = "whoever started the program there set that limit, and sets it again; take it away in its " +
	"service (systemctl set-property UNIT CPUQuota=), its container (docker update --cpus 0 NAME) or its virtual " +
	"machine"

// Throttled returns the control group of an end's process that waited for its quota in most of its periods.
func (s Side) Throttled() (group string, cores, share, throttled float64, line string) {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return
	}
	for _, after := range s.Shots.After.Quotas {
		for _, before := range s.Shots.Before.Quotas {
			if before.Group != after.Group || after.CPUs <= 0 || after.Periods <= before.Periods ||
				after.Throttled < before.Throttled {
				continue
			}
			waited := float64(after.Throttled - before.Throttled)
			if v := waited / float64(after.Periods-before.Periods); v > share {
				group, cores, share, throttled, line = after.Group, after.CPUs, v, waited, after.Proof.Line
			}
		}
	}
	return
}
