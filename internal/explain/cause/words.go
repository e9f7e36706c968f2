package cause

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"linerate/internal/base/xslices"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// words are the texts about a limiter in reports.
type words struct{ id, label, plain string }

// others are the limiters that are not the id of a cause in the tables.
var others = []words{
	{"pcie", "PCIe", "The NIC cannot get data in or out of its machine faster than its slot allows. The cable could " +
		"carry more."},
	{"memory", "the memory", ""},
	{"drive", "the drive", ""},
	{record.LimiterUnexplained, "unexplained", "Something holds it back, and what was read on both machines does not " +
		"say what. That is not a " +
		"fault of yours, and no guess is made."},
}

// wordsByID has the words of every limiter, from the first of its causes that has them.
var wordsByID = sync.OnceValue(func() map[string]words {
	by := xslices.By(others, func(w words) string { return w.id })
	all := All()
	addWords(by, all.Network)
	addWords(by, all.FollowUp)
	addWords(by, all.Storage)
	addWords(by, all.Copies)
	return by
})

func addWords[C any](by map[string]words, causes []judge.CauseOf[C]) {
	for _, c := range causes {
		w := by[c.ID]
		by[c.ID] = words{c.ID, cmp.Or(w.label, c.Label), cmp.Or(w.plain, c.Plain)}
	}
}

// Label returns the short name of a limiter for a table; empty: its ID is the shortest name.
func Label(id string) string { return wordsByID()[id].label }

// Plain returns the meaning of a verdict, for a reader who does not know TCP windows, queues and offloads; empty: its
// sentence is plain enough.
func Plain(v *record.Verdict) string {
	if v.Limiter == record.LimiterOneConnection && strings.Contains(v.Sentence, "too few requests") { // of storage
		return storage.FewRequestsPlain
	}
	return wordsByID()[v.Limiter].plain
}

// IDs returns the limiters of all network causes, each once, and the two verdicts that are not causes.
func IDs() []string {
	var ids []string
	all := All()
	for _, c := range slices.Concat(all.Network, all.FollowUp) {
		ids = xslices.AppendNew(ids, c.ID)
	}
	return append(ids, record.LimiterUnexplained, record.LimiterUnknown)
}
