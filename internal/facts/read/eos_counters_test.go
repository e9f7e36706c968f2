package read

import (
	"fmt"
	"strings"
	"testing"
)

// TestEOSCounterTables reads the tables of "show interfaces counters", of discards and of errors, from Arista's manual.
func TestEOSCounterTables(t *testing.T) {
	text := `Port                InOctets    InUcastPkts    InMcastPkts    InBcastPkts
Et1                 99002845         400000         500000         100000
Port               OutOctets   OutUcastPkts   OutMcastPkts   OutBcastPkts
Et1               1245344884          21313            300             87
Port      FCS    Align   Symbol       Rx    Runts   Giants       Tx
Et1       700        0        3        0        0        0        0
Et49/1      0        0      N/A        0        0        0        0
Port          InDiscards        OutDiscards
Et1                    0                 19
Totals                 0                 19
`
	for _, source := range []string{"show interfaces counters", "show interfaces counters errors"} {
		f, err := Parse([]byte("os eos\n-- " + source + " --\n" + text))
		if err != nil || len(f.Unknown) > 0 {
			t.Fatal(err, f.Unknown)
		}
		var got []string
		for _, c := range f.Counts {
			if c.Value > 0 {
				got = append(got, fmt.Sprintf("%s %s %d of %d", c.Subject, c.What, c.Value, c.Of.Or(0)))
			}
		}
		s := strings.Join(got, "; ")
		for _, want := range []string{"bad-frames 703 of 1000000", "queue-drops 19 of 21700"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no %s: %s", source, want, s)
			}
		}
		if f.NIC("Et49/1") == nil && f.NIC("Ethernet49/1") == nil {
			t.Errorf("%s: no Et49/1", source)
		}
	}
	if source, ok := Recognise("counters.txt", []byte(text)); !ok || source != "show interfaces counters" {
		t.Error(source)
	}
	if f, err := Parse([]byte("os eos\n-- show interfaces counters --\nPort FCS Align Symbol\nEt1 1\n")); err != nil ||
		len(f.Unknown) != 1 {
		t.Errorf("%v %v", err, f.Unknown)
	}
}
