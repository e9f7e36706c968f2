package explain

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/record"
)

// accountOf is one identity over the two sides of a path; nil: it is none of this experiment.
type accountOf func(*Case) []record.Account

// accountTable are the accounts in the order in which they are shown. They name no cause: what one says is evidence, whoever asks.
var accountTable = []accountOf{
	accountSent,
	accountResent,
	accountMissing,
	accountCrossed,
	accountProcessor,
	accountDrive,
}

// accounts reckons them all. What one end did not say makes them unknown, each with its reason.
func accounts(c *Case) (all []record.Account) {
	if c.Repeat == nil || c.overRDMA() { // what a card carries past the kernel is in no counter of these
		return nil
	}
	for _, of := range accountTable {
		all = append(all, of(c)...)
	}
	return all
}

// account is the one of that name, of the host of its left side if that is not empty; nil: there is none.
func (c *Case) account(name, host string) *record.Account {
	for i := range c.Accounts {
		if a := &c.Accounts[i]; a.Name == name && (host == "" || a.Left.Host == host) {
			return a
		}
	}
	return nil
}

// sameShare is how far two sides of an account may be apart, as a share of the larger.
const sameShare = 0.05

// settle holds both sides against each other. Of two things that were both counted one more or less is within what counting can say.
func settle(a *record.Account, counted bool) {
	if a.Left.Value == nil || a.Right.Value == nil {
		return
	}
	l, r := *a.Left.Value, *a.Right.Value
	a.Difference = ptr(l - r)
	share := 0.0
	if most := max(math.Abs(l), math.Abs(r)); most > 0 {
		share = math.Abs(l-r) / most
	}
	a.Share = &share
	yes := share <= sameShare || counted && min(l, r) > 0 && math.Abs(l-r) <= 1
	a.Closes = &yes
}

// open says that an account is not known, whatever figures it has.
func open(a *record.Account, why string) {
	a.Closes, a.Why = nil, why
	a.Sentence = fmt.Sprintf("%s: not known, because %s.", accountTitles[a.Name], why)
}

// accountTitles are the accounts in a few words.
var accountTitles = map[string]string{
	"sent":      "Bytes on the sender's interface",
	"received":  "Bytes on the receiver's interface",
	"resent":    "Segments sent again",
	"missing":   "Datagrams that did not arrive",
	"crossed":   "Datagrams lost between the interfaces",
	"processor": "Processor time",
	"drive":     "Bytes of the drive",
}

func joined(texts []string) string { return strings.Join(texts, "; ") }
