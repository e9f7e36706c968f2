package plan_test

import (
	"fmt"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

const pair = `
fabric: pair
mtu: 9000
hosts:
  nas:
    os: linux
    nics: {fast: {part: MCX354A-FCCT, slot: pcie3x8, mode: eth, ports: [ens1, ens1d1]}}
  pc:
    os: linux
    nics: {fast: {part: MCX354A-FCCT, slot: pcie3x4, mode: eth, ports: [enp3s0, enp3s0d1]}}
links:
  - {ends: [nas.fast.1, pc.fast.1], cable: {part: FCBG410QB1C50-FC, price: 37.32 USD}}
`

// Build assigns the addresses and finds the slot that is too slow for its NIC.
func ExampleBuild() {
	f, problems := fabric.Parse("pair.yaml", []byte(pair), fabric.Options{})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	p := plan.Build(f)
	for _, path := range p.Paths("nas", "pc") {
		a, b := path.FromPort, path.ToPort
		fmt.Println(a.Interface, a.Address, "to", b.Interface, b.Address, "at", path.Speed())
	}
	for _, problem := range p.Problems {
		if problem.Severity == record.Warning {
			fmt.Printf("warning: %s (%s)\nhelp: %s\n", problem.Subject, problem.ID, problem.Fix)
		}
	}

	// Output:
	// ens1 10.20.1.1/24 to enp3s0 10.20.1.2/24 at 40.0 Gb/s
	// warning: pc.fast (pcie-slot)
	// help: take a slot with more lanes or a newer generation, or expect that much
}

// The bill of materials has one line for equal parts of one price.
func ExampleBOM() {
	f, problems := fabric.Parse("pair.yaml", []byte(pair), fabric.Options{})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	bom := plan.Build(f).BOM
	for _, item := range bom.Items {
		fmt.Printf("%d x %s, %s each: %s\n", item.Count, item.Part, item.UnitPrice, item.Total)
	}
	for _, total := range bom.Totals {
		fmt.Println("total:", total.Amount)
	}

	// Output:
	// 2 x Mellanox MCX354A-FCCT, 12.67 USD each: 25.33 USD
	// 1 x Finisar FCBG410QB1C50-FC, 37.32 USD each: 37.32 USD
	// total: 62.65 USD
}
