package render

import (
	"fmt"
	"slices"

	"linerate/internal/device/config"
)

// functions writes a separate script for the virtual machines of this host that have functions of its NICs. It moves
// the host's address to a virtual adapter, and is only for a machine that runs Hyper-V.
func (r *render) functions() {
	f := config.File{Name: "functions.ps1", Comment: "#"}
	used := map[string]bool{}
	var lines []func()
	for _, vm := range r.p.Hosts {
		if vm.Decl.On != r.h.Name {
			continue
		}
		for _, n := range vm.Decl.NICs {
			for _, p := range r.ports {
				if n.VF == "" || n.VF != p.ID && n.VF != fmt.Sprintf("%s.%s.%d", p.Host, p.NIC, p.Index) || p.team {
					continue
				}
				sw := must("linerate " + p.ID)
				if !used[p.ID] {
					used[p.ID] = true
					f.Add("plan", "the adapter that apply.ps1 found for port "+p.ID,
						fmt.Sprintf("%s = $state[%s]", p.variable, must("adapter "+p.ID)))
					f.Add(msHyperV, "functions of port "+p.ID+"; SR-IOV can only be chosen when the switch is made",
						fmt.Sprintf("if (@(Get-VMSwitch -Name %s -ErrorAction SilentlyContinue).Count -eq 0) { New-VMSwitch -Name %s "+
							"-NetAdapterName %s -EnableIov $true -AllowManagementOS $true | Out-Null }", sw, sw, p.variable))
				}
				name := must(vm.Name)
				lines = append(lines, func() {
					f.Add(msHyperV, fmt.Sprintf("virtual machine %s has a function of port %s", vm.Name, p.ID),
						fmt.Sprintf("Connect-VMNetworkAdapter -VMName %s -SwitchName %s", name, sw))
					f.Add(msHyperV, fmt.Sprintf("virtual machine %s has a function of port %s", vm.Name, p.ID),
						fmt.Sprintf("Set-VMNetworkAdapter -VMName %s -IovWeight 100", name))
				})
			}
		}
	}
	if len(used) == 0 {
		return
	}
	head := config.File{Name: f.Name, Comment: "#"}
	r.head(&head)
	f.Lines = append(head.Lines, f.Lines...)
	for _, add := range lines {
		add()
	}
	f.Form("Get-VMNetworkAdapter -VMName '*' | Format-Table 'VMName', 'SwitchName', 'IovWeight', 'IovUsage', 'Status'")
	r.d.Files = append(r.d.Files, f)
	r.d.Missing = append(r.d.Missing, "functions.ps1 has no undo: Remove-VMSwitch gives the NIC back to the host, "+
		"whose address then has to be set again by apply.ps1")
}

// order writes the administrator's steps, in order.
func (r *render) order() {
	halt := "each adapter that the plan names restarts when its driver's settings change: its connections break for " +
		"some seconds"
	if len(r.ports) == 0 {
		halt = ""
	}
	restart := ""
	if r.turnsOn() {
		restart = "; if the features of Windows that it turns on want a restart, it ends before that, says so, and is run " +
			"again after it"
	}
	r.d.Steps = []config.Step{
		{Do: "copy this folder onto the machine and open Windows PowerShell as administrator in it"},
		{Do: "`powershell -ExecutionPolicy Bypass -File .\\apply.ps1`. It first keeps the old settings in " +
			"%ProgramData%\\linerate, and ends with \"done\"" + restart, Interrupts: halt},
	}
	wired := ""
	if slices.ContainsFunc(r.ports, r.physical) {
		wired = " It also looks at the links: each cable has to be plugged, and the other end on and set up"
	}
	if r.d.File("functions.ps1") != nil {
		r.d.Steps = append(r.d.Steps,
			config.Step{Do: `only if this machine's own Hyper-V runs the virtual machines, and they are shut down: ` +
				"`powershell -ExecutionPolicy Bypass -File .\\functions.ps1`",
				Interrupts: "the ports that give functions: their address moves to a virtual adapter"})
	}
	r.d.Steps = append(r.d.Steps, config.Step{Do: "`powershell -ExecutionPolicy Bypass -File .\\verify.ps1`" +
		`: it ends with "as planned" (0), or says what is not (1) or what is not known (3).` + wired},
		config.Step{Do: "to take it back: `powershell -ExecutionPolicy Bypass -File .\\undo.ps1`. Also before apply.ps1 " +
			"is run with another adapter for a port", Interrupts: halt})
	if r.classesApply() {
		r.d.Manual = append(r.d.Manual, config.Line{Text: "If classes were set up by hand before (Get-NetQosPolicy, " +
			"Get-NetQosTrafficClass), take them back: Remove-NetQosTrafficClass, Remove-NetQosPolicy",
			Why:    "a priority can be in one traffic class only; apply.ps1 ends before it changes anything if another has it",
			Source: msDCB})
	}
	r.d.Unverified = append(r.d.Unverified,
		"not run: there is no Windows here. The scripts were parsed by a grammar of PowerShell (tree-sitter), not by "+
			"PowerShell itself")
}
