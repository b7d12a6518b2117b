package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// AnalysisVersion is the version of the Analysis document.
const AnalysisVersion = "1.2.0"

// Analysis explains the figures of a cashflow report to reviewers: daily balances,
// money in and out by month, recurring streams, categories, returned payments, and each
// score's card with the bins reached. It is a file of the report, of document type
// CASHFLOW_ANALYSIS. It extends the API, so a report of another provider may lack it.
//
// Amounts are Cents of one currency; accounts in another currency are only in Others.
// Transfers between the consumer's accounts count only in balances.
type Analysis struct {
	Version     string             `json:"version"`
	PublicToken string             `json:"public_token"`
	RetrievedAt Timestamp          `json:"retrieved_at"`
	Currency    string             `json:"currency"` // ISO 4217, of all amounts; empty in version 1.0: US dollars
	From        *Date              `json:"from"`     // the oldest day of the history; null without any
	To          Date               `json:"to"`       // the fetch date
	Total       []Cents            `json:"total_balances"`
	Accounts    []AnalysisAccount  `json:"accounts"`
	Others      []AnalysisOther    `json:"other_accounts"` // in another currency than Currency
	Months      []AnalysisMonth    `json:"months"`
	Streams     []AnalysisStream   `json:"streams"`
	Categories  []AnalysisCategory `json:"categories"`
	Returned    []AnalysisReturned `json:"returned_payments"`
	Scores      []AnalysisScore    `json:"scores"`

	// Transactions are the newest posted ones of the accounts, newest first, at most
	// MaxAnalysisTransactions; nil before version 1.2.
	Transactions []AnalysisTransaction `json:"transactions"`

	// CountedBins has the letters of all bins of the transactions, if they are stored apart (SplitAnalysis).
	CountedBins *string `json:"counted_bins,omitempty"`
}

// HasTransactions reports whether the document has transactions, or has them stored apart.
func (a *Analysis) HasTransactions() bool { return len(a.Transactions) > 0 || a.CountedBins != nil }

// IsCounted reports whether a bin of score v2.0 counts a transaction.
func (a *Analysis) IsCounted(letter string) bool {
	return a.CountedBins != nil && strings.Contains(*a.CountedBins, letter) ||
		slices.ContainsFunc(a.Transactions, func(t AnalysisTransaction) bool { return strings.Contains(t.Bins, letter) })
}

// MaxAnalysisTransactions bounds the transactions of an Analysis.
const MaxAnalysisTransactions = 20_000

// CurrencyCode returns the currency of all amounts.
func (a *Analysis) CurrencyCode() string { return cmp.Or(a.Currency, Dollars) }

// AnalysisOther is an account that is excluded from the figures.
type AnalysisOther struct {
	AccountID       string  `json:"account_id"`
	SourceID        string  `json:"source_id"`
	Institution     *string `json:"institution_name"`
	Name            *string `json:"account_name"`
	TruncatedNumber *string `json:"truncated_account_number"`
	Currency        string  `json:"currency"` // ISO 4217
}

// AnalysisAccount is an account with its balance at the end of each day from the
// document's From to its To.
type AnalysisAccount struct {
	AccountID       string  `json:"account_id"`
	SourceID        string  `json:"source_id"`
	Institution     *string `json:"institution_name"`
	Name            *string `json:"account_name"`
	Subtype         *string `json:"account_subtype"`
	TruncatedNumber *string `json:"truncated_account_number"`
	BalanceDate     *Date   `json:"balance_date"` // the day of the balance that the bank states, from which Balances follow
	Balances        []Cents `json:"balances"`
}

// AnalysisTransaction is a posted transaction with the figures that count it.
type AnalysisTransaction struct {
	Date        Date   `json:"date"`
	Account     int    `json:"account"` // index into the document's Accounts
	Amount      Cents  `json:"amount"`  // negative: out of the account
	Category    string `json:"category"`
	OwnTransfer bool   `json:"own_transfer"` // in no figure but balances
	Returned    bool   `json:"returned_payment"`
	Stream      *int   `json:"stream"` // index into the document's Streams; null for none
	Bins        string `json:"bins"`   // letters of the bins of score v2.0 whose attributes count it
	Description string `json:"description"`
}

