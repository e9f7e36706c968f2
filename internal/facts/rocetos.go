package facts

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

var tclassNumber = lazyregexp.New(`(?:tclass=)?\b(\d{1,3})\s*$`)

// readTrafficClass reads /sys/class/infiniband/NAME/tc/N/traffic_class of NVIDIA's own driver: the type of service of what is
// not connected through RDMA CM. It is a number, or "Global tclass=106". No capture was at hand.
func readTrafficClass(f *Facts, args []string, value string) error {
	m := tclassNumber.FindStringSubmatch(value)
	if m == nil {
		return fmt.Errorf("%.40q is no traffic class", value)
	}
	n, _ := strconv.Atoi(m[1])
	p, err := portOf(f, args)
	if err != nil || n > 255 {
		return fmt.Errorf("%.40q is no traffic class of a port", value)
	}
	p.TrafficClass = known(n)
	p.says("traffic class", f.proofOf(value))
	return nil
}

// readCMA reads what "cma_roce_tos -d NAME -p N" prints, and /sys/kernel/config/rdma_cm/NAME/ports/N/default_roce_tos: the type of
// service that RDMA CM gives a connection. With cma_roce_mode and default_roce_mode: the version of RoCE.
// Format: https://github.com/Mellanox/mlnx-tools, sbin/cma_roce_tos; Documentation/ABI/testing/configfs-rdma_cm. No capture was at hand.
func readCMA(f *Facts, args []string, text []byte) error {
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
		p.Mode = known(last)
		p.says("mode", f.proof(last))
		return nil
	}
	n, err := strconv.Atoi(last)
	if err != nil || n < 0 || n > 255 {
		return toolError(text)
	}
	p.ToS = known(n)
	p.says("tos", f.proof(last))
	return nil
}

// readRDMAPath reads where the card of an RDMA device is: .../0000:c1:00.0.
func readRDMAPath(f *Facts, args []string, text []byte) error {
	path, err := parsePath(text)
	if err != nil {
		return err
	}
	if at := baseName(path); pciAddress.MatchString(at) {
		f.rdma(args[0]).PCI = at
	}
	return nil
}

// readECNFile reads /sys/class/net/X/ecn/roce_np/enable/3 of mlx5 (NVIDIA's own driver): 1 where the notification point, or with
// roce_rp the reaction point, works for that priority. Captures have them as lines of "grep -r .".
func readECNFile(f *Facts, args []string, text []byte) error {
	value, err := parseValue(text)
	if err != nil {
		return err
	}
	priority, err := strconv.Atoi(args[2])
	point, ok := strings.CutPrefix(args[1], "roce_")
	if err != nil || priority < 0 || priority > 7 || !ok || value != "0" && value != "1" {
		return fmt.Errorf("%.40q is no state of ECN for a priority", value)
	}
	f.effect(args[0]).point(point, priority, value == "1", f.proofOf(value))
	return nil
}

// readTrustFile reads /sys/class/net/X/qos/trust of NVIDIA's own driver: pcp or dscp. No capture was at hand.
func readTrustFile(f *Facts, args []string, text []byte) error {
	value, err := parseValue(text)
	if err != nil {
		return err
	}
	if value != "dscp" && value != "pcp" && value != "both" {
		return fmt.Errorf("%.40q is no trust", value)
	}
	f.effect(args[0]).Trust = known(value)
	f.effect(args[0]).proves("trust", f.proofOf(value))
	return nil
}
