package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic/halo"
	"linerate/internal/traffic/rdma"
)

// Config is the input of a run.
type Config struct {
	Plan         *plan.Plan
	Combinations []*experiment.Combination
	Folder       *runfolder.Folder
	Version      string
	// Connection returns how to connect to a host; nil error and empty spec: it has no connection.
	Connection func(host string) (connect.Spec, error)
	AgentFile  string // a binary to send, if not empty
	// VerbsProgram finds linerate-verbs for a system. Its error is why this machine has none: each host then uses its own.
	// Nil: none is sent.
	VerbsProgram func(ctx context.Context, os, arch string) ([]byte, error)
	// MPIProgram finds linerate-mpi for a system. Its error is why this machine has none: MPI is then not measured. Nil:
	// the same.
	MPIProgram func(ctx context.Context, os, arch string) ([]byte, error)
	// Clients are agents that run already; they are used instead of new ones, and closed.
	Clients  map[string]*agent.Client
	Lab      *record.Lab
	Budget   time.Duration // 0: none
	Progress func(Step)    // may be nil
	Live     *remote.Live  // current measurement; may be nil
	Schedule
	// KeepSerials leaves serial numbers and secrets in the snapshots of the folder; else they are masked.
	KeepSerials bool
	// SetMTU sets the MTU of a path and returns how to undo it. Nil: settings are not changed, and combinations with a
	// different MTU are not run.
	SetMTU func(ctx context.Context, p plan.Path, mtu int) (func() error, error)
	// SnapshotOfSwitch reads the counters of a switch with a connection, as a snapshot; nil: no switch is read. A lab's
	// switches are reached as its hosts are.
	SnapshotOfSwitch func(ctx context.Context, name string) ([]byte, error)
	// FollowUp, if not nil, measures the follow-ups that verdicts request. All configurations of a run have the same.
	FollowUp *FollowUps
}

// Step is the progress of a run.
type Step struct {
	Index, Total int // of the combinations that are measured, from 1
	Combination  *experiment.Combination
	Repeat       int    // from 0; -1: the combination is finished
	Over         bool   // the repeat has ended or failed; else it begins
	Text         string // another message, with Combination nil
	Left         time.Duration
}

// session is a run under way.
type session struct {
	reports snapshots
	cfg     Config
	run     *record.Run
	all     []*experiment.Combination // of the whole run
	lead    time.Duration             // extra time by which starts are sent early
	clients map[string]*agent.Client
	// switches are those on the path of a combination that can be read.
	switches    map[string]*switchReader
	broken      map[string]string       // host -> why it cannot be used
	last        map[string]*facts.Facts // the latest full facts of a host
	remembering sync.Mutex              // protects last, while hosts are opened concurrently
	started     time.Time
	mask        *snapshot.Masker // nil: snapshots stay unmasked
	shared      map[any]any      // see Session.Shared
}

// Connecting is how many hosts are connected to at once. More keep this machine, or one that runs them all, so busy
// that an agent's hello comes too late.
const Connecting = 32

// connect starts an agent on every host that a combination needs, Connecting at once. A host that fails is left out;
// its combinations have the reason.
func (s *session) connect(ctx context.Context) error {
	need := map[string]bool{}
	for _, c := range s.cfg.Combinations {
		if c.Record.NotRun == "" && !c.Done() {
			for _, h := range c.Hosts() {
				need[h] = true
			}
		}
	}
	return s.connectTo(ctx, slices.Collect(maps.Keys(need)))
}

