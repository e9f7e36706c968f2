package parse

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzRouterOS(f *testing.F) {
	parsetest.Fuzz(f, "/interface ethernet switch qos port print", parseRouterOS, func(t *testing.T, rows []routerosRow) {
		for _, r := range rows {
			if len(r.values) == 0 {
				t.Fatal("an entry without values")
			}
		}
	})
}

func FuzzRouterOSScript(f *testing.F) {
	f.Add([]byte("# 2026-09-24 13:32:13 by RouterOS 7.24.4\n# model = CRS504-4XQ\n/interface ethernet switch qos " +
		"port\nset e1 trust-l3=keep pfc=p egress-rate-queue3=1G \\\n    profile=\"a b\"\n:if ([:len [/x find]] = 0) do={ " +
		"/ip address add address=1.1.1.1/24 } else={ }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		_ = readRouterOSScript(v, nil, text)
		Settle(v)
	})
}
