package check_test

import (
	"fmt"
	"linerate/internal/inspect/check/checks"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
)

const pair = `
fabric: pair
mtu: 9000
hosts:
  nas: {os: linux, nics: {fast: {part: &nic {kind: nic, speed: 10G, ports: 1}, ports: [eth2]}}}
  pc: {os: linux, nics: {fast: {part: *nic, ports: [eth2]}}}
links:
  - {ends: [nas.fast, pc.fast]}
`

// A check compares the facts of a host with the plan. A finding has evidence and a command that fixes it.
func ExampleRun() {
	f, problems := fabric.Parse("pair.yaml", []byte(pair), fabric.Options{})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	world := &check.World{Plan: plan.Build(f)}
	for _, c := range []struct{ host, mtu string }{{"nas", "9000"}, {"pc", "1500"}} {
		link := "2: eth2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu " + c.mtu + " qdisc mq state UP\n"
		got, err := read.Parse([]byte("os linux\n-- ip link --\n" + link))
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		world.Add(c.host, got)
	}
	for _, f := range check.Run(checks.All(), world, check.Choice{Only: []string{"mtu"}}).Findings {
		fmt.Printf("%s %s: %s: %s, wanted: %s\n", f.Severity, f.ID, f.Subject, f.Have, f.Want)
		fmt.Println("fix:", f.Fix)
		for _, e := range f.Evidence {
			fmt.Printf("evidence: %s, %s: %s\n", e.Host, e.Source, e.Line)
		}
	}

	// Output:
	// error mtu: pc: eth2: MTU 1500, wanted: 9000, as the link nas.fast.1--pc.fast.1 has
	// fix: ip link set dev eth2 mtu 9000
	// evidence: pc, ip link: eth2: mtu 1500
	// evidence: nas, ip link: eth2: mtu 9000
}
