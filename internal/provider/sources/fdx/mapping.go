package fdx

import (
	"cmp"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/personname"
	"vestibule/internal/report"
)

// account has the used members of all kinds of accounts.
type account struct {
	ID        text     `json:"accountId"`
	Category  text     `json:"accountCategory"`
	Type      text     `json:"accountType"`
	Nickname  text     `json:"nickname"`
	Product   text     `json:"productName"`
	Number    text     `json:"accountNumber"`
	Display   text     `json:"accountNumberDisplay"`
	Routing   text     `json:"routingTransitNumber"`
	Currency  currency `json:"currency"`
	Current   money    `json:"currentBalance"`
	Available money    `json:"availableBalance"`
	Principal money    `json:"principalBalance"`
	Value     money    `json:"currentValue"`
	AsOf      day      `json:"balanceAsOf"`
	Opened    day      `json:"accountOpenDate"`
	Began     day      `json:"originatingDate"`

	kind    kind
	unclear bool // its id is not usable, or another account's, too
}

// kind is the category of an account, without its suffix.
type kind string

const (
	deposit    kind = "DEPOSIT"
	loan       kind = "LOAN"
	credit     kind = "LOC"
	investment kind = "INVESTMENT"
	annuity    kind = "ANNUITY"
)

// accountElement is an account of a list or of details. Version 6 has accountCategory,
// version 5 a member for each kind.
type accountElement struct {
	account
	Deposit    *account `json:"depositAccount"`
	Loan       *account `json:"loanAccount"`
	Credit     *account `json:"locAccount"`
	Investment *account `json:"investmentAccount"`
	Annuity    *account `json:"annuityAccount"`
	Insurance  *account `json:"insuranceAccount"`
}

// get returns the account with its kind, which is empty if unknown.
func (e *accountElement) get() *account {
	for _, of := range []struct {
		*account
		kind
	}{{e.Deposit, deposit}, {e.Loan, loan}, {e.Credit, credit}, {e.Investment, investment}, {e.Annuity, annuity}, {e.Insurance, ""}} {
		if of.account != nil {
			of.account.kind = of.kind
			return of.account
		}
	}
	a := &e.account
	switch k := kind(strings.TrimSuffix(strings.ToUpper(string(a.Category)), "_ACCOUNT")); k {
	case deposit, loan, credit, investment, annuity:
		a.kind = k
	case "":
		switch enum(a.Type) { // of banks that send neither
		case "CHECKING", "SAVINGS", "CD", "MONEYMARKET":
			a.kind = deposit
		case "CREDITCARD", "LINEOFCREDIT", "CHARGE", "HOMELINEOFCREDIT":
			a.kind = credit
		case "LOAN", "MORTGAGE", "STUDENTLOAN", "AUTOLOAN", "PERSONALLOAN", "HOMEEQUITYLOAN":
			a.kind = loan
		case "BROKERAGEACCOUNT", "401K", "IRA", "ROTH", "INVESTMENTACCOUNT":
			a.kind = investment
		}
	}
	return a
}

