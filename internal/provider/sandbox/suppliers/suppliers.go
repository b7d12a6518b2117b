// Package suppliers implements the sandbox's foreign credit bureaus and its reader of
// identity documents: one file for each supplier and applicant, generated relative to
// the day it is fetched (docs/divergences.md). The same supplier, applicant, and day
// give the same file.
//
// Tests check that files are consistent for all codes: no balance is above its limit,
// nothing paid last month is past due, and no credit is older than its holder's adult
// years. Everything is invented, including score scales and exchange rates.
package suppliers

import (
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// Bureaus implements all suppliers, as a sources.Bureau. Its zero value is ready.
type Bureaus struct{}

var _ sources.DisputeTaker = Bureaus{}

// Institutions implements sources.Connector.
func (b Bureaus) Institutions() (all []sources.Institution) {
	for _, s := range report.Suppliers() {
		all = append(all, sources.Institution{ID: s.Code, Kind: sources.Supplier, Name: s.Name,
			Place: b.Place(i18n.English, s.Code), PlaceES: b.Place(i18n.Spanish, s.Code)})
	}
	return all
}

// File implements sources.Bureau. It never fails. A document is in the file only if one
// was uploaded; its image is not read, and the data are invented.
func (b Bureaus) File(_ context.Context, code string, r sources.FileRequest) (passport.File, *passport.Quote, error) {
	f := b.Fetch(code, r.Reference, r.Person, r.AsOf.Time)
	if len(r.Documents) == 0 {
		f.Person.Documents = nil
	}
	return f, b.Quote(f.Currency, r.AsOf.Time), nil
}

// Dispute implements sources.DisputeTaker. A bureau looks into every dispute, and keeps nothing.
func (Bureaus) Dispute(_ context.Context, code string, r sources.DisputeRequest) (sources.DisputeReceipt, error) {
	out := sources.DisputeReceipt{Number: code + "-" + strings.ToUpper(derive(code, r.Number)[:8]), Message: "We look into the dispute."}
	if r.Facts != "" {
		out.Message = "We added the new facts."
	}
	return out, nil
}

// Last names that select a file, ignoring case. With any other, the applicant's seed
// selects the payment behavior.
const (
	NoFile     = "nofile"     // the supplier has no file of that name
	ThinFile   = "thinfile"   // an identity, and next to no credit
	Delinquent = "delinquent" // payments past due, a debt charged off, a collection
	Deceased   = "deceased"   // a person who died five months ago
)

// Quotes name who quoted the sandbox's rates.
const quoted = "SANDBOX_FIXED_RATES"

// Place returns the country of a supplier, for users to search: with its name in its
// own language if different; for the reader of documents, what it reads.
func (Bureaus) Place(l i18n.Lang, code string) string {
	s, _ := report.SupplierOf(code)
	c, ok := countryOf(report.Text(s.Country))
	if !ok {
		return i18n.T(l, "visit.supplier.documents")
	}
	region, err := language.ParseRegion(report.Text(s.Country))
	if err != nil {
		return c.Name
	}
	names := display.English
	if l == i18n.Spanish {
		names = display.Spanish
	}
	name := names.Regions().Name(region)
	if strings.EqualFold(name, c.Name) {
		return name
	}
	return name + " · " + c.Name
}

// Quote returns the sandbox's rate for a currency, or nil.
func (Bureaus) Quote(currency string, at time.Time) *passport.Quote {
	for _, c := range countries() {
		if c.Currency == currency {
			return &passport.Quote{Currency: currency, Rate: report.Rate(c.Rate), Day: report.DateOf(at), Source: quoted}
		}
	}
	return nil
}

// Minimum adult months to be known to a bureau, and for past events: a charged-off
// debt, a closed card.
const (
	someCredit = 4
	pastCredit = 30
)

// Fetch retrieves a supplier's file on an applicant at an instant. typed is what the
// applicant typed, or nil; identifiers derive from link, the report's publicToken. An
// unknown code has no file.
//
// The person in the file is the typed one if the country and the typed name both use
// Latin letters. In other countries, it is the typed one if the sandbox has both
// names, in either script. Otherwise it is another person, who does not match. A typed
// date of birth applies to that person; bureaus have no file on people who have only
// just come of age.
func (Bureaus) Fetch(code, link string, typed *passport.Consumer, at time.Time) passport.File {
	supplier, ok := report.SupplierOf(code)
	if !ok {
		return passport.File{Supplier: code}
	}
	out := passport.File{Supplier: code, RecordID: derive(link, code)}
	seed, last := link, ""
	if typed != nil {
		seed = strings.ToLower(strings.Join(append([]string{typed.First, typed.Last}, typed.Emails...), "/"))
		last = strings.ToLower(strings.TrimSpace(typed.Last))
	}
	if last == NoFile {
		return out
	}
	out.Found = true
	g := generator{rand: random(code, seed), link: link, day: report.DateOf(at), supplier: code}
	g.code = report.Text(supplier.Country)
	if g.code == "" { // documents are of anywhere
		codes := []string{"AUS", "BRA", "DEU", "IND", "KOR", "MEX", "NGA", "PHL", "UKR"}
		g.code = codes[g.rand.IntN(len(codes))]
	}
	g.country, _ = countryOf(g.code)
	out.Person = g.person(typed, supplier.Fields, last == Deceased)
	if code == report.DocumentSupplier {
		return out
	}
	if g.adult = monthsBetween(out.Person.Born, g.day) - 18*12; g.adult < someCredit {
		return passport.File{Supplier: code, RecordID: out.RecordID} // children have no credit
	}
	if g.adult < pastCredit {
		last = ThinFile
	}
	out.Currency = g.Currency
	g.addressesAndJobs(&out)
	g.credit(&out, last)
	return out
}

// generator generates one file.
type generator struct {
	country
	rand     *rand.Rand
	code     string // of the country
	supplier string
	link     string
	day      report.Date
	adult    int // months since the person came of age
}

func random(parts ...string) *rand.Rand {
	h := fnv.New64a()
	for _, p := range parts {
		io.WriteString(h, p)
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(h.Sum64(), 29))
}

func derive(link, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(link+"/passport/"+what)).String()
}