// connectTo connects hosts; those that have an agent, or were left out, stay as they are.
func (s *session) connectTo(ctx context.Context, hosts []string) error {
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return s.clients[h] != nil || s.broken[h] != "" })
	sort.Strings(hosts)
	states := make([]record.HostState, len(hosts))
	var mu sync.Mutex
	var wg sync.WaitGroup
	places := make(chan struct{}, Connecting)
	for i, h := range hosts {
		wg.Go(func() {
			places <- struct{}{}
			client, state := s.open(ctx, h)
			<-places
			mu.Lock()
			defer mu.Unlock()
			states[i] = state
			if client != nil {
				s.clients[h] = client
			} else {
				s.broken[h] = state.Error
			}
		})
	}
	wg.Wait()
	none := len(s.clients) == 0 // then the error of the run has it
	for _, st := range states {
		if err := s.keepHost(st, none); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// keepHost records the state of a host, and reports once why it cannot be used, unless silent.
func (s *session) keepHost(st record.HostState, silent bool) error {
	s.setHost(st)
	if st.Error != "" && !silent && s.cfg.Progress != nil {
		s.cfg.Progress(Step{Text: unusable(st.Name) + ": " + st.Error})
	}
	return s.cfg.Folder.Host(st)
}

// unusable is the reason in the combinations of a host that has an error of its own.
func unusable(host string) string { return host + " could not be used" }

func (s *session) setHost(st record.HostState) {
	for i := range s.run.Hosts {
		if s.run.Hosts[i].Name == st.Name {
			s.run.Hosts[i] = st
			return
		}
	}
	s.run.Hosts = append(s.run.Hosts, st)
}

// open connects to one host, starts its agent and takes its first full facts.
func (s *session) open(ctx context.Context, host string) (*agent.Client, record.HostState) {
	state := record.HostState{Name: s.Name(host)}
	failed := func(err error) (*agent.Client, record.HostState) {
		state.Error = err.Error()
		return nil, state
	}
	spec, err := s.cfg.Connection(host)
	if err != nil {
		return failed(err)
	}
	state.Connection = spec.String()
	client := s.cfg.Clients[host]
	if client == nil {
		client, err = agent.Open(ctx, spec, agent.OpenOptions{Host: host, Version: s.cfg.Version, AgentFile: s.cfg.AgentFile})
	}
	if err != nil {
		return failed(err)
	}
	asking, cancel := context.WithTimeout(ctx, remote.HostDeadline)
	defer cancel()
	text, err := client.Facts(asking, string(facts.Full))
	if err != nil {
		client.Close()
		return failed(err)
	}
	f, err := read.Parse(text)
	if err != nil {
		client.Close()
		return failed(fmt.Errorf("%s: its facts cannot be read: %w", host, err))
	}
	s.remember(host, f)
	state.OS, state.Kernel, state.CPU, state.Cores = f.OS, f.Kernel, f.CPU.Model.Or("not known"), len(f.CPU.Cores)
	for _, u := range f.Unknown {
		state.Unknown = append(state.Unknown, record.Unknown{Subject: u.Subject, Reason: u.Reason})
	}
	state.Settings = settingsInEffect(s.cfg.Plan.Host(host), f)
	return client, state
}

func (s *session) remember(host string, f *facts.Facts) {
	s.remembering.Lock()
	defer s.remembering.Unlock()
	s.last[host] = f
}

// settingsInEffect compares the planned settings of a host with the actual ones.
func settingsInEffect(h *plan.Host, f *facts.Facts) []record.Setting {
	var out []record.Setting
	for _, st := range h.Settings {
		nic := f.NIC(st.Interface)
		have := "not known"
		switch st.Kind {
		case plan.SetMTU:
			if nic == nil {
				have = "no interface of this name"
			} else if nic.MTU > 0 {
				have = fmt.Sprint(nic.MTU)
			}
			out = append(out, record.Setting{Subject: st.Interface + " mtu", Want: fmt.Sprint(st.Int), Have: have})
		case plan.SetAddress:
			if nic != nil {
				var all []string
				for _, a := range nic.Addresses {
					if a.Addr() == st.Prefix.Addr() {
						all = []string{a.String()}
						break
					}
					all = append(all, a.String())
				}
				if have = strings.Join(all, ", "); have == "" {
					have = "none"
				}
			}
			out = append(out, record.Setting{Subject: st.Interface + " address", Want: st.Prefix.String(), Have: have})
		case plan.SetOffload:
			out = append(out,
				record.Setting{Subject: st.Interface + " " + st.Key, Want: st.Value, Have: offloadState(nic, st.Key)})
		}
	}
	return out
}

// close ends all agents, and with them what they started.
func (s *session) close() {
	var wg sync.WaitGroup
	for _, c := range s.clients {
		wg.Go(func() { c.Close() })
	}
	for _, a := range s.switches {
		if a.client != nil {
			wg.Go(func() { a.client.Close() })
		}
	}
	wg.Wait()
}

// Keep restores the repeats of an interrupted run to their combinations, and returns how many there were. A combination
// has the same id in every run; repeats of combinations that the fabric no longer has stay in the old run.
func Keep(combinations []*experiment.Combination, old *record.Run) int {
	by := xslices.By(old.Experiments, func(e *record.Experiment) string { return e.ID })
	n := 0
	for _, c := range combinations {
		if e := by[c.Record.ID]; e != nil && c.Record.NotRun == "" {
			c.Record.Repeats, c.Record.InEffect = e.Repeats, e.InEffect
			n += len(e.Repeats)
			c.Record.FollowUp = e.FollowUp // an interrupted step goes on with the next follow-up
			for _, x := range e.FollowUp {
				n += len(x.Repeats)
			}
		}
	}
	return n
}

// Writes is what the remaining repeats will write, by place, in the order of the first write.
func Writes(cfgs []Config) (out []experiment.Written) {
	scope := everyCombination(cfgs)
	laid := map[string]bool{}
	for _, cfg := range cfgs {
		s := &session{cfg: cfg, all: scope, started: time.Now()}
		for _, c := range cfg.Combinations {
			w, ok := c.Measurement.(experiment.Writer)
			n := c.Missing()
			if !ok || n == 0 {
				continue
			}
			for _, one := range w.Writes(s, n, laid) {
				out = experiment.AddWritten(out, one)
			}
		}
	}
	return out
}

// The following methods implement Session with the state of a session.

func (s *session) Plan() *plan.Plan { return s.cfg.Plan }

func (s *session) Lab() *record.Lab { return s.cfg.Lab }

func (s *session) Live() *remote.Live { return s.cfg.Live }

func (s *session) Client(host string) *agent.Client { return s.clients[host] }

func (s *session) Facts(host string) *facts.Facts { return s.last[host] }

func (s *session) Connection(host string) (connect.Spec, error) { return s.cfg.Connection(host) }

func (s *session) Program(ctx context.Context, name, os, arch string) ([]byte, error) {
	find := map[string]func(ctx context.Context, os, arch string) ([]byte, error){
		rdma.Program: s.cfg.VerbsProgram, halo.MPIProgram: s.cfg.MPIProgram}[name]
	if find == nil {
		return nil, nil
	}
	return find(ctx, os, arch)
}

func (s *session) Shared(key any, make func() any) any {
	if s.shared == nil {
		s.shared = map[any]any{}
	}
	if s.shared[key] == nil {
		s.shared[key] = make()
	}
	return s.shared[key]
}