// enum returns a value of an enumeration in uppercase, without separators.
func enum(t text) string {
	if !strings.ContainsFunc(string(t), func(r rune) bool { return r < '0' || r > 'Z' }) {
		return string(t)
	}
	return strings.ToUpper(separators.Replace(string(t)))
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// addMissing sets the missing members of a to those of other, the same account in the
// list.
func (a *account) addMissing(other *account) {
	a.Category, a.Type, a.Nickname = cmp.Or(a.Category, other.Category), cmp.Or(a.Type, other.Type), cmp.Or(a.Nickname, other.Nickname)
	a.Product, a.Number, a.Routing = cmp.Or(a.Product, other.Product), cmp.Or(a.Number, other.Number), cmp.Or(a.Routing, other.Routing)
	a.Currency, a.kind = cmp.Or(a.Currency, other.Currency), cmp.Or(a.kind, other.kind)
	a.Display = cmp.Or(a.Display, other.Display)
	if _, ok := a.balance(); !ok {
		a.Current, a.Available, a.Principal, a.Value, a.AsOf = other.Current, other.Available, other.Principal, other.Value, other.AsOf
	}
	a.Opened, a.Began = cmp.Or(a.Opened, other.Opened), cmp.Or(a.Began, other.Began)
}

// balance returns the stated balance, negative for debts, or false without a valid one.
func (a *account) balance() (report.Cents, bool) {
	fields := []money{a.Current, a.Available}
	switch a.kind {
	case loan:
		fields = []money{a.Principal, a.Current}
	case credit:
		fields = []money{a.Current, a.Principal}
	case investment, annuity:
		fields = []money{a.Value, a.Current, a.Available}
	}
	for _, m := range fields {
		switch {
		case m.state == valid && (a.kind == loan || a.kind == credit): // stated as the amount owed
			return -m.cents, true
		case m.state == valid:
			return m.cents, true
		case m.state == invalid:
			return 0, false
		}
	}
	return 0, false
}

// toReport returns the account as reports have it, without transactions and contact.
func (a *account) toReport(b *bank, today report.Date) bankdata.Account {
	out := bankdata.Account{ID: string(a.ID), Institution: b.in.Name, Name: clean(string(cmp.Or(a.Nickname, a.Product)), maxName),
		Currency: strings.ToUpper(string(a.Currency)), Number: accountNumber(a.Number), Opened: cmp.Or(a.Opened, a.Began).ptr(),
		BalanceDate: a.AsOf.ptr()}
	if out.Number != "" {
		out.Routing, out.Tokenized = routingNumber(a.Routing), b.in.Tokenized
	}
	if out.LastDigits = lastDigits(a.Display); out.LastDigits == "" && out.Number == "" {
		out.LastDigits = lastDigits(a.Number)
	}
	out.Balance, _ = a.balance()
	out.Currency = cmp.Or(out.Currency, report.Dollars)
	if out.BalanceDate != nil && out.BalanceDate.After(today.Time) {
		out.BalanceDate = nil // of an institution whose time zone is ahead
	}
	if out.Opened != nil && out.Opened.After(today.Time) {
		out.Opened = nil
	}
	switch a.kind {
	case deposit:
		out.Type = report.CashEquivalent
		switch enum(a.Type) {
		case "CHECKING":
			out.Subtype = report.Checking
		case "SAVINGS", "MONEYMARKET", "HIGHINTERESTSAVINGSACCOUNT", "FIRSTHOMESAVINGSACCOUNT":
			out.Subtype = report.Savings
		default:
			out.Subtype = report.Other
		}
	case loan, credit:
		out.Type = report.Debt
	default:
		out.Type = report.Investment
	}
	return out
}

var currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)

// accountNumber returns an account number of letters, digits, and hyphens. For other
// texts and masked numbers, it returns "".
func accountNumber(t text) string {
	s := strings.ReplaceAll(string(t), " ", "")
	if len(s) < 4 || len(s) > 34 || strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-'
	}) || strings.ContainsAny(s[:1], "xX") {
		return ""
	}
	return s
}

// lastDigits returns the last four digits of a masked account number, such as ****1234, or ""
// if it does not end with four digits.
func lastDigits(t text) string {
	s := strings.ReplaceAll(string(t), " ", "")
	if len(s) < 4 || len(s) > 64 {
		return ""
	}
	s = s[len(s)-4:]
	if head, _ := digits([]byte(s)); len(head) < 4 {
		return ""
	}
	return s
}

// routingNumber returns a routing number of 8 to 12 digits, or "" for other texts.
func routingNumber(t text) string {
	s := strings.ReplaceAll(string(t), "-", "")
	if head, rest := digits([]byte(s)); len(head) < 8 || len(head) > 12 || len(rest) > 0 {
		return ""
	}
	return s
}

