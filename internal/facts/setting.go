package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// Sysctl returns the value of a setting that is kept.
func (f *Facts) Sysctl(name string) (value string, ok bool) {
	p, ok := f.Sysctls[name]
	_, value, _ = strings.Cut(p.Line, " = ")
	return value, ok
}

// ConfiguredSetting is a kernel setting in a saved file, and the kernel's value.
type ConfiguredSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Proof        // its line; of several files that of the one that counts
	// Now is its value, NowProof the line with it; both are empty if it was not read.
	Now      string `json:"now"`
	NowProof Proof  `json:"now_proof"`
}

// Differs reports whether the kernel is known to have another value. Blanks between values and the notation of numbers
// do not matter.
func (s *ConfiguredSetting) Differs() bool {
	if s.NowProof.Line == "" {
		return false
	}
	a, b := strings.Fields(s.Value), strings.Fields(s.Now)
	return !slices.EqualFunc(a, b, func(x, y string) bool {
		n, ok1 := SizeOf(x)
		m, ok2 := SizeOf(y)
		return x == y || ok1 && ok2 && n == m
	})
}

// Memlock is how much memory a process may lock. RDMA locks the memory that it transfers.
type Memlock struct {
	Soft unit.Opt[unit.Bytes] `json:"soft"`
	Hard unit.Opt[unit.Bytes] `json:"hard"` // -1: unlimited
	// Bound reports whether the limit applies to the process: one with CAP_IPC_LOCK, such as root's, may lock all.
	Bound unit.Opt[bool] `json:"bound"`
	Proof
}
