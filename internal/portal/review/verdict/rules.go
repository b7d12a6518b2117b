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

// Rule says when an answer contradicts the application or asks for a check, and which reason a
// decline may give for it. docs/how-to/review.md shows the rules.
type Rule struct {
	Question Question
	Level    Level
	Reason   string // one of the Reasons; "" for none
	Limit    int
	When     string // with the limit
}

// Reasons of a decline that the findings give. Their texts are those of the model forms of
// Regulation B (12 CFR 1002, appendix C), where a form has the reason.
const (
	NoIdentity      = "UNABLE_TO_VERIFY_IDENTITY"
	NoIncome        = "UNABLE_TO_VERIFY_INCOME"
	LowIncome       = "INCOME_INSUFFICIENT"
	IrregularWork   = "TEMPORARY_OR_IRREGULAR_EMPLOYMENT"
	NoEmployment    = "UNABLE_TO_VERIFY_EMPLOYMENT"
	Obligations     = "EXCESSIVE_OBLIGATIONS"
	Overdrafts      = "INSUFFICIENT_FUNDS"
	NoAccounts      = "UNABLE_TO_VERIFY_ACCOUNTS"
	NoAssets        = "UNABLE_TO_VERIFY_ASSETS"
	LateObligations = "DELINQUENT_OBLIGATIONS"
	NoDocuments     = "UNABLE_TO_VERIFY_DOCUMENTS"
)

// Reasons lists the reasons in the order of their texts.
var Reasons = []string{NoIdentity, NoIncome, LowIncome, IrregularWork, NoEmployment, Obligations, Overdrafts, NoAccounts, NoAssets,
	LateObligations, NoDocuments}

// Rules lists the rules in the order of the guide.
var Rules []Rule

func rule(q Question, level Level, reason, when string, limit ...int) Rule {
	r := Rule{Question: q, Level: level, Reason: reason, When: when}
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
	accountsMissing = rule(complete, Check, NoAccounts, "accounts or transactions of a bank are missing, so that figures may be too low. "+
		"The question is asked only then, and low income is yellow instead of red")

	noIncome        = rule(income, Contradicted, NoIncome, "no income")
	farBelowStated  = rule(income, Contradicted, NoIncome, "less than %d%% of the stated income", 75)
	belowStated     = rule(income, Check, NoIncome, "less than %d%% of the stated income", 90)
	fewIncomeMonths = rule(income, Check, IrregularWork, "income in fewer than %d of 12 months", 10)
	incomeGap       = rule(income, Check, IrregularWork, "no income in one of the last three months")
	irregularIncome = rule(income, Check, IrregularWork, "irregular income")
	fallingIncome   = rule(income, Check, LowIncome, "less than %d%% of the year’s income in the last three months", 75)
	stubIncome      = rule(income, Check, NoIncome, "only pay stubs show it")
	otherIncome     = rule(income, Check, NoIncome, "no income, or none from a stated employer (eligibility)")

	overspent         = rule(pay, Check, Obligations, "in 12 months, more is spent than comes in")
	oftenBelowZero    = rule(pay, Check, Overdrafts, "more than %d days below zero in 3 months", 5)
	manyOverdrafts    = rule(pay, Check, Overdrafts, "more than %d NSF or overdraft events in 12 months", 3)
	overspentAndBelow = rule(pay, Contradicted, "", "in 12 months, more is spent than comes in, and one of the other two limits is exceeded")

	otherEmployer = rule(employer, Contradicted, NoEmployment, "the sources name another employer")
	stubEmployer  = rule(employer, Check, NoEmployment, "only pay stubs name the employer")
	noEmployer    = rule(employer, Check, NoEmployment, "no source names the employer, or a stated one was not verified")

	noAccount = rule(assets, Check, NoAssets, "no account")
	moreHeld  = rule(assets, Check, NoAssets, "more than %d%% of the average of six months, and more than $1,000", 200)
	lessHeld  = rule(assets, Check, NoAssets, "less than %d%% of that average", 50)

	latePayment  = rule(credit, Check, LateObligations, "any late payment, or a credit past due")
	gravelyLate  = rule(credit, Contradicted, LateObligations, "a payment was 90 days late or more")
	writtenOff   = rule(credit, Contradicted, LateObligations, "a credit is charged off")
	forged       = rule(document, Contradicted, NoDocuments, "a forgery was detected")
	oddDocument  = rule(document, Check, NoDocuments, "a finding about a document")
	unreadable   = rule(document, Check, NoDocuments, "a document that could not be read")
	expired      = rule(document, Check, NoDocuments, "an expired identity document")
	unknownName  = rule(person, Contradicted, NoIdentity, "no source knows the name")
	otherBirth   = rule(person, Contradicted, NoIdentity, "no bureau has the date of birth")
	deceased     = rule(person, Contradicted, NoIdentity, "a source reports a death")
	anotherName  = rule(person, Check, NoIdentity, "some sources have another name")
	stubNameOnly = rule(person, Check, NoIdentity, "only pay stubs have the name")
)
