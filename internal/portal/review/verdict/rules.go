package verdict

import (
	"fmt"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// Question is one of the reviewer's questions, by its text and the products whose reports answer it.
type Question struct {
	Text     i18n.Key
	Products []contract.Product
}

// Rule says when an answer contradicts the application or asks for a check. docs/how-to/review.md
// shows the rules.
type Rule struct {
	Question Question
	Level    Level
	Limit    int
	When     string // with the limit
}

// Rules lists the rules in the order of the guide.
var Rules []Rule

func rule(q Question, level Level, when string, limit ...int) Rule {
	r := Rule{Question: q, Level: level, When: when}
	if len(limit) > 0 {
		r.Limit, r.When = limit[0], fmt.Sprintf(when, limit[0])
	}
	Rules = append(Rules, r)
	return r
}

// The questions in the order of the guide.
var (
	complete = Question{"review.ask.complete", []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility}}
	income   = Question{"review.ask.income", []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility}}
	pay      = Question{"review.ask.pay", []contract.Product{contract.Cashflow}}
	employer = Question{"review.ask.employer", []contract.Product{contract.Income, contract.Eligibility, contract.Passport}}
	assets   = Question{"review.ask.assets", []contract.Product{contract.Eligibility}}
	credit   = Question{"review.ask.credit", []contract.Product{contract.Passport}}
	document = Question{"review.ask.documents", []contract.Product{contract.Income, contract.Eligibility, contract.Passport}}
	person   = Question{"review.ask.person", contract.Products()}
)

var (
	accountsMissing = rule(complete, Check, "accounts or transactions of a bank are missing, so that figures may be too low. "+
		"The question is asked only then, and low income is yellow instead of red")

	noIncome        = rule(income, Contradicted, "no income")
	farBelowStated  = rule(income, Contradicted, "less than %d%% of the stated income", 75)
	belowStated     = rule(income, Check, "less than %d%% of the stated income", 90)
	fewIncomeMonths = rule(income, Check, "income in fewer than %d of 12 months", 10)
	incomeGap       = rule(income, Check, "no income in one of the last three months")
	irregularIncome = rule(income, Check, "irregular income")
	fallingIncome   = rule(income, Check, "less than %d%% of the year’s income in the last three months", 75)
	stubIncome      = rule(income, Check, "only pay stubs show it")
	otherIncome     = rule(income, Check, "no income, or none from a stated employer (eligibility)")

	overspent         = rule(pay, Check, "more is spent than comes in")
	oftenBelowZero    = rule(pay, Check, "more than %d days below zero in 3 months", 5)
	manyOverdrafts    = rule(pay, Check, "more than %d NSF or overdraft events in 12 months", 3)
	overspentAndBelow = rule(pay, Contradicted, "more is spent than comes in, and one of the other two limits is exceeded")

	otherEmployer = rule(employer, Contradicted, "the sources name another employer")
	stubEmployer  = rule(employer, Check, "only pay stubs name the employer")
	noEmployer    = rule(employer, Check, "no source names the employer, or a stated one was not verified")

	noAccount = rule(assets, Check, "no account")
	moreHeld  = rule(assets, Check, "more than %d%% of the average of six months, and more than $1,000", 200)
	lessHeld  = rule(assets, Check, "less than %d%% of that average", 50)

	latePayment  = rule(credit, Check, "any late payment, or a credit past due")
	gravelyLate  = rule(credit, Contradicted, "a payment was 90 days late or more")
	writtenOff   = rule(credit, Contradicted, "a credit is charged off")
	forged       = rule(document, Contradicted, "a forgery was detected")
	oddDocument  = rule(document, Check, "a finding about a document")
	unreadable   = rule(document, Check, "a document that could not be read")
	expired      = rule(document, Check, "an expired identity document")
	unknownName  = rule(person, Contradicted, "no source knows the name")
	otherBirth   = rule(person, Contradicted, "no bureau has the date of birth")
	deceased     = rule(person, Contradicted, "a source reports a death")
	anotherName  = rule(person, Check, "some sources have another name")
	stubNameOnly = rule(person, Check, "only pay stubs have the name")
)