// AnalysisMonth is one calendar month, oldest first, including months without
// transactions. Out is zero or negative.
type AnalysisMonth struct {
	Month    string `json:"month"`    // YYYY-MM
	Complete bool   `json:"complete"` // lies wholly within the history and before the fetch date's month
	In       Cents  `json:"in"`
	Income   Cents  `json:"income"` // the part of In that is income
	Out      Cents  `json:"out"`
	End      Cents  `json:"end_balance"` // of all accounts, at its last day of the history
	Lowest   Cents  `json:"lowest_balance"`
	Count    int    `json:"transaction_count"` // including those without an amount, which have no category
	Returned int    `json:"returned_payment_count"`
}

// AnalysisStream is a series of payments with one counterparty; the largest sum comes
// first.
type AnalysisStream struct {
	Name      string `json:"name"`      // the counterparty, normalized
	Direction string `json:"direction"` // IN or OUT
	Category  string `json:"category"`
	Group     string `json:"category_group"`
	Cadence   string `json:"cadence"` // WEEKLY, BIWEEKLY, SEMI_MONTHLY, MONTHLY or IRREGULAR
	Active    bool   `json:"active"`
	First     Date   `json:"first_date"`
	Last      Date   `json:"last_date"`
	Count     int    `json:"count"`
	Mean      Cents  `json:"mean_amount"`    // per payment, without outliers; negative for OUT
	Monthly   *Cents `json:"monthly_amount"` // average of the last 12 complete months, or as many as the history covers; null without one
}

// AnalysisCategory is the money of one category in one direction; the largest comes
// first.
type AnalysisCategory struct {
	Category    string `json:"category"`
	Group       string `json:"category_group"`
	Description string `json:"description"`
	Direction   string `json:"direction"`      // IN or OUT
	Count       int    `json:"count"`          // in the whole history
	Total       Cents  `json:"total"`          // in the whole history; negative for OUT
	Monthly     *Cents `json:"monthly_amount"` // as in AnalysisStream
}

// AnalysisReturned is one NSF or overdraft event, newest first.
type AnalysisReturned struct {
	Date        Date   `json:"date"`
	AccountID   string `json:"account_id"`
	Category    string `json:"category"`
	Amount      Cents  `json:"amount"`
	Description string `json:"description"`
}

// AnalysisScore is one version of the score, as in the report's scores, with its
// card. Points is the sum of the bins' Points and Most that of their most_points;
// Points of Most, stretched to Base..Maximum and rounded, give Value. Without a
// score, Value is null, Points and Most are 0 and Bins is empty.
type AnalysisScore struct {
	Version string        `json:"score_version"`
	Value   *int          `json:"value"`
	Base    int           `json:"base"`
	Maximum int           `json:"maximum"`
	Points  int           `json:"points"`
	Most    int           `json:"most_points"`
	Bins    []AnalysisBin `json:"bins"`
}

// AnalysisBin is one line of the card: the points for an attribute's value. Unless it
// is Neutral, exactly one of its ranges is reached and gives its points. A quotient
// without a denominator has its type's cap as value, and reaches the range with the
// fewest points.
type AnalysisBin struct {
	Letter      string         `json:"letter"`
	Attribute   string         `json:"attribute"`
	Description string         `json:"description"`
	Code        string         `json:"adverse_action_code"`
	Unit        string         `json:"unit"`  // DOLLARS, RATIO, COUNT or DAYS
	Value       json.Number    `json:"value"` // as in the report's attributes
	Points      int            `json:"points"`
	Most        int            `json:"most_points"`
	Reference   int            `json:"reference_points"` // of the card's reference household
	Neutral     bool           `json:"neutral"`          // no usable value; no range reached
	Ranges      []AnalysisCell `json:"ranges"`           // from the lowest values to the highest, without gaps
}

// AnalysisCell is a range of values and its points. Low is null in the first range
// and High in the last one.
type AnalysisCell struct {
	Low          *json.Number `json:"low"`
	LowIncluded  bool         `json:"low_included"`
	High         *json.Number `json:"high"`
	HighIncluded bool         `json:"high_included"`
	Points       int          `json:"points"`
	Reached      bool         `json:"reached"`
}
