package fdxbank

import (
	"strings"
	"sync"
	"time"
)

// Fault is how an institution misbehaves toward one user. The username fdx_FAULT
// selects each, as in fdx_slow; the data are those of the user default, and of multi
// where there must be several accounts.
type Fault string

const (
	FaultNone      Fault = ""
	FaultSlow      Fault = "slow"      // every answer takes two seconds
	FaultError     Fault = "500"       // every answer is 500
	FaultDown      Fault = "503"       // every answer is 503
	FaultFlaky     Fault = "flaky"     // every second answer is 503
	FaultBusy      Fault = "429"       // every second answer is 429 with Retry-After
	FaultDenied    Fault = "denied"    // the institution refuses after the sign-in
	FaultExpired   Fault = "expired"   // the consent has ended when the data are read
	FaultMFA       Fault = "mfa"       // the data need another authentication, with a second factor (RFC 9470)
	FaultPartial   Fault = "partial"   // the transactions of the last account are 500
	FaultRepeat    Fault = "repeat"    // the second page of transactions is the first again, and so on
	FaultEndless   Fault = "endless"   // pages of transactions never end
	FaultNegative  Fault = "negative"  // the next page has a negative offset
	FaultLink      Fault = "link"      // the next page is at another host
	FaultRedirect  Fault = "redirect"  // every answer redirects to another host
	FaultMalformed Fault = "malformed" // answers are not JSON
	FaultHuge      Fault = "huge"      // the transactions are an answer of 256 MiB
	FaultCurrency  Fault = "currency"  // accounts are in euros
	FaultDuplicate Fault = "duplicate" // two accounts have one id
	FaultOverflow  Fault = "overflow"  // an amount is 1e400
	FaultFuture    Fault = "future"    // transactions are posted in the next month
	FaultMarkup    Fault = "markup"    // names and descriptions have HTML
)

// Faults returns all faults.
func Faults() []Fault {
	return []Fault{FaultSlow, FaultError, FaultDown, FaultFlaky, FaultBusy, FaultDenied, FaultExpired, FaultMFA, FaultPartial,
		FaultRepeat, FaultEndless, FaultNegative, FaultLink, FaultRedirect, FaultMalformed, FaultHuge, FaultCurrency, FaultDuplicate,
		FaultOverflow, FaultFuture, FaultMarkup}
}

// FaultOf returns the fault that a username selects.
func FaultOf(username string) Fault {
	switch username {
	case "error":
		return FaultMalformed
	case "supplier_unresponsive":
		return FaultDown
	}
	name, ok := strings.CutPrefix(username, "fdx_")
	for _, f := range Faults() {
		if ok && name == string(f) {
			return f
		}
	}
	return FaultNone
}

// faultWait is how long FaultSlow waits, and elsewhere where FaultRedirect and FaultLink
// lead to.
const (
	faultWait = 2 * time.Second
	elsewhere = "https://elsewhere.example"
	hugeBytes = 256 << 20
)

// Counter counts requests by name in this process.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

const maxCounters = 10_000

// Next returns the number of calls with the name, from 1. Beyond maxCounters names,
// counting starts over.
func (c *Counter) Next(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil || len(c.counts) >= maxCounters {
		c.counts = map[string]int{}
	}
	c.counts[name]++
	return c.counts[name]
}
