package parse

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// windowsOf returns the facts that only Windows has, and creates them if needed.
func windowsOf(f *parse.Builder) *facts.Windows {
	if f.Windows == nil {
		f.Windows = &facts.Windows{}
	}
	return f.Windows
}

func policy(w *facts.Windows) *facts.Policy {
	if w.Policy == nil {
		w.Policy = &facts.Policy{}
	}
	return w.Policy
}

// proves records the line that proves an aspect.
func proves(w *facts.Windows, aspect string, p facts.Proof) {
	if w.Proofs == nil {
		w.Proofs = map[string]facts.Proof{}
	}
	w.Proofs[aspect] = p
}

func adapterOf(n *facts.Interface) *facts.WindowsAdapter {
	if n.Windows == nil {
		n.Windows = &facts.WindowsAdapter{}
	}
	return n.Windows
}

// rdma returns the adapter's RDMA, and creates it if needed.
func rdma(a *facts.WindowsAdapter) *facts.NetworkDirect {
	if a.RDMA == nil {
		a.RDMA = &facts.NetworkDirect{}
	}
	return a.RDMA
}
