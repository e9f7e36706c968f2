package watch

import (
	"context"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"net/netip"
	"time"
)

// BackgroundOptions are the options of a watch while another program measures.
type BackgroundOptions struct {
	Local   netip.Addr    // planned address of this host, whose interface is counted; invalid: none
	Limit   time.Duration // the longest time
	Samples int           // readings a second of cores and counters; 0: none
}

// beforehand is how long before its interval a watch begins: its first readings take a while.
const beforehand = 60 * time.Millisecond

// Background watches this host while another program measures: CPUs and the interface's counters, from the call of
// began until ctx ends. began is called when the first readings were taken.
func Background(ctx context.Context, o BackgroundOptions, began func(), emit func([]traffic.Sample)) *traffic.Outcome {
	device, _ := placement.DeviceOf("", o.Local, netip.Addr{})
	w := traffic.NewInterval(traffic.Now(), traffic.Setup{Warmup: beforehand, Interval: o.Limit, Amount: 1}, 0)
	link := newMachine(device, 1)
	defer link.close()
	time.AfterFunc(beforehand, began)
	count := func() {
		if text, err := link.dev.read(); device != "" && err == nil {
			link.countLink(text)
		}
	}
	count()
	seen := watchHost(ctx, Options{Device: device, Samples: o.Samples}, w, nil, emit)
	count()
	out := &traffic.Outcome{OpenNS: w.Open, CloseNS: traffic.Now(), StartNS: w.Open, EndNS: traffic.Now(),
		Slice: float64(w.Step) / 1e9}
	seen.Into(out)
	out.Link = link.counted(device)
	return out
}

// counted returns the growth of an interface's counters between the readings; nil: there is no interface.
func (m *machine) counted(device string) *traffic.LinkCount {
	if device == "" {
		return nil
	}
	out := &traffic.LinkCount{Interface: device, Counters: map[string]int64{}}
	for name, c := range m.link {
		if !c.broken {
			out.Counters[name] = int64(c.grown)
		}
	}
	return out
}
