package parse

import (
	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// bsdClasses are the class counters of FreeBSD, by the last word of a sysctl's name: mlx5's (sys/dev/mlx5/mlx5_en/en.h)
// and cxgbe's, which are in a snapshot.
var bsdClasses = []struct {
	form *lazyregexp.Regexp
	what facts.ClassCounted
}{
	{lazyregexp.New(`^(?:prio(\d)_tx_pause|tx_ppp(\d))$`), facts.ClassPauseSent},
	{lazyregexp.New(`^(?:prio(\d)_rx_pause|rx_ppp(\d))$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^prio(\d)_rx_discards()$`), facts.ClassReceiveDrops},
}

func bsdClass(f *parse.Builder, subject, name string, value uint64, line string) {
	for _, d := range bsdClasses {
		if m := d.form.FindStringSubmatch(name); m != nil && (m[1] + m[2])[0] < '8' {
			f.ClassCounted(d.what, subject, int((m[1] + m[2])[0]-'0'), value, line)
			return
		}
	}
}
