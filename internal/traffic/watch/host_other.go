//go:build !linux

package watch

import (
	"errors"
	"runtime"

	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

func coreTimes() ([]facts.CoreTime, error) {
	return nil, errors.New("the time of each core is not read on " + runtime.GOOS)
}

func threadClock() int64 { return traffic.Now() }

func newMachine(device string, hz int) *machine {
	none := func() *procFile { return &procFile{err: errors.New("not read on " + runtime.GOOS)} }
	return &machine{stat: none(), softnet: none(), dev: none(), device: device, hz: hz}
}

func diskstats() ([]byte, error) {
	return nil, errors.New("the counters of drives are not read on " + runtime.GOOS)
}

func madeOf(string, string) []string { return nil }

func driveReads() *int64 { return nil }

type processUse struct{}

func processesHere(string) (map[int]processUse, error) {
	return nil, errors.New("not read on " + runtime.GOOS)
}

func processesBetween(_, _ map[int]processUse, _ float64) []record.ProcessCount { return nil }
