package submissions

import (
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
)

// MaxAccounts is the maximum number of accounts of a body, because a report has 731
// balances of each account.
const MaxAccounts = 1000

type datedValue struct {
	account, transaction int32 // indices; transaction -1: the balance of the account
	at                   time.Time
}

// requireNotAfterPull reports a date after pullDate. It does nothing if pullDate is
// unknown, because that is an error of pullDate, or pullDate may be absent.
func (d *decoder) requireNotAfterPull(at datedValue) {
	if !d.pullKnown || !at.at.After(d.out.PullDate) {
		return
	}
	if !d.earlyReported {
		d.earlyReported = true
		d.addDetail("pullDate", "must not be before a balance's or a transaction's date")
	}
	p := decoder{location: inAccount, account: int(at.account), transaction: int(at.transaction)}
	field := "dateBalanceLastUpdated"
	if at.transaction >= 0 {
		p.location, field = inTransaction, "datePosted"
	}
	d.addDetail(p.path(field), "must not be after pullDate")
}

// checkDate checks a date against pullDate, or stores it until pullDate is known.
func (d *decoder) checkDate(transaction int, at time.Time) {
	when := datedValue{account: int32(d.account), transaction: int32(transaction), at: at}
	if d.pullKnown {
		d.requireNotAfterPull(when)
	} else if len(d.details) == 0 {
		d.dates = append(d.dates, when)
	}
}

var accountNames = []string{"id", "institutionName", "accountType", "currentBalance", "dateBalanceLastUpdated",
	"dateAccountOpened", "currency", "transactions"}

func (d *decoder) readAccount(index int) {
	d.account = index
	a := bankdata.Account{Type: report.CashEquivalent}
	clear(d.transactionIDs)
	outer := d.location
	d.location = inAccount
	given, ok := d.object(inAccount, "", accountNames, func(i int) {
		switch name := accountNames[i]; name {
		case "id":
			a.ID = d.id(d.accountIDs)
		case "institutionName":
			t, _ := d.text(name, 1, 100)
			a.Institution = string(t)
		case "accountType":
			a.Subtype = d.oneOf(name, report.Savings, report.Checking)
		case "currentBalance":
			a.Balance = d.money(name)
		case "dateBalanceLastUpdated":
			if at, ok := d.dateTime(name, false); ok {
				d.checkDate(-1, at)
				a.BalanceDate = new(report.DateOf(at))
			}
		case "dateAccountOpened":
			if at, ok := d.dateTime(name, true); ok {
				a.Opened = new(report.DateOf(at))
			}
		case "currency":
			if t, ok := d.text(name, 0, unbounded); ok {
				if a.Currency = string(t); len(t) != 3 || !isCurrency(a.Currency) {
					d.reject(name, "must be an ISO 4217 code of a currency, such as USD")
				}
			}
		case "transactions":
			d.list(name, func(j int) { d.readTransaction(j, &a) })
		}
	})
	if ok {
		d.require(given, accountNames, "id", "institutionName", "accountType", "currentBalance", "currency")
	}
	if d.err != nil {
		return
	}
	d.location = outer
	if len(d.details) == 0 {
		d.addAccount(a)
	}
}

// addAccount adds a valid account to the connection of its institution. It makes source
// ids unique, because two names may yield the same one.
func (d *decoder) addAccount(a bankdata.Account) {
	a.ID = reports.DerivedID(d.terms.Seed, "account/"+a.ID)
	data := &d.out.Data
	at, known := d.banks[a.Institution]
	if !known {
		at = len(data.Connections)
		d.banks[a.Institution] = at
		source := bankdata.SourceID(a.Institution, 0)
		for d.sources[source] {
			d.suffix++
			source = bankdata.SourceID(a.Institution, d.suffix)
		}
		d.sources[source] = true
		data.Connections = append(data.Connections, bankdata.Connection{ID: reports.DerivedID(d.terms.Seed, "connection/"+a.Institution),
			SourceID: source, Institution: a.Institution, Status: contract.StatusSuccess})
	}
	c := &data.Connections[at]
	c.Accounts = append(c.Accounts, a)
}

func (d *decoder) require(given uint, names []string, required ...string) {
	for _, name := range required {
		if given&memberBit(names, name) == 0 {
			d.reject(name, "is required")
		}
	}
}

// Indices of transactionNames.
const (
	txID = iota
	txStatus
	txDatePosted
	txAmount
	txDescription
	txMerchant
	txMemo
	txDirection
)

var transactionNames = []string{"id", "status", "datePosted", "amount", "description", "merchant", "memo", "creditOrDebit"}

const txRequired = 1<<txID | 1<<txStatus | 1<<txAmount | 1<<txDescription | 1<<txDirection

func (d *decoder) readTransaction(index int, into *bankdata.Account) {
	d.transaction = index
	outer := d.location
	d.location = inTransaction
	var t bankdata.Transaction
	debit := false
	given, ok := d.object(inTransaction, "", transactionNames, func(i int) {
		switch i {
		case txID:
			t.ID = d.id(d.transactionIDs)
		case txStatus:
			t.Pending = d.oneOf("status", "PENDING", "POSTED") == "PENDING"
		case txDatePosted:
			if at, ok := d.dateTime("datePosted", false); ok {
				t.Posted = report.DateOf(at)
				d.checkDate(index, at)
			}
		case txAmount:
			t.Amount = d.money("amount")
		case txDescription:
			text, _ := d.text("description", 1, 255)
			t.Description = string(text)
		case txMerchant:
			text, ok := d.text("merchant", 1, 100)
			if ok && !isWords(text) {
				d.reject("merchant", "must be letters, digits and spaces only")
			}
			t.Merchant = string(text)
		case txMemo:
			text, _ := d.text("memo", 0, 255)
			t.Memo = string(text)
		case txDirection:
			debit = d.oneOf("creditOrDebit", "CREDIT", "DEBIT") == "DEBIT"
		}
	})
	if ok && given&txRequired != txRequired {
		d.require(given, transactionNames, "id", "status", "amount", "description", "creditOrDebit")
	}
	if ok && !t.Pending && given&(1<<txStatus) != 0 && given&(1<<txDatePosted) == 0 {
		d.reject("datePosted", "is required for the status POSTED")
	}
	if d.err != nil {
		return
	}
	d.location = outer
	if len(d.details) > 0 {
		into.Transactions = nil
		return
	}
	// creditOrDebit gives the direction; the sign of the amount is ignored.
	if t.Amount < 0 {
		t.Amount = -t.Amount
	}
	if debit {
		t.Amount, t.Debit = -t.Amount, t.Amount == 0
	}
	into.Transactions = append(into.Transactions, t)
}
