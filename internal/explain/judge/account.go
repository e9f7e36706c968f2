package judge

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// accountOf computes a cross-check of the two sides of a path; nil: it does not apply to this experiment.
type accountOf func(*Case) []record.Account

// accountTable has the cross-checks in the order in which they are shown. They name no cause: each is evidence for any
// cause.
var accountTable = []accountOf{accountSent, accountRetransmits, accountMissing, accountCrossed, accountCPU,
	accountDrive}

// Accounts computes all cross-checks. Missing counters of an end make them unknown, each with its reason.
func Accounts(c *Case) (all []record.Account) {
	if c.Repeat == nil || c.OverRDMA() { // traffic that bypasses the kernel is not in these counters
		return nil
	}
	for _, of := range accountTable {
		all = append(all, of(c)...)
	}
	return all
}

// Account returns the cross-check with the name, and with this host on its left side if host is not empty; nil: there
// is none.
func (c *Case) Account(name, host string) *record.Account {
	return xslices.At(c.Accounts, func(a *record.Account) bool {
		return a.Name == name && (host == "" || a.Left.Host == host)
	})
}

// AccountTolerance is the largest difference of two matching sides, as a share of the larger.
const AccountTolerance = 0.05

// settle compares both sides. Two counts also match if they differ by one.
func settle(a *record.Account, counted bool) {
	if a.Left.Value == nil || a.Right.Value == nil {
		return
	}
	l, r := *a.Left.Value, *a.Right.Value
	a.Difference = new(l - r)
	share := 0.0
	if most := max(math.Abs(l), math.Abs(r)); most > 0 {
		share = math.Abs(l-r) / most
	}
	a.Share = &share
	yes := share <= AccountTolerance || counted && min(l, r) > 0 && math.Abs(l-r) <= 1
	a.Closes = &yes
}

// open marks a cross-check as not known, whatever figures it has.
func open(a *record.Account, why string) {
	a.Closes, a.Why = nil, why
	a.Sentence = fmt.Sprintf("%s: not known, because %s.", accountTitles[a.Name], why)
}

// accountTitles describes the cross-checks in a few words.
var accountTitles = map[string]string{"sent": "Bytes on the sender's interface",
	"received": "Bytes on the receiver's interface", "resent": "Segments retransmitted",
	"missing": "Datagrams that did not arrive", "crossed": "Datagrams lost between the interfaces",
	"processor": "CPU time", "drive": "Bytes of the drive"}

func joined(texts []string) string { return strings.Join(texts, "; ") }