// paymentNetwork is an account's number within a payment network.
type paymentNetwork struct {
	Bank           text `json:"bankId"`
	Identifier     text `json:"identifier"`
	IdentifierType text `json:"identifierType"`
	Type           text `json:"type"`
}

// applyNumbers sets the account's numbers to those of the US_ACH network, or else of
// the first network with both. tokenized applies to a network without identifierType.
func applyNumbers(networks []paymentNetwork, tokenized bool, into *bankdata.Account) {
	best := -1
	for i, n := range networks {
		if accountNumber(n.Identifier) == "" || routingNumber(n.Bank) == "" {
			continue
		}
		if best < 0 || n.Type == "US_ACH" && networks[best].Type != "US_ACH" {
			best = i
		}
	}
	if best >= 0 {
		n := networks[best]
		into.Number, into.Routing = accountNumber(n.Identifier), routingNumber(n.Bank)
		into.Tokenized = n.IdentifierType == "TOKENIZED_ACCOUNT_NUMBER" || n.IdentifierType == "" && tokenized
	}
}

// contact has the institution's data about an account's holders.
type contact struct {
	Holders   []holder  `json:"holders"`
	Emails    texts     `json:"emails"`
	Addresses []address `json:"addresses"`
}

type holder struct {
	Relationship text       `json:"relationship"`
	Name         personName `json:"name"`
	Emails       texts      `json:"emails"`
	Email        texts      `json:"email"` // sent by some banks
	Addresses    []address  `json:"addresses"`
}

// personName is a name: an object with its parts, or a string.
type personName struct {
	First   text `json:"first"`
	Middle  text `json:"middle"`
	Last    text `json:"last"`
	Suffix  text `json:"suffix"`
	Company text `json:"company"`
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (n *personName) UnmarshalJSON(b []byte) error {
	*n = personName{}
	if b[0] == '{' {
		type parts personName
		return ignore(json.Unmarshal(b, (*parts)(n)))
	}
	var whole text
	_ = whole.UnmarshalJSON(b)
	first, last, suffix := personname.Split(string(whole))
	n.First, n.Last, n.Suffix = text(first), text(last), text(suffix)
	return nil
}

type address struct {
	Line1   text `json:"line1"`
	Line2   text `json:"line2"`
	Line3   text `json:"line3"`
	City    text `json:"city"`
	Region  text `json:"region"`
	State   text `json:"state"`
	ZIP     text `json:"postalCode"`
	Primary bool `json:"primary"`
}

// Bounds of texts, in characters, and of the entries of contacts.
const (
	maxName        = 200
	maxDescription = 255
	maxHolders     = 20
	maxAddresses   = 10
	maxEmails      = 10
)

// person returns a holder's name and email addresses.
func (h *holder) person() bankdata.Person {
	p := bankdata.Person{
		FirstName: clean(string(h.Name.First), maxName), MiddleName: clean(string(h.Name.Middle), maxName),
		LastName: clean(string(h.Name.Last), maxName), Suffix: clean(string(h.Name.Suffix), maxName),
	}
	p.Emails = emails(append(h.Emails, h.Email...))
	return p
}

func emails(list texts) (out []string) {
	for _, t := range list {
		if s := clean(string(t), maxDescription); strings.Count(s, "@") == 1 && !strings.ContainsRune(s, ' ') && len(out) < maxEmails {
			out = append(out, s)
		}
	}
	return out
}

func isOwner(relationship text) bool {
	switch relationship {
	case "AUTHORIZED_USER", "AUTHORIZED_SIGNER", "POWER_OF_ATTORNEY", "TRUSTEE", "DELEGATE", "ADMIN":
		return false
	}
	return !strings.HasPrefix(string(relationship), "FOR_BENEFIT_OF")
}

// apply adds the data of a contact to an account, and returns its owners.
func (c *contact) apply(b *bank, into *bankdata.Account) (owners []bankdata.Owner) {
	var names []string
	joint := false
	addresses := c.Addresses
	for i := range c.Holders[:min(len(c.Holders), maxHolders)] {
		h := &c.Holders[i]
		if !isOwner(h.Relationship) {
			continue
		}
		joint = joint || strings.Contains(string(h.Relationship), "JOINT") || strings.HasPrefix(string(h.Relationship), "SECONDARY")
		addresses = append(addresses, h.Addresses...)
		p := h.person()
		if p.FullName() == "" {
			if company := clean(string(h.Name.Company), maxName); company != "" {
				names = append(names, company)
			}
			continue
		}
		names = append(names, p.FullName())
		owners = append(owners, bankdata.Owner{RecordID: b.derive(into.ID, "owner", i), Person: p})
	}
	if len(owners) == 1 && len(c.Holders) == 1 { // with several holders, the emails' owner is unknown
		owners[0].Emails = emails(append(texts(nil), append(asTexts(owners[0].Emails), c.Emails...)...))
	}
	into.Owner = strings.Join(names, " and ")
	switch {
	case len(names) > 1 || joint:
		into.Responsibility = report.Joint
	case len(names) == 1:
		into.Responsibility = report.Individual
	}
	slices.SortStableFunc(addresses, func(x, y address) int {
		switch {
		case x.Primary == y.Primary:
			return 0
		case x.Primary:
			return -1
		}
		return 1
	})
	for _, a := range addresses {
		lines := []string{string(a.Line1), string(a.Line2), string(a.Line3)}
		out := bankdata.Address{Street: clean(strings.Join(lines, " "), maxName), City: clean(string(a.City), maxName),
			State: strings.TrimPrefix(clean(string(cmp.Or(a.Region, a.State)), maxName), "US-"), ZIP: clean(string(a.ZIP), 20)}
		same := func(b bankdata.Address) bool {
			b.ID = ""
			return b == out
		}
		if out == (bankdata.Address{}) || slices.ContainsFunc(into.Addresses, same) || len(into.Addresses) == maxAddresses {
			continue
		}
		out.ID = b.derive(into.ID, "address", len(into.Addresses))
		into.Addresses = append(into.Addresses, out)
	}
	return owners
}

func asTexts(list []string) (out texts) {
	for _, s := range list {
		out = append(out, text(s))
	}
	return out
}

// derive returns a UUID that stays the same for the same account.
func (b *bank) derive(account, what string, n int) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(b.in.ID+"/"+account+"/"+what+"/"+strconv.Itoa(n))).String()
}

