package network

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/socket"
)

// Spec is one repeat of one combination.
type Spec struct {
	Method           string
	Direction        string     // out: from sends, or requests; in; both
	Streams          int        // connections in each direction; of latency: pairs
	Size             unit.Bytes // of a message; 0: the method's default
	Warmup, Interval time.Duration
	FromAddr, ToAddr netip.Addr // planned addresses of the two ends
	FromHost, ToHost string     // names for the records; empty: the agents'
	// FromDevice and ToDevice bind the sockets to an interface; empty: the routes decide.
	FromDevice, ToDevice string
	Links                map[netip.Addr]string // labels of the plan's links, by the addresses at their ends
	Pace                 unit.BitRate          // of each stream; 0: unlimited
	PaceBy               string                // kernel or program; empty: the kernel where it can
	// of each direction, instead of an interval, which is then the limit; there is no warm-up
	Amount    unit.Bytes
	Source    string            // file on the hosts that send, instead of memory
	Every     time.Duration     // of latency: interval of each pair's requests; 0: after each answer
	ClassMark *socket.ClassMark // class of the packets of both ends; nil: the systems' own
	PathMTU   bool              // of latency over ICMP: measure it first
	Load      LoadSpec          // of latency: the stream that runs with it
	Seed      uint64            // of the payload
	Transport string            // tcp or udp; empty: tcp
	UDP       traffic.UDPOptions
	RDMA      traffic.VerbsOptions // of rdma; Streams are its pairs
	// Tuning is how both ends do their work; Trial and Together are set by tuning. FromCores and ToCores place the threads
	// of each end; empty: as Tuning says.
	Tuning             traffic.Tuning
	Lead               time.Duration // of the start, beyond the measured delay to the agents
	FromCores, ToCores []int
	FromNodes, ToNodes []int                 // NUMA nodes instead of cores
	Samples            int                   // readings a second of sockets, cores and counters at both ends; 0: none
	OnSample           func([]record.Sample) // gets samples as they come; may be nil
	Live               *remote.Live          // gets them, too; may be nil
}

// newSpec turns the settings of a combination into the specification for the agents at both ends of a path.
func newSpec(c *experiment.Combination, p plan.Path, engine string, interval time.Duration) (Spec, error) {
	s := Spec{Method: engine, Direction: c.Record.Direction, Streams: 1, Warmup: experiment.Warmup,
		Interval: interval, Seed: 1, Samples: c.Samples, FromHost: p.From, ToHost: p.To,
		FromAddr: p.FromPort.Address.Addr(), ToAddr: p.ToPort.Address.Addr()}
	if text := c.Record.Settings["streams"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > experiment.MaxStreams {
			return s, fmt.Errorf("streams: %s is not a number from 1 to %d", text, experiment.MaxStreams)
		}
		s.Streams = n
	}
	s.Warmup = experiment.WarmupOf(s.connections())
	if text := c.Record.Settings["size"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil {
			return s, fmt.Errorf("size: %w", err)
		}
		s.Size = n
	}
	if text := c.Record.Settings["pace"]; text != "" {
		r, err := unit.ParseBitRate(text)
		if err != nil {
			return s, fmt.Errorf("pace: %w", err)
		}
		s.Pace = r
	}
	if text := c.Record.Settings["every"]; text != "" {
		d, err := unit.ParseDuration(text)
		if err != nil {
			return s, fmt.Errorf("every: %w", err)
		}
		s.Every = d
	}
	var err error
	if s.Load, err = loadOf(c.Record.Settings); err != nil {
		return s, err
	}
	s.PaceBy, s.Source = c.Record.Settings["pace_by"], c.Record.Settings["source"]
	if err := s.tune(c.Record.Settings); err != nil {
		return s, err
	}
	s.Amount = c.Amount()
	if s.Amount > 0 {
		s.Warmup = 0 // every byte counts
	}
	if s.Amount > 0 || s.Source != "" {
		s.Tuning.Trial = false
		if s.Tuning.Placement == traffic.PlaceAuto {
			s.Tuning.Placement = traffic.PlaceOff // the trial would have chosen it
		}
	}
	return s, nil
}

