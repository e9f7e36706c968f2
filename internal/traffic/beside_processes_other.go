//go:build !linux

package traffic

import (
	"errors"
	"linerate/internal/record"
	"runtime"
)

type processUse struct{}

func processesHere(string) (map[int]processUse, error) {
	return nil, errors.New("not read on " + runtime.GOOS)
}

func processesBetween(_, _ map[int]processUse, _ float64) []record.ProcessCount { return nil }