// addOwners adds owners to a list. For an owner with the name of another one, it adds
// only the email addresses, because two accounts may have the same owner. Names with other
// differences than the spelling may be those of a parent and child.
func addOwners(all, more []bankdata.Owner) []bankdata.Owner {
	for _, o := range more {
		i := slices.IndexFunc(all, func(x bankdata.Owner) bool {
			notes, same := x.Compare(o.FullName())
			return same && !slices.ContainsFunc(notes, func(n personname.Note) bool { return n != personname.Spelling })
		})
		if i < 0 {
			all = append(all, o)
			continue
		}
		for _, email := range o.Emails {
			if !slices.ContainsFunc(all[i].Emails, func(s string) bool { return strings.EqualFold(s, email) }) {
				all[i].Emails = append(slices.Clip(all[i].Emails), email)
			}
		}
	}
	return all
}

// transaction has the used members of all kinds of transactions.
type transaction struct {
	ID          text  `json:"transactionId"`
	Posted      day   `json:"postedTimestamp"`
	At          day   `json:"transactionTimestamp"`
	Description text  `json:"description"`
	Memo        text  `json:"memo"`
	Payee       text  `json:"payee"`
	Direction   text  `json:"debitCreditMemo"`
	Type        text  `json:"transactionType"`
	Status      text  `json:"status"`
	Amount      money `json:"amount"`
}

