package agent

import (
	"context"
	"sync"

	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// BlockRun is a job of storage or a watch that an agent has prepared.
type BlockRun struct {
	block.Ready
	client *Client
	id     uint64
	home   chan struct{} // closed when the last request is answered
	over   chan struct{}
	out    BlockOutcome
	err    error
}

// Block has the agent prepare a job, and returns when that is done: the target is open, and a file of its own is
// written. Start and Wait, or Close, must follow. ctx bounds all of it.
func (c *Client) Block(ctx context.Context, q Block, onSample func([]traffic.Sample)) (*BlockRun, error) {
	r := &BlockRun{client: c, home: make(chan struct{}), over: make(chan struct{})}
	asked := "watch the host"
	if q.Job != nil {
		asked = "storage"
	}
	ready := make(chan struct{})
	isReady, isHome := sync.OnceFunc(func() { close(ready) }), sync.OnceFunc(func() { close(r.home) })
	go func() {
		defer close(r.over)
		defer isHome()
		rows := sampleReader{on: onSample}
		r.err = c.ask(ctx, asked, kindBlock, q, func(f frame) (bool, error) {
			switch f.Kind {
			case kindReady:
				var p blockReady
				if err := decode(f.Body, &p); err != nil {
					return false, err
				}
				r.id, r.Ready = p.Experiment, p.Ready
				isReady()
				return false, nil
			case kindHome:
				isHome()
				return false, nil
			case kindSample:
				return false, rows.read(f)
			}
			return true, want(f, kindResult, &r.out)
		})
	}()
	select {
	case <-ready:
		return r, nil
	case <-r.over:
		return nil, r.err
	}
}

// Start has the job begin at a moment of the agent's clock.
func (r *BlockRun) Start(ctx context.Context, at int64) error {
	return r.client.do(ctx, "start", kindBlockStart, startRequest{Experiment: r.id, AtNS: at})
}

// Home is closed when the job's last request is answered, before the sync and what is read back, and when it is over.
func (r *BlockRun) Home() <-chan struct{} { return r.home }

// Wait returns the outcome when it is over.
func (r *BlockRun) Wait() (*BlockOutcome, error) {
	<-r.over
	if r.err != nil {
		return nil, r.err
	}
	return &r.out, nil
}

// Close ends the job or the watch. A watch has its outcome then.
func (r *BlockRun) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), finishDeadline)
	defer cancel()
	_ = r.client.do(ctx, "end", kindBlockEnd, stopRequest{Experiment: r.id})
	<-r.over
}
