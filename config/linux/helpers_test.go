package linux_test

import (
	"path/filepath"
	"testing"

	"linerate/config/device"
	"linerate/config/linux"
	"linerate/fabric"
	"linerate/parts"
	"linerate/plan"
)

// designs are all fabrics with hosts of this family.
var designs = []string{"mesh-10g", "pairs-ib", "roce-100g", "eval-25g", "designs/all-families", "designs/leaf-spine-16", "designs/mesh-4"}

func load(t testing.TB, name string) *plan.Plan {
	t.Helper()
	catalog, err := parts.Load()
	if err != nil {
		t.Fatal(err)
	}
	f, problems := fabric.Load(filepath.Join("..", "..", "examples", name+".yaml"), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return plan.Build(f)
}

func ours(h *plan.Host) bool { return h.OS == "linux" || h.OS == "proxmox" }

func render(t testing.TB, p *plan.Plan, h *plan.Host) device.Device {
	t.Helper()
	d, err := linux.Render(p, h)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
