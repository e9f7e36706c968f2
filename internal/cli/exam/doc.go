// Package exam injects faults into labs and checks whether the verdicts find them.
package exam
