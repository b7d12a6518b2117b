package profiles

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// profile is one test consumer.
type profile struct {
	name        string
	institution string
	owners      []bankdata.Person
	homes       []bankdata.Address
	accounts    []account
}

// account describes how an account's months are generated. Month 0 is that of the fetch
// date, month 1 the one before. Purchases fill the difference between net and the fixed
// streams and events, so these determine every ratio of income and spending.
type account struct {
	key, name  string
	subtype    string // empty: neither checking nor savings
	kind       string // account_type of an account without subtype; empty: an investment account
	number     string
	monthsOpen int
	end        report.Cents   // balance at the end of month 1
	streams    []stream       // regular movements
	events     []event        // single movements
	net        []report.Cents // by month, repeating after the last; nil: no purchases
	baskets    []basket       // what purchases are made of
	pending    bool           // a purchase is pending on the fetch date
}

// stream is a regular movement.
type stream struct {
	days    []int // of the month; 31 is the last one
	amount  report.Cents
	percent []int // of amount, by month, repeating; nil: always 100
	without []int // months that it leaves out
	banking bool  // moved from a weekend to the Friday before
	text    string
}

// event is a single movement.
type event struct {
	month, day int
	amount     report.Cents
	text       string
}

// basket is a share of the month's purchases.
type basket struct {
	weight int // relative to the other baskets
	count  int // purchases a month
	texts  []string
}

// monthStart returns the first day of the month k months before the fetch date's.
func monthStart(fetch report.Date, k int) time.Time {
	return time.Date(fetch.Year(), fetch.Month()-time.Month(k), 1, 0, 0, 0, 0, time.UTC)
}

type movement struct {
	day    int
	amount report.Cents
	text   string
}

// history is an account's transactions of the two years up to a day, and the balance at its end.
type history struct {
	transactions []bankdata.Transaction
	balance      report.Cents
}

// histories has the history of each account that was fetched on a day. It is the same for every
// consumer, so it is generated once a day.
var histories struct {
	sync.Mutex
	day report.Date
	all map[string]history // by profile and account
}

// historyOn returns the account's history on a day. Callers do not change its transactions.
func (a account) historyOn(profile string, day report.Date) history {
	histories.Lock()
	defer histories.Unlock()
	if !histories.day.Equal(day.Time) {
		histories.day, histories.all = day, map[string]history{}
	}
	key := profile + "/" + a.key
	h, known := histories.all[key]
	if !known {
		h = generate(profile, a, day)
		histories.all[key] = h
	}
	return h
}

func generate(profile string, a account, fetch report.Date) history {
	oldest := bankdata.HistoryStart(fetch)
	balance := a.end
	var out []bankdata.Transaction
	for k := 24; k >= 0; k-- {
		start := monthStart(fetch, k)
		moves := a.month(profile, k, start)
		slices.SortStableFunc(moves, func(x, y movement) int { return cmp.Compare(x.day, y.day) })
		for i, m := range moves {
			posted := report.Date{Time: start.AddDate(0, 0, m.day-1)}
			if posted.Before(oldest.Time) || posted.After(fetch.Time) {
				continue
			}
			if k == 0 {
				balance += m.amount
			}
			out = append(out, bankdata.Transaction{
				ID:          fmt.Sprintf("%s%02d%03d", posted.Format("20060102"), k, i),
				Posted:      posted,
				Amount:      m.amount,
				Description: m.text,
			})
		}
	}
	if a.pending {
		out = append(out, bankdata.Transaction{
			ID: fetch.Format("20060102") + "P001", Posted: fetch, Pending: true,
			Amount: -18_40, Description: "PENDING POS CORNER CAFE 0417",
		})
	}
	return history{slices.Clip(out), balance}
}

// month generates the movements of month k, which begins at start.
func (a account) month(profile string, k int, start time.Time) []movement {
	length := start.AddDate(0, 1, -1).Day()
	var out []movement
	var sum report.Cents
	add := func(day int, amount report.Cents, text string) {
		out = append(out, movement{min(day, length), amount, text})
		sum += amount
	}
	for _, s := range a.streams {
		if slices.Contains(s.without, k) {
			continue
		}
		amount := s.amount
		if s.percent != nil {
			amount = amount * report.Cents(s.percent[k%len(s.percent)]) / 100
		}
		for _, d := range s.days {
			add(s.day(start, min(d, length)), amount, s.text)
		}
	}
	for _, e := range a.events {
		if e.month == k {
			add(e.day, e.amount, e.text)
		}
	}
	if a.net == nil {
		return out
	}
	left := sum - a.net[k%len(a.net)] // what purchases take
	r := random(profile, a.key, k)
	total := 0
	for _, b := range a.baskets {
		total += b.weight
	}
	for i, b := range a.baskets {
		share := left * report.Cents(b.weight) / report.Cents(total)
		if i == len(a.baskets)-1 { // the cents that rounding left
			share = sum - a.net[k%len(a.net)]
		}
		for n := b.count; n > 0; n-- {
			amount := share
			if n > 1 { // between 60 and 140 percent of an even split
				amount = share * report.Cents(60+r.IntN(81)) / report.Cents(100*n)
			}
			share -= amount
			add(1+r.IntN(length), -amount, b.texts[r.IntN(len(b.texts))])
		}
	}
	return out
}

func (s stream) day(start time.Time, day int) int {
	if !s.banking {
		return day
	}
	switch start.AddDate(0, 0, day-1).Weekday() {
	case time.Saturday:
		day--
	case time.Sunday:
		day -= 2
	}
	return max(day, 1)
}

// random returns the pseudorandom source of one month of one account, always seeded
// the same.
func random(profile, key string, k int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", profile, key)
	return rand.New(rand.NewPCG(h.Sum64(), uint64(k)))
}
