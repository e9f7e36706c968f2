package agent

import (
	"context"
	"encoding/json"
	"slices"

	"linerate/internal/base/failure"
	"linerate/internal/host/collect"
)

// handler answers one request, which has a number and a body. Its error is sent to the controller.
type handler func(ctx context.Context, id uint64, body json.RawMessage) error

// handle is a handler whose request is a Q.
func handle[Q any](answer func(ctx context.Context, id uint64, q Q) error) handler {
	return func(ctx context.Context, id uint64, body json.RawMessage) error {
		var q Q
		if err := decode(body, &q); err != nil {
			return err
		}
		return answer(ctx, id, q)
	}
}

// table is the handler of every kind of request.
func (s *server) table() map[string]handler {
	return map[string]handler{kindFacts: handle(s.facts), kindProbe: handle(s.probe), kindNeeds: handle(s.needs),
		kindPrepare: handle(s.prepare), kindProgram: handle(s.program), kindJoin: handle(s.join),
		kindStart: handle(s.run), kindStop: handle(s.stop), kindApp: handle(s.app), kindSpawn: handle(s.spawn),
		kindLaunched: handle(s.launched), kindFinish: handle(s.finishApp), kindBlock: handle(s.block),
		kindServe: handle(s.serveFile), kindBlockStart: handle(s.startBlock), kindBlockEnd: handle(s.endBlock),
		kindStorage: handle(s.storageWays), kindGive: handle(permitted(s.mayExport, s.exportStorage)),
		kindAttach: handle(permitted(s.mayExport, s.attachStorage)), kindCopyEnd: handle(s.copyEnd),
		kindShare: handle(permitted(s.mayCopy, s.share)), kindCopy: handle(permitted(s.mayCopy, s.copy))}
}

// What an agent that listens does only when it is allowed by name.
const (
	allowBlockWrite = "storage-write"
	allowCopy       = "copy"    // make files, share them over the network and copy them
	allowApp        = "command" // run the controller's programs
	// allowSource is to read a file and send it: a controller with a shell on the host could read the file anyway, one
	// that only knows the secret of an agent could not.
	allowSource = "source"
)

// Guarded is what an agent that listens does only when it is allowed by name.
func Guarded() []string { return []string{allowBlockWrite, allowCopy, allowApp, allowSource} }

// may reports whether the agent does what has that name.
func (s *server) may(name string) bool { return !s.opt.listens || slices.Contains(s.opt.Allow, name) }

// allowed is an error where the agent does not do what has that name.
func (s *server) allowed(name, subject, does string) error {
	if s.may(name) {
		return nil
	}
	return failure.Errorf(failure.CodeInput, subject,
		"an agent that listens %s only if it was started with --allow %s", does, name)
}

// permitted is an answer that first asks for a permission.
func permitted[Q any](may func() error, answer func(context.Context, uint64, Q) error) func(context.Context, uint64,
	Q) error {
	return func(ctx context.Context, id uint64, q Q) error {
		if err := may(); err != nil {
			return err
		}
		return answer(ctx, id, q)
	}
}

func (s *server) probe(ctx context.Context, id uint64, q probeRequest) error {
	if err := s.limits.checkProbe(q); err != nil {
		return err
	}
	return s.snapshot(ctx, id, collect.Probe(ctx, q.Targets))
}

func (s *server) needs(ctx context.Context, id uint64, q needsRequest) error {
	if err := s.limits.checkNeeds(q); err != nil {
		return err
	}
	return s.link.send(ctx, id, kindReady, needs(ctx, q.Programs, q.Rooms))
}

// stop ends one experiment, or all.
func (s *server) stop(ctx context.Context, id uint64, q stopRequest) error {
	if q.Experiment == 0 {
		s.stopAll()
	} else {
		s.drop(q.Experiment)
	}
	return s.link.send(ctx, id, kindReady, nil)
}
