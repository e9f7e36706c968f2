package run

import (
	"context"
	"fmt"
	"linerate/internal/record"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
	"linerate/internal/traffic"
)

// Config is everything that a run needs.
type Config struct {
	Plan    *plan.Plan
	Cells   []*Cell
	Folder  *runfolder.Folder
	Version string
	// Reach says how a host is got at; nil error and empty spec: it has no reach.
	Reach     func(host string) (connect.Spec, error)
	AgentFile string // a binary to send, if not empty
	// VerbsProgram finds linerate-verbs for a system; its error: why this machine has none, and each host uses its own. Nil: nothing is sent.
	VerbsProgram func(ctx context.Context, os, arch string) ([]byte, error)
	// MPIProgram finds linerate-mpi for a system; its error: why this machine has none, and nothing is exchanged over MPI. Nil: the same.
	MPIProgram func(ctx context.Context, os, arch string) ([]byte, error)
	// Clients are agents of hosts that run already; they are used in place of new ones, and closed.
	Clients  map[string]*agent.Client
	Lab      *record.Lab
	Budget   time.Duration // 0: none
	Progress func(Step)    // may be nil
	Live     *Live         // what is under way; may be nil
	Schedule
	// KeepSerials leaves serial numbers and secrets in the captures of the folder; else they are masked.
	KeepSerials bool
	// SetMTU makes the path of a cell have an MTU and returns how to take it back;
	// nil: settings are not changed, and cells that ask for another are not run.
	SetMTU func(ctx context.Context, c *Cell, mtu int) (func() error, error)
	// AskSwitch asks a switch that has a reach for its counters, and returns them as a capture; nil: none is asked. A lab's switches are
	// reached as its hosts are.
	AskSwitch func(ctx context.Context, name string) ([]byte, error)
	// repeat measures a pair of hosts once; nil: Repeat. Tests have one that needs no time.
	repeat func(ctx context.Context, from, to *agent.Client, s Spec, during func()) (record.Repeat, []record.Sample, error)
	// Chase, if not nil, goes on where a verdict asks for another experiment. All configurations of a run have the same.
	Chase *Chase
}

// Step is the state of the run as a person follows it.
type Step struct {
	Index, Total int // of the cells that are measured, from 1
	Cell         *Cell
	Repeat       int    // from 0; -1: the cell is done
	Over         bool   // that repeat is over, or has failed; else it begins
	Text         string // something else to be known, with Cell nil
	Left         time.Duration
}

// session is a run under way.
type session struct {
	told    told
	cfg     Config
	run     *record.Run
	all     []*Cell       // of the whole run
	lead    time.Duration // that starts are sent earlier than the way to the agents would have it
	clients map[string]*agent.Client
	// switches are those on the way of a cell that can be asked.
	switches    map[string]*asker
	broken      map[string]string       // host -> why it cannot take part
	last        map[string]*facts.Facts // the newest full facts of a host
	remembering sync.Mutex              // of last, while hosts are opened at the same time
	started     time.Time
	mpi         map[string]mpiSeen        // what a host has of MPI, once it was looked at
	mask        *facts.Masker             // nil: what is kept stays as it is
	given       map[string]given          // storage that hosts give out for this run
	refused     map[string]*traffic.Error // logins that servers of the user's refused
	hostName    string                    // what initiators of NVMe/TCP call themselves, which alone may connect
}

// deadline of everything that is asked of a host beside measuring.
const hostDeadline = 30 * time.Second

// Connecting is how many hosts are connected to at once: more of them keep this machine, or one that all of them are on,
// so busy that an agent's hello comes too late.
const Connecting = 32

// connect starts an agent on every host that a cell needs, Connecting at once. A host
// that fails is left out; its cells say why.
func (s *session) connect(ctx context.Context) error {
	need := map[string]bool{}
	for _, c := range s.cfg.Cells {
		if c.Exp.NotRun == "" && !c.done() {
			for _, h := range c.Hosts() {
				need[h] = true
			}
		}
	}
	return s.connectTo(ctx, slices.Collect(maps.Keys(need)))
}

// connectTo does it for hosts; those that have an agent, or were left out, stay as they are.
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
	none := len(s.clients) == 0 // then the error of the run says it
	for _, st := range states {
		if err := s.keepHost(st, none); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// keepHost notes what a host is, and says once why it cannot be used, unless silent.
func (s *session) keepHost(st record.HostState, silent bool) error {
	s.setHost(st)
	if st.Error != "" && !silent && s.cfg.Progress != nil {
		s.cfg.Progress(Step{Text: unusable(st.Name) + ": " + st.Error})
	}
	return s.cfg.Folder.Host(st)
}

// unusable is what the cells of a host say that has an error of its own.
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

// open reaches one host, starts its agent and takes its first full facts.
func (s *session) open(ctx context.Context, host string) (*agent.Client, record.HostState) {
	state := record.HostState{Name: s.nameOf(host)}
	failed := func(err error) (*agent.Client, record.HostState) {
		state.Error = err.Error()
		return nil, state
	}
	spec, err := s.cfg.Reach(host)
	if err != nil {
		return failed(err)
	}
	state.Reach = spec.String()
	client := s.cfg.Clients[host]
	if client == nil {
		client, err = agent.Open(ctx, spec, agent.OpenOptions{Host: host, Version: s.cfg.Version, AgentFile: s.cfg.AgentFile})
	}
	if err != nil {
		return failed(err)
	}
	asking, cancel := context.WithTimeout(ctx, hostDeadline)
	defer cancel()
	text, err := client.Facts(asking, string(facts.Full))
	if err != nil {
		client.Close()
		return failed(err)
	}
	f, err := facts.Parse(text)
	if err != nil {
		client.Close()
		return failed(fmt.Errorf("%s: its facts cannot be read: %w", host, err))
	}
	s.remember(host, f)
	state.OS, state.Kernel, state.CPU, state.Cores = f.OS, f.Kernel, f.CPU.Model.Or("not known"), len(f.CPU.Cores)
	for _, u := range f.Unknown {
		state.Unknown = append(state.Unknown, record.Unknown{Subject: u.Subject, Reason: u.Reason})
	}
	state.Settings = compare(s.cfg.Plan.Host(host), f)
	return client, state
}

func (s *session) remember(host string, f *facts.Facts) {
	s.remembering.Lock()
	defer s.remembering.Unlock()
	s.last[host] = f
}

// compare puts what the plan asks of a host beside what it has.
func compare(h *plan.Host, f *facts.Facts) []record.Setting {
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
			out = append(out, record.Setting{Subject: st.Interface + " " + st.Key, Want: st.Value, Have: offload(nic, st.Key)})
		}
	}
	return out
}

// close ends all agents; what they started ends with them.
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
