package read

import (
	"slices"
	"sync"

	cumulus "linerate/internal/device/cumulus/parse"
	eos "linerate/internal/device/eos/parse"
	freebsd "linerate/internal/device/freebsd/parse"
	linux "linerate/internal/device/linux/parse"
	nxos "linerate/internal/device/nxos/parse"
	onyx "linerate/internal/device/onyx/parse"
	routeros "linerate/internal/device/routeros/parse"
	sonic "linerate/internal/device/sonic/parse"
	windows "linerate/internal/device/windows/parse"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/ethtool"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/pci"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/facts/parse/show"
	"linerate/internal/facts/parse/storage"
)

// Sources is the table of everything that a snapshot may contain, one table per system.
var Sources = sync.OnceValue(func() []parse.Source {
	return slices.Concat(freebsd.FileSources(), linux.FileSources(), rdma.InfiniBandSources(), rdma.Sources(),
		linux.DCBSources(), iproute.Sources(), linux.Sources(), linux.HostSources(), linux.FunctionSources(),
		storage.Sources(), probe.Sources(), ethtool.Sources(), lldp.Sources(), pci.Sources(), commonSources(),
		freebsd.Sources(), windows.Sources(),
		routeros.Sources(), onyx.Sources(), cumulus.Sources(), sonic.Sources(),
		nxos.Sources(), // before EOS, because some headers contain those of EOS
		eos.Sources())
})

// canonicals convert the commands of systems: each reports whether it is a command of its system, and returns its form
// in the table.
func canonicals() []func(words []string) (name string, ok bool) {
	return []func(words []string) (name string, ok bool){
		lldp.Canonical,
		rdma.Canonical,
		routeros.Canonical,
		linux.HostCommand,
		linux.FunctionCommand,
		storage.Canonical,
		show.Canonical,
		sonic.Canonical,
		cumulus.Canonical,
		windows.Canonical,
		freebsd.Canonical,
	}
}
