package profiles

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/strictyaml"
)

// profile is one test consumer.
type profile struct {
	Institution string
	Owners      []bankdata.Person
	Homes       []bankdata.Address
	Accounts    []account
}

// account describes how an account's months are generated. Purchases fill the difference between
// Net and the fixed streams and events, so these determine every ratio of income and spending.
type account struct {
	Key, Name, Subtype, Kind, Number string

	MonthsOpen int `yaml:"months_open"`
	End        report.Cents
	Streams    []stream
	Events     []event
	Net        []report.Cents
	Pending    bool
}

type stream struct {
	Days             []int
	Amount           report.Cents
	Percent, Without []int
	Banking          bool
	Text             string
}

type event struct {
	Month, Day int
	Amount     report.Cents
	Text       string
}

// basket is a share of the month's purchases.
type basket struct {
	Weight, Count int
	Texts         []string
}

// profiles.yaml explains its fields.
//
//go:embed profiles.yaml
var profilesFile []byte

// consumers has all profiles by name, and what purchases are made of.
var consumers = sync.OnceValue(func() (all struct {
	Purchases []basket
	Profiles  map[string]profile
}) {
	if err := strictyaml.Decode(profilesFile, &all); err != nil {
		panic("profiles: profiles.yaml: " + err.Error()) // tests read it
	}
	return all
})

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
	key := profile + "/" + a.Key
	h, known := histories.all[key]
	if !known {
		h = generate(profile, a, day)
		histories.all[key] = h
	}
	return h
}

func generate(profile string, a account, fetch report.Date) history {
	oldest := bankdata.HistoryStart(fetch)
	balance := a.End
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
	if a.Pending {
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
	for _, s := range a.Streams {
		if slices.Contains(s.Without, k) {
			continue
		}
		amount := s.Amount
		if s.Percent != nil {
			amount = amount * report.Cents(s.Percent[k%len(s.Percent)]) / 100
		}
		for _, d := range s.Days {
			add(s.day(start, min(d, length)), amount, s.Text)
		}
	}
	for _, e := range a.Events {
		if e.Month == k {
			add(e.Day, e.Amount, e.Text)
		}
	}
	if a.Net == nil {
		return out
	}
	left := sum - a.Net[k%len(a.Net)] // what purchases take
	r := random(profile, a.Key, k)
	total, baskets := 0, consumers().Purchases
	for _, b := range baskets {
		total += b.Weight
	}
	for i, b := range baskets {
		share := left * report.Cents(b.Weight) / report.Cents(total)
		if i == len(baskets)-1 { // the cents that rounding left
			share = sum - a.Net[k%len(a.Net)]
		}
		for n := b.Count; n > 0; n-- {
			amount := share
			if n > 1 { // between 60 and 140 percent of an even split
				amount = share * report.Cents(60+r.IntN(81)) / report.Cents(100*n)
			}
			share -= amount
			add(1+r.IntN(length), -amount, b.Texts[r.IntN(len(b.Texts))])
		}
	}
	return out
}

func (s stream) day(start time.Time, day int) int {
	if !s.Banking {
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
