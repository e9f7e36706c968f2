package halo

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/run/command"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
	"linerate/internal/traffic/halo"
)

const debianOpenMPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"

// Output of mpirun --version: the first lines of Open MPI 4 and 5 and of Hydra 4.0.2 are recorded, Intel's is from its
// documentation.
func TestMPIRun(t *testing.T) {
	for text, want := range map[string][2]string{
		"mpirun (Open MPI) 4.1.4\n\nReport bugs to " +
			"http://www.open-mpi.org/community/help/\n": {halo.OpenMPI, "Open MPI v4.1.4"},
		"mpirun (Open MPI) 5.0.3\n": {halo.OpenMPI, "Open MPI v5.0.3"},
		"HYDRA build details:\n    Version:                                 4.0.2\n    Release Date:                   " +
			"         Thu Apr  7 12:34:45 CDT 2022\n": {halo.MPICH, "MPICH Version: 4.0.2"},
		"Intel(R) MPI Library for Linux* OS, Version 2021.6 Build 20220227 (id: " +
			"28877f3f32)\n": {halo.MPICH, ""},
		"LAM 7.1.4\n": {"", ""},
	} {
		if kind, version := mpirunOf(text); kind != want[0] || version != want[1] {
			t.Errorf("%q: %q, %q", text, kind, version)
		}
	}
}

// Each obstacle to a common exchange has a message of its own.
func TestMPITrouble(t *testing.T) {
	host := func(kind, version, file, text string) mpiOnHost {
		h := mpiOnHost{kind: kind, version: version,
			MPIHost: halo.MPIHost{Missing: map[string]string{halo.OpenMPI: "libmpi.so.40: cannot open"}}}
		if text != "" {
			is := halo.MPICH
			if strings.HasPrefix(text, "Open") {
				is = halo.OpenMPI
			}
			h.Libraries = []halo.MPILibrary{{Kind: is, File: file, Text: text}}
		}
		return h
	}
	good := host(halo.OpenMPI, "Open MPI v4.1.4", "libmpi.so.40", debianOpenMPI)
	for want, hosts := range map[string][]mpiOnHost{
		"": {good, good},
		"no MPI library is on b: libmpi.so.40: cannot open; apt-get install " +
			"openmpi-bin": {good, host(halo.OpenMPI, "", "", "")},
		"mpirun on a is of Open MPI, and b has no library of it, but MPICH Version: 4.0.2 (libmpi.so.40: cannot open): " +
			"apt-get install openmpi-bin": {good, host(halo.OpenMPI, "", "l", "MPICH Version: 4.0.2")},
		"mpirun on a is of Open MPI and on b of MPICH, or what has its " +
			"ABI": {good, host(halo.MPICH, "", "l", "MPICH Version: 4.0.2")},
		"mpirun on b is of Open MPI v5.0.3 and the library there is Open MPI v4.1.4 " +
			"(libmpi.so.40)": {good, host(halo.OpenMPI, "Open MPI v5.0.3", "libmpi.so.40", debianOpenMPI)},
		"a has Open MPI v4.1.4 and b has Open MPI v4.1.5: processes of different " +
			"versions": {good, host(halo.OpenMPI, "Open MPI v4.1.5", "libmpi.so.40", "Open MPI v4.1.5, package: x")},
	} {
		if got := mpiTrouble([]string{"a", "b"}, hosts); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// A library with MPICH's ABI need not be called MPICH.
	other := host(halo.MPICH, "MPICH Version: 3.4", "libmpi.so.12", "MVAPICH2 Version:  2.3.7")
	if got := mpiTrouble([]string{"a", "b"}, []mpiOnHost{other, other}); got != "" {
		t.Errorf("%q", got)
	}
}

// Processes of hosts on one machine share its cores; with fewer cores than processes none has one of its own.
func TestMPICores(t *testing.T) {
	a, b := runtest.TwoOnPipes(t, "") // on this machine
	sides := []*command.Host{{Name: "a", Client: a}, {Name: "b", Client: b}}
	seen := func(cores ...int) []mpiOnHost {
		return []mpiOnHost{{MPIHost: halo.MPIHost{Cores: cores}}, {MPIHost: halo.MPIHost{Cores: cores}}}
	}
	for _, c := range []struct {
		processes int
		tuning    traffic.Tuning
		seen      []mpiOnHost
		want      []int
		crowded   bool
	}{
		{3, traffic.Tuning{}, seen(4, 5, 6, 7), []int{4, 6, 5}, false}, // a has 4 and 5, b 6
		{3, traffic.Tuning{}, seen(4, 5), []int{-1, -1, -1}, true},
		{3, traffic.Tuning{}, seen(), []int{-1, -1, -1}, false},
		{3, traffic.Tuning{Placement: traffic.PlaceOff}, seen(4, 5, 6, 7), []int{-1, -1, -1}, false},
		{4, traffic.Tuning{Cores: []int{1, 3}}, seen(4, 5, 6, 7), []int{1, 1, 3, 3}, false},
	} {
		cores, crowded, err := mpiCores(Spec{Processes: c.processes, Tuning: c.tuning}, sides, c.seen)
		if err != nil || !slices.Equal(cores, c.want) || crowded[0] != c.crowded {
			t.Errorf("%d processes, %+v: %v, %v, %v; want %v, %v", c.processes, c.tuning, cores, crowded, err, c.want, c.crowded)
		}
	}
	if _, _, err := mpiCores(Spec{Processes: 2, Tuning: traffic.Tuning{Nodes: []int{0}}}, sides, seen(0, 1)); err == nil ||
		!strings.Contains(err.Error(), "name cores") {
		t.Errorf("%v", err)
	}
}

// A figure over a network other than the planned one does not count.
func TestMPINetwork(t *testing.T) {
	side := func(sent int64) *command.Host {
		w := traffic.Outcome{Link: &traffic.LinkCount{Interface: "eth1", Counters: map[string]int64{"tx_bytes": sent}}}
		return &command.Host{Name: "a", Outcome: &agent.AppOutcome{Watch: w}}
	}
	over := &halo.OverMPI{All: 1000, Ends: []*traffic.Outcome{{Halo: &traffic.HaloSeen{Remote: 4}}}}
	port := &plan.Port{}
	c := command.NewCommand(nil, nil, []*plan.Port{port}, nil)
	spec := Spec{Tile: 64} // 4 neighbours x 1000 exchanges x 256 bytes
	if unknown, err := overItsNetwork(c, 0, side(1100000), over, spec, false); err != nil || unknown != "" {
		t.Errorf("%q, %v", unknown, err)
	}
	if _, err := overItsNetwork(c, 0, side(5000), over, spec, false); err == nil ||
		!strings.Contains(err.Error(),
			"a: MPI's messages to other hosts were 1000 KiB, and eth1 sent 5000 B meanwhile: they went another way") {
		t.Errorf("%v", err)
	}
	if unknown, err := overItsNetwork(c, 0, &command.Host{Name: "a", Outcome: &agent.AppOutcome{}}, over, spec,
		false); err != nil ||
		!strings.Contains(unknown, "cannot be read") {
		t.Errorf("%q, %v", unknown, err)
	}
	port.RDMA = "rocev2"
	if unknown, err := overItsNetwork(c, 0, side(5000), over, spec, false); err != nil ||
		!strings.Contains(unknown, "RDMA is planned there") {
		t.Errorf("%q, %v", unknown, err)
	}
	if _, err := overItsNetwork(c, 0, side(5000), over, spec, true); err == nil { // a lab has none: TCP
		t.Error("nothing is said")
	}
}