func (g *generator) pick(all ...string) string { return all[g.rand.IntN(len(all))] }

// between returns a number from low to high, inclusive.
func (g *generator) between(low, high int) int { return low + g.rand.IntN(high-low+1) }

// chance returns true in percent of 100 files.
func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

// monthsAgo returns a day of the month k months before the fetch date's.
func (g *generator) monthsAgo(k, day int) report.Date {
	d := report.Date{Time: time.Date(g.day.Year(), g.day.Month()-time.Month(k), min(day, 28), 0, 0, 0, 0, time.UTC)}
	if d.After(g.day.Time) {
		return g.day
	}
	return d
}

// filled replaces the placeholders of a pattern with digits and letters.
func (g *generator) filled(pattern string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '#':
			return rune('0' + g.rand.IntN(10))
		case '@':
			return rune('A' + g.rand.IntN(26))
		}
		return r
	}, pattern)
}

// person generates the full identity, of which the report uses what the supplier
// provides.
func (g *generator) person(typed *passport.Consumer, fields report.IdentityFields, deceased bool) passport.Person {
	given, family := g.pickNames(typed)
	first, firstLatin := spelling(given)
	last, lastLatin := spelling(family)
	middle, _ := spelling(g.pickOther(g.GivenNames, given))
	second, _ := spelling(g.pickOther(g.FamilyNames, family))
	p := passport.Person{First: first, Last: last, Middle: middle, Deceased: deceased,
		Transliterated: firstLatin + " " + lastLatin,
		Born:           report.Date{Time: time.Date(g.between(1964, 2001), time.Month(g.between(1, 12)), g.between(1, 28), 0, 0, 0, 0, time.UTC)}}
	p.Full = g.fullName(first, middle, last, second, fields)
	p.Others = []string{strings.TrimSpace(first + " " + second)}
	if g.foreign() {
		p.Others = []string{firstLatin + " " + lastLatin}
	}
	if g.Capitals {
		for _, s := range []*string{&p.First, &p.Last, &p.Middle, &p.Full, &p.Others[0]} {
			*s = strings.ToUpper(*s)
		}
	}
	p.Emails = []string{mailbox(firstLatin) + "." + mailbox(lastLatin) + "@mail.example"}
	if typed != nil && (passport.SameName(*typed, p.Full) || passport.SameName(*typed, p.Transliterated)) {
		if len(typed.Emails) > 0 {
			p.Emails = slices.Clone(typed.Emails)
		}
		if !typed.Born.IsZero() {
			p.Born = typed.Born
		}
	}
	p.Telephones = []string{g.filled(g.Phone)}
	if deceased {
		p.Died = g.monthsAgo(5, 11)
	}
	issued := g.between(14, 90)
	p.Documents = []passport.Document{{Type: g.pick("PASSPORT", "NATIONAL_ID", "DRIVERS_LICENSE"), Number: g.filled("@#######"),
		Country: g.code, Issued: g.monthsAgo(issued, 9), Expires: report.Date{Time: g.monthsAgo(issued, 9).AddDate(10, 0, 0)}}}
	return p
}

// pickNames selects the names of the file's person, each with its Latin spelling.
func (g *generator) pickNames(typed *passport.Consumer) (given, family string) {
	given, family = g.pick(g.GivenNames...), g.pick(g.FamilyNames...)
	if typed == nil || typed.First == "" || typed.Last == "" {
		return given, family
	}
	if !g.foreign() {
		if latin(typed.First + typed.Last) {
			return typed.First, typed.Last
		}
		return given, family
	}
	first, last := findName(g.GivenNames, typed.First), findName(g.FamilyNames, typed.Last)
	if first == "" || last == "" {
		return given, family
	}
	return first, last
}

