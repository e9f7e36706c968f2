package parse

import (
	"linerate/internal/facts/parse"
)

func putSysctl(prefix string) func(*parse.Builder, []string, string) {
	return func(f *parse.Builder, args []string, value string) { parse.SetSysctl(f, prefix+args[0], value) }
}

func missingSysctl(prefix string) func(*parse.Builder, []string, string) {
	return func(f *parse.Builder, args []string, why string) {
		for _, s := range parse.Settings(&f.TCP) {
			if s.Name == prefix+args[0] {
				s.Miss(why)
			}
		}
	}
}