// connections is the number of streams in all directions.
func (s Spec) connections() int {
	return connections(traffic.Setup{Direction: s.Direction, Streams: s.Streams})
}

func connections(s traffic.Setup) int {
	if s.Direction == traffic.Both {
		return 2 * s.Streams
	}
	return s.Streams
}

// tuning adds what depends on the two agents to the configured tuning.
func (s Spec) tuning(from, to *agent.Client) traffic.Tuning {
	t, x, y := s.Tuning, from.Hello(), to.Hello()
	t.Together = x.BootID != "" && x.BootID == y.BootID
	t.Trial = t.Trial && x.GOOS == "linux" && y.GOOS == "linux"
	return t
}

// tune reads the settings of how the ends do their work. By default a stream copies at both ends, as an application
// does, and a trial chooses its buffers and places its threads.
func (s *Spec) tune(settings map[string]string) error {
	s.Tuning = traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto, Copies: settings["copy_mode"],
		Spin: settings["spin"] == "true"}
	if text := settings["batch"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("gather: %s is not a number of messages", text)
		}
		s.Tuning.Gather = n
	}
	switch text := settings["placement"]; text {
	case "", traffic.PlaceAuto:
	case traffic.PlaceOff:
		s.Tuning.Placement = traffic.PlaceOff
	default:
		from, to, _ := strings.Cut(text, "/")
		var err error
		if s.FromCores, s.FromNodes, err = placement.Parse(from); err != nil {
			return fmt.Errorf("placement: %w", err)
		}
		if s.ToCores, s.ToNodes = s.FromCores, s.FromNodes; to != "" {
			if s.ToCores, s.ToNodes, err = placement.Parse(to); err != nil {
				return fmt.Errorf("placement: %w", err)
			}
		}
	}
	return nil
}

// sides is the two ends. The listening one is to, unless that is Windows, whose firewall blocks inbound connections.
func (s Spec) sides(from, to *agent.Client) (a, b *remote.End) {
	setup := traffic.Setup{Method: s.Method, Direction: s.Direction, Streams: max(1, s.Streams), Size: s.Size,
		Warmup: s.Warmup, Interval: s.Interval, Seed: s.Seed, Pace: s.Pace, PaceBy: s.PaceBy,
		Amount: s.Amount, Every: s.Every, Transport: s.Transport, UDP: s.UDP, Verbs: s.RDMA,
		Samples: s.Samples, ClassMark: s.ClassMark, Tuning: s.tuning(from, to)}
	a = &remote.End{Name: traffic.From, Host: s.FromHost, Client: from, Setup: setup}
	b = &remote.End{Name: traffic.To, Host: s.ToHost, Client: to, Setup: setup}
	a.Setup.Side, a.Setup.Local, a.Setup.Remote, a.Setup.Device = traffic.From, s.FromAddr, s.ToAddr, s.FromDevice
	b.Setup.Side, b.Setup.Local, b.Setup.Remote, b.Setup.Device = traffic.To, s.ToAddr, s.FromAddr, s.ToDevice
	a.Setup.Tuning.Cores, b.Setup.Tuning.Cores = s.FromCores, s.ToCores
	a.Setup.Tuning.Nodes, b.Setup.Tuning.Nodes = s.FromNodes, s.ToNodes
	if s.Direction != traffic.In {
		a.Setup.Source = s.Source
	}
	if s.Direction != traffic.Out {
		b.Setup.Source = s.Source
	}
	for _, e := range []*remote.End{a, b} {
		if e.Host == "" {
			e.Host = e.Client.Host()
		}
	}
	if to.Hello().GOOS == "windows" && from.Hello().GOOS != "windows" {
		a.Setup.Listen = true
	} else {
		b.Setup.Listen = true
	}
	return a, b
}