// findName finds a name in a list by either spelling.
func findName(names []string, typed string) string {
	bare := func(s string) string { return strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(s)) }
	for _, n := range names {
		if own, latin := spelling(n); bare(own) == bare(typed) || bare(latin) == bare(typed) {
			return n
		}
	}
	return ""
}

func latin(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

func (g *generator) pickOther(names []string, n string) string {
	all := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == n })
	return all[g.rand.IntN(len(all))]
}

// fullName formats the name by the country's customs. A middle name is included only if
// the supplier provides it.
func (g *generator) fullName(first, middle, last, second string, fields report.IdentityFields) string {
	var parts []string
	for _, which := range strings.Fields(g.NameOrder) {
		switch which {
		case "G":
			parts = append(parts, first)
		case "M":
			if fields.MiddleName {
				parts = append(parts, middle)
			}
		case "F":
			parts = append(parts, last)
		case "S":
			parts = append(parts, second)
		}
	}
	if g.NamesJoined {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

// mailbox returns the plain letters of a name.
func mailbox(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' {
			b.WriteRune(r)
		}
	}
	return cmp.Or(b.String(), "x")
}

// addressesAndJobs generates addresses, employers, numbers, and bank accounts.
func (g *generator) addressesAndJobs(f *passport.File) {
	home := g.between(8, 50)
	at := g.rand.IntN(len(g.Addresses))
	f.Addresses = []passport.Address{g.address(at, g.monthsAgo(home, 3), g.monthsAgo(1, 20))}
	if g.chance(70) {
		f.Addresses = append(f.Addresses, g.address(at+1, g.monthsAgo(home+g.between(12, 60), 14), g.monthsAgo(home, 2)))
	}
	since := min(g.between(5, 70), g.adult)
	wage := g.money(g.MonthlyWage*int64(g.between(60, 190))/100, 2)
	f.Employers = []passport.Employer{{Name: g.pick(g.Employers...), Job: g.pick(g.Jobs...),
		Start: g.monthsAgo(since, 1), Last: g.monthsAgo(1, 18), Monthly: &wage}}
	if g.chance(55) {
		before := g.money(int64(wage)/100*int64(g.between(55, 90))/100, 2)
		f.Employers = append(f.Employers, passport.Employer{Name: g.pickOther(g.Employers, f.Employers[0].Name), Job: g.pick(g.Jobs...),
			Start: g.monthsAgo(min(since+g.between(10, 60), g.adult), 1), End: g.monthsAgo(since, 1),
			Last: g.monthsAgo(since+1, 18), Monthly: &before})
	}
	if g.chance(25) {
		extra := g.money(int64(wage)/100*int64(g.between(8, 25))/100, 2)
		f.OtherIncomes = []passport.OtherIncome{{Type: g.pick("RENTAL", "SELF_EMPLOYMENT", "BENEFIT"),
			Frequency: "MONTHLY", Amount: &extra, Reported: g.monthsAgo(2, 7)}}
	}
	f.Identifiers = []passport.Identifier{{Type: g.IdentifierType, Value: g.filled(g.Identifier), Country: g.code}}
	for n := g.between(1, 2); n > 0; n-- {
		a := passport.BankAccount{Institution: g.pick(g.Lenders...), Type: report.Checking,
			Number: g.filled("##########"), Opened: g.monthsAgo(g.between(14, 120), 6)}
		if n == 2 {
			a.Type = report.Savings
			if g.chance(30) {
				a.Closed = g.monthsAgo(g.between(2, 12), 25)
			}
		}
		f.BankAccounts = append(f.BankAccounts, a)
	}
}

// address returns the n-th address of the country.
func (g *generator) address(n int, first, last report.Date) passport.Address {
	at := g.Addresses[n%len(g.Addresses)]
	a := passport.Address{Street: at.Street, City: at.City, Region: at.Region, Postcode: at.Postcode, Country: g.code,
		First: first, Last: last}
	a.Line = strings.NewReplacer("S", a.Street, "C", a.City, "R", a.Region, "P", a.Postcode).Replace(g.AddressLine)
	if g.CountryFirst {
		a.Line = g.Name + " " + a.Line
	} else {
		a.Line += ", " + g.Name
	}
	return a
}

// money returns an amount of whole units, rounded to so many digits.
func (g *generator) money(units int64, digits int) report.Cents {
	step := int64(1)
	for limit := int64(1); digits > 0; digits-- {
		limit *= 10
		if digits == 1 {
			for units/step >= limit {
				step *= 10
			}
		}
	}
	return report.Cents(max(units/step, 1) * step * 100)
}
