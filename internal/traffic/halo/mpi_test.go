package halo

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// A result of linerate-mpi with three processes on two hosts, between what mpirun and the library print.
const overMPI = `Warning: something of the library's
library kind=openmpi file=libmpi.so.40 text=Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4
rank n=0 id=0 core=3 exchanges=4 first=5000 last=8000 checked=8 left=1100 doubt=0 all=9
hist n=0 1000:3,2000:1
rank n=1 id=1 core=-1 exchanges=3 first=5000 last=9000 checked=8 left=1300 doubt=700 all=9
hist n=1 1000:3
another word
rank n=2 id=2 core=1 exchanges=0 first=0 last=0 checked=8 left=1200 doubt=90 all=9
done
`

func TestReadHaloMPI(t *testing.T) {
	o := traffic.HaloOptions{Processes: 3, Tile: 2, Hosts: 2, Exchange: traffic.SendRecv}
	got, err := ReadHaloMPI(overMPI, o)
	if err != nil {
		t.Fatal(err)
	}
	if got.Library.Version() != "Open MPI v4.1.4" || got.All != 9 || got.Doubt != 700*time.Nanosecond ||
		len(got.Ends) != 2 {
		t.Errorf("%+v", got)
	}
	// Three processes are a row: the first and the third are on the first host, the second on the other.
	a, b := got.Ends[0].Halo, got.Ends[1].Halo
	if a.Remote != 2 || a.Local != 2 || a.Self != 4 || a.Checked != 16 || a.LeftNS != [2]int64{1100, 1200} ||
		a.Ranks[0].Mean() != 1e-6 || a.Ranks[1].Rank != 2 || a.Ranks[1].Core != 1 || a.Exchange != traffic.SendRecv {
		t.Errorf("%+v", a)
	}
	if b.Remote != 2 || b.Local != 0 || len(b.Ranks) != 1 || b.Ranks[0].Mean() != 2e-6 || b.Ranks[0].Core != -1 ||
		got.Ends[1].RTTSamples != 3 {
		t.Errorf("%+v, %d", b, got.Ends[1].RTTSamples)
	}
	for i := range len(overMPI) - 1 { // cut off anywhere it is not a result
		if _, err := ReadHaloMPI(overMPI[:i], o); err == nil {
			t.Errorf("%q is taken for whole", overMPI[:i])
		}
	}
	for old, now := range map[string][2]string{
		"linerate-mpi: its output breaks off":                   {"done\n", ""},
		"linerate-mpi: there is no process 7":                   {"rank n=2", "rank n=7"},
		"linerate-mpi: it reports 2 processes instead of 3":     {"rank n=2", "rank n=1"},
		"linerate-mpi: all=\"x\" of \"rank\" is not a number":   {"all=9", "all=x"},
		"linerate-mpi: the line \"rank\" has no doubt":          {" doubt=700", ""},
		"linerate-mpi: \"1000;\" is not a value of a histogram": {"hist n=1 1000:3", "hist n=1 1000;"},
		"process 2 on the host with 10.0.0.1 has MPICH and more": {"rank n=2",
			"error step=version pair=-1 errno=0 status=0 at=1 text=process 2 on the host with 10.0.0.1 has MPICH and " +
				"more\nrank n=2"},
	} {
		if _, err := ReadHaloMPI(strings.Replace(overMPI, now[0], now[1], 1), o); err == nil ||
			!strings.Contains(err.Error(), old) {
			t.Errorf("%q: %v, want %q", now, err, old)
		}
	}
	var own *failure.Error
	if _, err := ReadHaloMPI("error step=check text=x\n", o); !errors.As(err, &own) || own.Subject != MPIProgram {
		t.Errorf("what a process says is not an error of its own: %v", err)
	}
}

func TestReadMPILibraries(t *testing.T) {
	const text = "linerate-mpi 1\nlibrary kind=mpich file=/opt/lib/libmpi.so.12 text=MPICH Version:  4.0.2\nlacks " +
		"kind=openmpi text=libmpi.so.40: cannot open\ncores list=0,2-3\ndone\n"
	h, err := ReadMPILibraries(text)
	if err != nil || h.Library(MPICH).Version() != "MPICH Version: 4.0.2" || h.Library(OpenMPI).Kind != "" ||
		h.Missing[OpenMPI] != "libmpi.so.40: cannot open" || !slices.Equal(h.Cores, []int{0, 2, 3}) {
		t.Errorf("%+v, %v", h, err)
	}
	for i := range len(text) - 1 {
		if _, err := ReadMPILibraries(text[:i]); err == nil {
			t.Errorf("%q is taken for whole", text[:i])
		}
	}
	if _, err := ReadMPILibraries("cores list=0,x\ndone\n"); err == nil {
		t.Error("x is taken for a core")
	}
}