// transactionElement is a transaction of a list, in version 5 or 6.
type transactionElement struct {
	transaction
	Deposit    *transaction `json:"depositTransaction"`
	Loan       *transaction `json:"loanTransaction"`
	Credit     *transaction `json:"locTransaction"`
	Investment *transaction `json:"investmentTransaction"`
	Annuity    *transaction `json:"annuityTransaction"`
	Insurance  *transaction `json:"insuranceTransaction"`
}

func (e *transactionElement) get() *transaction {
	return cmp.Or(e.Deposit, e.Loan, e.Credit, e.Investment, e.Annuity, e.Insurance, &e.transaction)
}

// status is the meaning of a transaction's status for a report.
type status uint8

const (
	posted  status = iota
	waiting        // not posted: pending in the report
	void           // not in the report
)

func (t *transaction) status() status {
	switch enum(t.Status) {
	case "POSTED", "COMPLETED", "CLEARED", "SETTLED", "BOOKED":
		return posted
	case "PENDING", "MEMO", "AUTHORIZATION", "AUTHORIZED", "AUTHORISED", "SCHEDULED", "PROCESSING", "INPROGRESS", "HOLD", "ONHOLD", "FUTURE":
		return waiting
	case "CANCELED", "CANCELLED", "DECLINED", "REJECTED", "FAILED", "DELETED", "EXPIRED", "VOIDED":
		return void
	}
	if t.Posted.state == valid { // a status of the institution's own, or none
		return posted
	}
	return waiting
}

// amount returns the signed amount: positive is money into the account. It returns
// false if the amount is not valid, or if its direction is not known.
func (t *transaction) amount(of kind) (cents report.Cents, debit, ok bool) {
	if t.Amount.state != valid {
		return 0, false, false
	}
	cents = max(t.Amount.cents, -t.Amount.cents)
	switch enum(t.Direction) {
	case "DEBIT":
		return -cents, cents == 0, true
	case "CREDIT":
		return cents, false, true
	}
	switch enum(t.Type) { // where the memo is missing
	case "DEBIT", "WITHDRAWAL", "CHECK", "ATMWITHDRAWAL", "POSDEBIT", "BILLPAYMENT", "FEE", "PURCHASE", "DIRECTDEBIT", "CASHWITHDRAWAL":
		return -cents, cents == 0, true
	case "CREDIT", "DEPOSIT", "DIRECTDEPOSIT", "ATMDEPOSIT", "POSCREDIT", "DIVIDEND", "REFUND":
		return cents, false, true
	case "PAYMENT", "LUMPSUMPAYMENT", "DOUBLEUPPAYMENT", "PAYOFF":
		if of == loan || of == credit {
			return cents, false, true
		}
	case "INTEREST":
		if of == loan || of == credit {
			return -cents, cents == 0, true
		}
		return cents, false, true
	}
	// A negative sign gives the direction. Without one, the direction is unknown. Only
	// deposit accounts need it, because figures are computed from them.
	return t.Amount.cents, cents == 0 && t.Amount.minus, t.Amount.cents <= 0 || of != deposit
}

var tagPattern = regexp.MustCompile(`<[a-zA-Z/!?][^>]*>`)

// clean returns a text on one line, without markup, control and formatting characters,
// and repeated spaces, and of at most limit characters.
func clean(s string, limit int) string {
	if isClean(s, limit) {
		return s
	}
	if len(s) > 8*limit { // bounds the work
		s = strings.ToValidUTF8(s[:8*limit], "")
	}
	if strings.ContainsAny(s, "&<") {
		s = tagPattern.ReplaceAllString(html.UnescapeString(s), " ")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.Is(unicode.C, r): // control, format, private use, surrogates
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > limit {
		s = strings.TrimSpace(string([]rune(s)[:limit]))
	}
	return strings.Clone(s)
}

// isClean reports whether a text is printable ASCII with single spaces, which clean does
// not change.
func isClean(s string, limit int) bool {
	if len(s) > limit || s != "" && (s[0] == ' ' || s[len(s)-1] == ' ') {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '<' || c == '&' || c == ' ' && s[i+1] == ' ' {
			return false
		}
	}
	return true
}
