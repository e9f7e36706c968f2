package halo

import (
	"errors"
	"io"
	"strings"
	"testing"

	"linerate/internal/traffic"
	"linerate/internal/traffic/rdma"
)

// The queue pair of a side is that of the neighbour's opposite side: each of two hosts finds the other's number.
func TestRemoteSides(t *testing.T) {
	for _, c := range []struct{ processes, hosts int }{{2, 2}, {4, 4}, {6, 4}, {9, 2}, {32, 4}} {
		h := &traffic.HaloOptions{Processes: c.processes, Hosts: c.hosts}
		g := GridOf(c.processes)
		number := map[remoteSide]int{}
		all := 0
		for host := range c.hosts {
			for i, x := range remoteSides(h, host) {
				number[x] = i
				all++
			}
		}
		if remote, _, _ := Neighbours(c.processes, c.hosts); all != remote {
			t.Errorf("%+v: %d sides, %d remote neighbours", c, all, remote)
		}
		for x := range number {
			other := remoteSide{g.neighbour(x.rank, x.side), opposite(x.side)}
			if _, ok := number[other]; !ok || hostOf(other.rank, c.hosts) == hostOf(x.rank, c.hosts) {
				t.Errorf("%+v: %+v has no other end", c, x)
			}
		}
	}
	for tile, want := range map[int]int{0: 8, 1: 16, 2: 16, 3: 24, 1024: 4104} {
		if got := haloSlot(&traffic.HaloOptions{Tile: tile}); got != want {
			t.Errorf("%d words: %d bytes, want %d", tile, got, want)
		}
	}
}

// What the program reports of its processes, and what it does not.
func TestReadHaloVerbs(t *testing.T) {
	const whole = `rank n=0 id=1 core=3 exchanges=4 first=5000 last=8000 checked=64 left=1100
hist n=0 1000:3,2000:1
rank n=1 id=3 core=-1 exchanges=0 first=0 last=0 checked=64 left=1200
done
`
	e := newEngine(traffic.Endpoint{Setup: haloSetups(4, 2, 16, "")[1]})
	w := traffic.NewInterval(0, e.setup.Setup, haloDrain)
	read := func(text string) ([]*process, error) {
		lines := strings.SplitAfter(text, "\n")
		ranks := e.listed(w)
		return ranks, readRanks(rdma.Program, ranks, func() (rdma.Line, error) {
			if len(lines) == 0 || lines[0] == "" {
				return rdma.Line{}, io.ErrUnexpectedEOF
			}
			l := strings.TrimSuffix(lines[0], "\n")
			lines = lines[1:]
			return rdma.ParseLine(l)
		}, 1000)
	}
	ranks, err := read(whole)
	if err != nil {
		t.Fatal(err)
	}
	r := ranks[0]
	if r.times.Core != 3 || r.times.Exchanges != 4 || r.times.FirstNS != 4000 || r.times.LastNS != 7000 ||
		r.times.Mean() != 1e-6 || r.left != 100 || r.checked != 64 || r.rttSamples.Count() != 4 {
		t.Errorf("%+v, %d in the histogram", r.times, r.rttSamples.Count())
	}
	if x := ranks[1].times; x.Core != -1 || x.FirstNS != 0 || x.Remote != 2 || x.Mean() != 0 {
		t.Errorf("%+v", x)
	}
	o := e.outcome(w, ranks)
	if o.Halo.Checked != 128 || o.Halo.Remote != 4 || o.Halo.Local != 4 || o.Halo.LeftNS != [2]int64{100, 200} {
		t.Errorf("%+v", o.Halo)
	}
	for i := range len(whole) - 1 { // cut off anywhere it is not a result
		if _, err := read(whole[:i]); err == nil {
			t.Errorf("%q is taken for whole", whole[:i])
		}
	}
	for text, want := range map[string]string{
		"rank n=2 core=1\n": "no process 2",
		"rank n=0 core=x exchanges=1 first=1 last=1 checked=1 left=1\n": "is not a number",
		"hist n=0 a:b\n": "not a value of a histogram", "rank core=1\n": "has no n",
		"error step=check pair=-1 errno=0 status=0 at=1 text=process 3: the data is not the neighbour's\n": "" +
			"process 3: the data is not the neighbour's",
	} {
		var line *rdma.LineError
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.HasPrefix(text, "error") != errors.As(err, &line) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := read(strings.Repeat("hist n=0 1:1\n", 100)); err == nil {
		t.Error("more lines than processes")
	}
}
