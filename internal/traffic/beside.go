package traffic

import (
	"context"
	"net/netip"
	"time"
)

// BesideOptions are what a host is watched by while a program that is not this one measures.
type BesideOptions struct {
	Local   netip.Addr    // planned address of this host, whose interface is counted; invalid: none
	Limit   time.Duration // the longest time
	Samples int           // readings a second of cores and counters; 0: none
}

// beforehand is how long before what it is about a watch begins: its first readings take a while.
const beforehand = 60 * time.Millisecond

// WatchBeside watches this host beside a program that is not this one: processors and the interface's counters, from the call of began until ctx
// ends. began is called when the first readings were taken.
func WatchBeside(ctx context.Context, o BesideOptions, began func(), emit func([]Sample)) *Outcome {
	s := Setup{Method: "app", Side: From, Direction: Out, Local: o.Local, Warmup: beforehand, Window: o.Limit, Samples: o.Samples, Amount: 1}
	_ = s.place(sysfs) // it fails for nodes alone, and none are asked for
	w := newWindow(Now(), s, 0)
	link := newMachine(s.layout.device, 1)
	defer link.close()
	time.AfterFunc(beforehand, began)
	count := func() {
		if text, err := link.dev.read(); s.layout.device != "" && err == nil {
			link.countLink(text)
		}
	}
	count()
	seen := watch(ctx, s, w, nil, emit)
	count()
	out := &Outcome{OpenNS: w.open, CloseNS: Now(), StartNS: w.open, EndNS: Now(), Slice: float64(w.step) / 1e9}
	out.see(seen)
	out.Link = link.counted(s.layout.device)
	return out
}

// LinkCount is what an interface counted while a host was watched: rx_bytes, tx_packets and so on. A counter that is missing is not known.
type LinkCount struct {
	Interface string           `json:"interface"`
	Counters  map[string]int64 `json:"counters"`
}

// counted is by how much the counters of an interface grew between the readings; nil: there is no interface.
func (m *machine) counted(device string) *LinkCount {
	if device == "" {
		return nil
	}
	out := &LinkCount{Interface: device, Counters: map[string]int64{}}
	for name, c := range m.link {
		if !c.broken {
			out.Counters[name] = int64(c.grown)
		}
	}
	return out
}
