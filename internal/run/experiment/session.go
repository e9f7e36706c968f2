package experiment

import (
	"context"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// Session is the part of the run that a measurement may use.
type Session interface {
	Plan() *plan.Plan
	// Lab is the lab of the measured hosts; nil: they are real.
	Lab() *record.Lab
	Live() *remote.Live
	// Client is the agent of a host; nil: there is none.
	Client(host string) *agent.Client
	// Facts are the latest full facts of a host; nil: there are none.
	Facts(host string) *facts.Facts
	// Name is the name of a host in the record.
	Name(host string) string
	// Connection is how to connect to a host.
	Connection(host string) (connect.Spec, error)
	// Program is a helper program of linerate for a system; nil without an error: none is sent. The error is why this
	// machine has none.
	Program(ctx context.Context, name, os, arch string) ([]byte, error)

	// Interval is the duration of the next repeat of a combination, or its limit.
	Interval(c *Combination) time.Duration
	// Lasts is Interval, or for an open-ended combination the expected duration as far as that is known.
	Lasts(c *Combination) time.Duration
	// Punctual calls f again with more lead where the start reached an agent too late.
	Punctual(ctx context.Context, f func(lead time.Duration) error) error
	Warn(text string)

	// Keep adds a repeat to the experiment and writes it and its samples. It sets the index of all of them.
	Keep(c *Combination, r record.Repeat, samples []record.Sample) error
	// KeepSamples writes the samples of a repeat that is not kept.
	KeepSamples(c *Combination, samples []record.Sample) error
	// SaveOutput writes the output of the next repeat into the run folder, and returns the name of the file.
	SaveOutput(c *Combination, output []byte) (name string, err error)
	// Lost removes hosts whose agent is gone, so that later combinations fail at once.
	Lost(c *Combination) error

	// Shared is a value that measurements of a session share, by key: made at the first call.
	Shared(key any, make func() any) any
}
