package fdxbank

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

type currency struct {
	Code string `json:"currencyCode"`
}

// account is an account in the shape of version 6; version 5 has the category as the
// name of a member around it.
type account struct {
	Category      string        `json:"accountCategory,omitempty"`
	ID            string        `json:"accountId"`
	Type          string        `json:"accountType"`
	NumberDisplay string        `json:"accountNumberDisplay"`
	ProductName   string        `json:"productName"`
	Nickname      string        `json:"nickname"`
	Status        string        `json:"status"`
	Currency      currency      `json:"currency"`
	Opened        string        `json:"accountOpenDate,omitempty"`
	BalanceType   string        `json:"balanceType"`
	BalanceAsOf   string        `json:"balanceAsOf"`
	Current       *report.Cents `json:"currentBalance,omitempty"`
	Available     *report.Cents `json:"availableBalance,omitempty"`
	Principal     *report.Cents `json:"principalBalance,omitempty"` // of a loan
	Value         *report.Cents `json:"currentValue,omitempty"`     // of investments
}

// kindOf returns the category and type of an account, and the names of the members of
// version 5 around it and its transactions.
func kindOf(a bankdata.Account) (category, kind, account, transaction string) {
	switch {
	case a.Subtype == report.Checking:
		return "DEPOSIT_ACCOUNT", "CHECKING", "depositAccount", "depositTransaction"
	case a.Subtype == report.Savings:
		return "DEPOSIT_ACCOUNT", "SAVINGS", "depositAccount", "depositTransaction"
	case a.Type == report.Debt && strings.Contains(a.Name, "Card"):
		return "LOC_ACCOUNT", "CREDITCARD", "locAccount", "locTransaction"
	case a.Type == report.Debt:
		return "LOAN_ACCOUNT", "AUTOLOAN", "loanAccount", "loanTransaction"
	}
	return "INVESTMENT_ACCOUNT", "TAXABLE", "investmentAccount", "investmentTransaction"
}

// present returns an account as the institution describes it.
func (a access) present(of bankdata.Account, now time.Time) any {
	category, kind, wrapper, _ := kindOf(of)
	out := account{Category: category, ID: of.ID, Type: kind, NumberDisplay: of.Mask(), ProductName: of.Name, Nickname: of.Name,
		Status: "OPEN", Currency: currency{of.Currency}, BalanceType: "ASSET", BalanceAsOf: now.UTC().Format(time.RFC3339)}
	if of.Opened != nil {
		out.Opened = of.Opened.String()
	}
	balance := of.Balance
	switch category {
	case "DEPOSIT_ACCOUNT":
		out.Current, out.Available = &balance, &balance
	case "INVESTMENT_ACCOUNT":
		out.Value = &balance
	case "LOC_ACCOUNT": // what is owed is positive
		balance = -balance
		out.BalanceType, out.Current = "LIABILITY", &balance
	default:
		balance = -balance
		out.BalanceType, out.Principal = "LIABILITY", &balance
	}
	switch a.fault {
	case FaultCurrency:
		out.Currency.Code = "EUR"
	case FaultMarkup:
		out.Nickname = `<script>alert(1)</script> "&` + out.Nickname
	}
	if a.v5 {
		out.Category = ""
		return map[string]account{wrapper: out}
	}
	return out
}

// accounts is the resource /accounts.
func (s *Server) accounts(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	offset, limit, err := window(r.URL.Query(), accountPage, maxTransactionPage)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(a.accounts)
	if a.fault == FaultDuplicate {
		again := all[len(all)-1]
		again.ID = all[0].ID
		all = append(all, again)
	}
	out := struct {
		Page     page  `json:"page"`
		Links    links `json:"links"`
		Accounts []any `json:"accounts"`
	}{Page: page{Total: len(all)}, Accounts: []any{}}
	for _, of := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		out.Accounts = append(out.Accounts, a.present(of, s.config.Now()))
	}
	if offset+limit < len(all) {
		out.Page, out.Links = s.next(r, a, offset+limit, len(all), false)
	}
	return out, nil
}

// chosen returns the account of a request's path.
func (a access) chosen(r *http.Request) (bankdata.Account, error) {
	for _, of := range a.accounts {
		if of.ID == r.PathValue("account") {
			return of, nil
		}
	}
	return bankdata.Account{}, errNoAccount
}

// account is the resource /accounts/{id}.
func (s *Server) account(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	return a.present(of, s.config.Now()), nil
}

// contact is the resource /accounts/{id}/contact.
func (s *Server) contact(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	type holder struct {
		Relationship string `json:"relationship"`
		Name         name   `json:"name"`
	}
	out := struct {
		Holders    []holder    `json:"holders"`
		Emails     []string    `json:"emails"`
		Addresses  []address   `json:"addresses"`
		Telephones []telephone `json:"telephones"`
	}{Addresses: a.addresses(of.Addresses), Telephones: []telephone{{"HOME", "1", "5125550142"}}}
	owners := a.data.Connections[0].Owners
	for i, o := range owners {
		relationship := "PRIMARY"
		switch {
		case len(owners) > 1 && i == 0:
			relationship = "PRIMARY_JOINT"
		case i > 0:
			relationship = "SECONDARY_JOINT"
		}
		n := nameOf(o.Person)
		if a.fault == FaultMarkup {
			n.Last = "<b>" + n.Last + "</b>"
		}
		out.Holders = append(out.Holders, holder{relationship, n})
		out.Emails = append(out.Emails, o.Emails...)
	}
	return out, nil
}

// networks is the resource /accounts/{id}/payment-networks. Only checking and savings
// accounts have one.
func (s *Server) networks(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	type network struct {
		BankID         string `json:"bankId"`
		Identifier     string `json:"identifier"`
		IdentifierType string `json:"identifierType"`
		Type           string `json:"type"`
		TransferIn     bool   `json:"transferIn"`
		TransferOut    bool   `json:"transferOut"`
	}
	out := struct {
		Networks []network `json:"paymentNetworks"`
	}{[]network{}}
	if of.Subtype != "" {
		n := network{of.Routing, of.Number, "ACCOUNT_NUMBER", "US_ACH", true, true}
		if a.bank.Tokens {
			n.Identifier, n.IdentifierType = tokenized(of.ID), "TOKENIZED_ACCOUNT_NUMBER"
		}
		out.Networks = append(out.Networks, n)
	}
	return out, nil
}

// tokenized returns a number of 17 digits in place of an account's number.
func tokenized(id string) string {
	var n uint64
	for _, b := range store.Hash("tan/" + id)[:8] {
		n = n<<8 | uint64(b)
	}
	return fmt.Sprintf("%017d", n%100_000_000_000_000_000)
}
