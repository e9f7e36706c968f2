package rdma

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/dcb"
	"linerate/internal/facts/parse/pci"
)

var tclassNumber = lazyregexp.New(`(?:tclass=)?\b(\d{1,3})\s*$`)

// readTrafficClass reads /sys/class/infiniband/NAME/tc/N/traffic_class of NVIDIA's own driver: the type of service of
// connections that do not use RDMA CM. It is a number, or "Global tclass=106". No snapshot exists.
func readTrafficClass(f *parse.Builder, args []string, value string) error {
	m := tclassNumber.FindStringSubmatch(value)
	if m == nil {
		return fmt.Errorf("%.40q is not a traffic class", value)
	}
	n, _ := strconv.Atoi(m[1])
	p, err := portOf(f, args)
	if err != nil || n > 255 {
		return fmt.Errorf("%.40q is not a traffic class of a port", value)
	}
	p.TrafficClass = unit.Known(n)
	says(p, "traffic class", f.ProofOf(value))
	return nil
}

// readCMA reads "cma_roce_tos -d NAME -p N", and /sys/kernel/config/rdma_cm/NAME/ports/N/default_roce_tos: the type of
// service of RDMA CM's connections. It also reads cma_roce_mode and default_roce_mode: the version of RoCE. Format:
// https://github.com/Mellanox/mlnx-tools, sbin/cma_roce_tos; Documentation/ABI/testing/configfs-rdma_cm. No snapshot
// exists.
func readCMA(f *parse.Builder, args []string, text []byte) error {
	if len(args) < 2 {
		args = append(args, "1")
	}
	p, err := portOf(f, args)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if strings.HasPrefix(last, "RoCE v") || strings.HasPrefix(last, "IB/RoCE v") {
		p.Mode = unit.Known(last)
		says(p, "mode", f.Proof(last))
		return nil
	}
	n, err := strconv.Atoi(last)
	if err != nil || n < 0 || n > 255 {
		return parse.ToolError(text)
	}
	p.ToS = unit.Known(n)
	says(p, "tos", f.Proof(last))
	return nil
}

// readRDMAPath reads the location of an RDMA device's adapter: .../0000:c1:00.0.
func readRDMAPath(f *parse.Builder, args []string, text []byte) error {
	path, err := pci.ParsePath(text)
	if err != nil {
		return err
	}
	if at := parse.BaseName(path); pci.Address.MatchString(at) {
		rdma(f, args[0]).PCI = at
	}
	return nil
}

// ReadECNFile reads /sys/class/net/X/ecn/roce_np/enable/3 of mlx5 (NVIDIA's own driver): 1 if the notification point,
// or with roce_rp the reaction point, is enabled for that priority. Snapshots have them as lines of "grep -r .".
func ReadECNFile(f *parse.Builder, args []string, text []byte) error {
	value, err := parse.ParseValue(text)
	if err != nil {
		return err
	}
	priority, err := strconv.Atoi(args[2])
	point, ok := strings.CutPrefix(args[1], "roce_")
	if err != nil || priority < 0 || priority > 7 || !ok || value != "0" && value != "1" {
		return fmt.Errorf("%.40q is not a state of ECN for a priority", value)
	}
	dcb.SetPoint(f.EffectOf(args[0]), f, point, priority, value == "1", f.ProofOf(value))
	return nil
}

// ReadTrustFile reads /sys/class/net/X/qos/trust of NVIDIA's own driver: pcp or dscp. No snapshot exists.
func ReadTrustFile(f *parse.Builder, args []string, text []byte) error {
	value, err := parse.ParseValue(text)
	if err != nil {
		return err
	}
	if value != "dscp" && value != "pcp" && value != "both" {
		return fmt.Errorf("%.40q is not a trust", value)
	}
	f.EffectOf(args[0]).Trust = unit.Known(value)
	f.EffectOf(args[0]).Proves("trust", f.ProofOf(value))
	return nil
}
