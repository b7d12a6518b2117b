package gallery

import (
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	visit "vestibule/templates/provider"
	"vestibule/templates/provider/bank"
	"vestibule/templates/ui"
)

// visitGallery collects the steps of visits.
type visitGallery struct {
	lang    i18n.Lang
	urls    visit.Urls
	choices []ui.Choice
	banks   []visit.Bank
	all     []Exhibit
}

// Visits are the steps of a visit for each product, as the hosted page and the
// widget's frame show them alike, in the order in which one meets them.
func Visits(assets Assets, lang i18n.Lang) []Exhibit {
	urls := visit.Urls{Style: assets.URL("provider.css"), Icon: assets.URL("icon.svg"), Font: assets.URL("inter.woff2"),
		Frame: "/still/frame.js", Hosted: "/still/hosted.js", Submit: "/still/submit.js"}
	choices := []ui.Choice{{Lang: i18n.English, URL: "?lang=en", Current: lang == i18n.English},
		{Lang: i18n.Spanish, URL: "?lang=es", Current: lang == i18n.Spanish}}
	g := &visitGallery{lang: lang, urls: urls, choices: choices, banks: []visit.Bank{{ID: "1", Name: "Amber Coast Bank",
		Place: "ambercoast.example"}, {ID: "2", Name: "Honeylocust Credit Union", Place: "honeylocust.example"}}}
	g.cashflow()
	g.income()
	g.eligibility()
	g.passport()
	return slices.Concat(g.all, bankPages(assets, lang, choices), accessPages(urls, lang, choices), []Exhibit{
		{"widget, before its first step", visit.FrameShell(lang, urls)},
		{"widget, cannot begin", visit.MessagePage(visit.Message{Lang: lang, Title: sample(lang, "Not here any more", "Ya no está aquí"),
			Text: sample(lang, "This link was used.", "Este enlace ya se usó.")}, urls)},
		{"back to the customer", visit.BackPage(visit.Back{Lang: lang, Customer: "Harbor Lane",
			URL: "https://harborlane.example/back", Token: "t"}, urls)},
	})
}

// show adds a step of a visit, with changes to it if there are any.
func (g *visitGallery) show(name string, v visit.Visit, step flow.Step, change func(*visit.Visit)) {
	v.Step, v.Lang, v.Path, v.Customer, v.Sandbox, v.Hosted = step, g.lang, "/visit/h", "Harbor Lane", true, true
	v.Operator = visit.Operator{Name: "Plainview Verification", Terms: "https://verification.example/terms",
		Privacy: "https://verification.example/privacy"}
	if v.Step == flow.StepDocuments {
		v.MaxFiles, v.MaxFileSize = 10, 20<<20
	}
	if change != nil {
		change(&v)
	}
	g.all = append(g.all, Exhibit{name, visit.HostedPage(v, g.urls, g.choices)})
}

// problem sets the problem of a field.
func (g *visitGallery) problem(v *visit.Visit, field string, words i18n.Key) {
	v.Problems = map[string]string{field: i18n.T(g.lang, words)}
}

// sourceTypes are those of an income report.
var sourceTypes = []flow.SourceType{flow.SourceBank, flow.SourcePayroll, flow.SourcePaystubs}

func (g *visitGallery) cashflow() {
	cash := visit.Visit{Product: contract.Cashflow, SourceType: flow.SourceBank, Bank: g.banks[0].Name}
	g.show("cashflow, consent", cash, flow.StepConsent, nil)
	g.show("cashflow, bank", cash, flow.StepBank, func(v *visit.Visit) { v.Banks, v.More = g.banks, 30 })
	g.show("cashflow, no bank found", cash, flow.StepBank, func(v *visit.Visit) { v.Query = "zzz" })
	g.show("cashflow, sign in", cash, flow.StepSignIn, nil)
	g.show("cashflow, sign in, nothing typed", cash, flow.StepSignIn, func(v *visit.Visit) {
		v.Problems = map[string]string{"username": i18n.T(g.lang, "visit.sign_in.no_username"),
			"password": i18n.T(g.lang, "visit.sign_in.no_password")}
	})
	g.show("cashflow, sign in, refused", cash, flow.StepSignIn, func(v *visit.Visit) { v.Tries, v.Username = 2, "default" })
	g.show("cashflow, code", cash, flow.StepCode, nil)
	g.show("cashflow, code, wrong", cash, flow.StepCode, func(v *visit.Visit) { v.CodeTries, v.Codes = 2, 1 })
	g.show("cashflow, code, another sent", cash, flow.StepCode, func(v *visit.Visit) { v.Codes, v.CodeWait = 2, 30 })
	g.show("cashflow, bank failed", cash, flow.StepFailed, func(v *visit.Visit) {
		v.Failure = visit.Failure{Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}
	})
	accounts := []visit.Account{{ID: "1", Name: "Everyday", Mask: "1234", Subtype: "CHECKING", Chosen: true},
		{ID: "2", Name: "Rainy day", Mask: "9876", Subtype: "SAVINGS"}}
	g.show("cashflow, accounts", cash, flow.StepAccounts, func(v *visit.Visit) { v.Accounts = accounts })
	g.show("cashflow, no account chosen", cash, flow.StepAccounts, func(v *visit.Visit) {
		v.Accounts = accounts
		g.problem(v, "account", "visit.accounts.none")
	})
	g.show("cashflow, report being made", cash, flow.StepProgress, func(v *visit.Visit) {
		v.Connected = []visit.Connected{{SourceType: flow.SourceBank, Name: g.banks[0].Name}}
	})
	g.show("cashflow, whether to close", cash, flow.StepLeave, nil)
	g.show("cashflow, done", cash, flow.StepEnd, func(v *visit.Visit) {
		v.End, v.Status,
			v.Return = "success", contract.StatusSuccess, "/visit/h/return"
		v.Receipt = &visit.Receipt{From: []visit.Connected{{SourceType: flow.SourceBank, Name: g.banks[0].Name, Accounts: 2}},
			Shared: time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC), Until: time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)}
	})
	g.show("cashflow, failed", cash, flow.StepEnd, func(v *visit.Visit) {
		v.End, v.Status, v.Substatus = "success", contract.StatusNotAuthenticated, contract.SubMFARequired
	})
	g.show("cashflow, closed", cash, flow.StepEnd, func(v *visit.Visit) { v.End, v.CanReopen = "exit", true })
}

func (g *visitGallery) income() {
	earned := visit.Visit{Product: contract.Income, Left: sourceTypes}
	g.show("income, consent", earned, flow.StepConsent, nil)
	g.show("income, source", earned, flow.StepSource, nil)
	paid := earned
	paid.SourceType, paid.Back, paid.Bank = flow.SourcePayroll, flow.StepSource, "Tern & Sons"
	g.show("income, employer", paid, flow.StepPayroll,
		func(v *visit.Visit) { v.Banks = []visit.Bank{{ID: "1", Name: "Tern & Sons", Place: "tern.example"}} })
	g.show("income, payroll sign in", paid, flow.StepSignIn, nil)
	stubs := earned
	stubs.SourceType, stubs.Back = flow.SourcePaystubs, flow.StepSource
	g.show("income, pay stubs", stubs, flow.StepDocuments, nil)
	g.show("income, pay stubs added", stubs, flow.StepDocuments, func(v *visit.Visit) {
		v.Documents = []visit.Document{{ID: "1", Name: "may.pdf", Size: 90_000}, {ID: "2", Size: 3 << 20}}
		g.problem(v, "file", "visit.documents.not_chosen")
	})
	g.show("income, is this all", earned, flow.StepConnected, func(v *visit.Visit) {
		v.Connected = []visit.Connected{{SourceType: flow.SourceBank, Name: g.banks[0].Name},
			{SourceType: flow.SourcePayroll, Name: "Tern & Sons",
				Failed: true, Why: visit.Failure{Status: contract.StatusSupplierUnresponsive}}}
	})
	g.show("income, nothing recent", earned, flow.StepConnected, func(v *visit.Visit) {
		v.Connected = []visit.Connected{{SourceType: flow.SourcePayroll, Name: "Tern & Sons", Empty: true}}
	})
}

func (g *visitGallery) eligibility() {
	housing := visit.Visit{Product: contract.Eligibility, Verifies: true, Left: sourceTypes, Employers: []visit.Employer{
		{N: 1, Name: "Tern & Sons", Sources: []visit.Connected{{SourceType: flow.SourcePayroll, Name: "Tern & Sons"}}},
		{N: 2, Name: "Northwind"}, {N: 3, Name: "Kite Ltd.", Skipped: true}}}
	g.show("eligibility, consent", housing, flow.StepConsent, nil)
	g.show("eligibility, employers", housing, flow.StepEmployers, nil)
	one := housing
	one.Employer, one.Back = "Northwind", flow.StepEmployers
	g.show("eligibility, way to verify", one, flow.StepSource, nil)
	g.show("eligibility, reason to skip", one, flow.StepSkip, nil)
	g.show("eligibility, letters", one, flow.StepDocuments, func(v *visit.Visit) { v.SourceType = flow.SourceDocuments })
	g.show("eligibility, bank", housing, flow.StepBank, func(v *visit.Visit) { v.SourceType, v.Banks = flow.SourceBank, g.banks })
}

func (g *visitGallery) passport() {
	abroad := visit.Visit{Product: contract.Passport, SourceType: flow.SourceSupplier}
	g.show("passport, consent", abroad, flow.StepConsent, nil)
	g.show("passport, country", abroad, flow.StepSupplier,
		func(v *visit.Visit) { v.Banks = []visit.Bank{{ID: "KOR_NICE", Name: "South Korea", Place: "NICE"}} })
	g.show("passport, whether it is the right one", abroad, flow.StepConfirm,
		func(v *visit.Visit) { v.Bank, v.Place = "NICE", "South Korea" })
	g.show("passport, identity document added", abroad, flow.StepConfirm, func(v *visit.Visit) {
		v.Bank, v.Place, v.MaxFiles, v.MaxFileSize = "CRIF", "Philippines", 2, 8<<20
		v.Documents = []visit.Document{{ID: "1", Name: "passport.jpg", Size: 2 << 20}}
	})
	g.show("passport, no known names", abroad, flow.StepEnd, func(v *visit.Visit) {
		v.End, v.Status, v.Substatus = "success", contract.StatusSuccess, contract.SubNoRecentInformation
	})
	g.show("passport, done", abroad, flow.StepEnd, func(v *visit.Visit) { v.End, v.Status = "success", contract.StatusSuccess })
}

// bankPages are the pages of the sandbox's FDX banks and payroll providers.
func bankPages(assets Assets, lang i18n.Lang, choices []ui.Choice) (all []Exhibit) {
	show := func(name, step string, change func(*bank.Page)) {
		p := bank.Page{Lang: lang, Languages: choices, Style: assets.URL("provider.css"), Icon: assets.URL("icon.svg"),
			Bank: "Arrow Park Teachers Credit Union", Client: "Harbor Lane", Step: step, Action: "/bank/authorize/h",
			Until: time.Date(2026, 10, 12, 0, 0, 0, 0, time.UTC),
			Accounts: []bank.Account{{ID: "1", Name: "Everyday Checking", Mask: "1234", Chosen: true},
				{ID: "2", Name: "Reserve Savings", Mask: "9876"}},
			Shared: []i18n.Key{"bank.consent.accounts", "bank.consent.transactions", "bank.consent.identity", "bank.consent.numbers"}}
		change(&p)
		all = append(all, Exhibit{name, bank.BankPage(p)})
	}
	same := func(*bank.Page) {}
	show("bank, sign in", "sign-in", func(p *bank.Page) { p.TriesLeft = 2 })
	show("bank, code", "code", func(p *bank.Page) { p.Problems = map[string]i18n.Key{"code": "visit.code.invalid"} })
	show("bank, accounts", "accounts", same)
	show("bank, consent", "consent", same)
	show("bank, refused", "refused", func(p *bank.Page) { p.Reason = "bank.refused.tries" })
	payroll := func(p *bank.Page) {
		p.Bank, p.Payroll, p.Accounts = "Harbor Light Payroll", true, nil
		p.Shared = []i18n.Key{"bank.payroll.jobs", "bank.payroll.statements", "bank.payroll.identity"}
	}
	show("payroll provider, sign in", "sign-in", payroll)
	show("payroll provider, consent", "consent", payroll)
	return append(all, Exhibit{"bank, ended", bank.MessagePage(bank.Message{Lang: lang, Style: assets.URL("provider.css"),
		Icon: assets.URL("icon.svg"), Title: "bank.ended.title", Text: "bank.ended.text"})})
}

// accessPages are the pages on which consumers see and end what they have shared.
func accessPages(urls visit.Urls, lang i18n.Lang, choices []ui.Choice) []Exhibit {
	urls.Service = "Plainview Verification"
	page := visit.Access{Lang: lang, Urls: urls, Languages: choices, Sandbox: true}
	secret := page
	secret.Languages = nil
	midnight := time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC)
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	open := visit.AccessCompany{Name: "Harbor Lane", Account: "1", Open: true, Older: 2, Reports: []visit.AccessReport{
		{ID: "1", Made: true, Figures: true, Kind: contract.Income, Shared: day(3, 4), From: []string{"Amber Coast Bank", "Harbor Light Payroll"},
			Access: []visit.OpenAccess{{Name: "Amber Coast Bank", Until: day(6, 2)}}, Until: day(9, 4), Updates: 2, Updated: day(5, 1),
			ThirdParties: []string{"Northwind Mortgage"}},
		{Kind: contract.Cashflow, Shared: day(2, 3), Pending: true}}, Sources: []visit.AccessSource{{ID: "1", Name: "Amber Coast Bank"}}}
	two := open
	two.Sources = append(two.Sources, visit.AccessSource{ID: "2", Name: "Tern Island Credit Union"})
	ended := visit.AccessCompany{Name: "Tern & Sons", Account: "2", Reports: []visit.AccessReport{
		{Kind: contract.Cashflow, Shared: day(1, 2), From: []string{"Amber Coast Bank"}, Until: day(7, 2), Withdrawn: day(3, 5)}}}
	return []Exhibit{
		{"access, ask for the link", visit.AccessFormPage(visit.AccessForm{Access: page})},
		{"access, address refused", visit.AccessFormPage(visit.AccessForm{Access: page, Email: "ana@", Problem: "access.form.no_email"})},
		{"access, session over", visit.AccessFormPage(visit.AccessForm{Access: page, Expired: true})},
		{"access, link sent", visit.AccessNoticePage(visit.AccessNotice{Access: page, Title: "access.sent.title", Text: "access.sent.text"})},
		{"access, open the link", visit.AccessLinkPage(secret, "/access/link/h")},
		{"access, link used", visit.AccessNoticePage(visit.AccessNotice{Access: secret, Title: "access.used.title",
			Text: "access.used.text", Again: true})},
		{"access, what was shared", visit.AccessListPage(visit.AccessList{Access: page, Whole: true,
			Companies: []visit.AccessCompany{open, ended}})},
		{"access, nothing shared", visit.AccessListPage(visit.AccessList{Access: page})},
		{"access, whether to end", visit.AccessEndPage(visit.AccessEnd{Access: page, Account: "1", CanClose: true,
			Companies: []visit.AccessCompany{open}})},
		{"access, whether to delete", visit.AccessDeletePage(visit.AccessEnd{Access: page, Account: "1",
			Companies: []visit.AccessCompany{open}})},
		{"access, freeze", visit.AccessFreezePage(visit.AccessFreeze{Access: page, Done: "freeze", File: visit.AccessFile{Frozen: true,
			AlertUntil: day(6, 2)}, FirstDay: day(3, 5), LastDay: day(12, 31)})},
		{"access, day refused", visit.AccessFreezePage(visit.AccessFreeze{Access: page, File: visit.AccessFile{LiftedUntil: midnight},
			Until: "2020-01-01", Problem: "access.freeze.no_day", FirstDay: day(3, 5), LastDay: day(12, 31)})},
		{"access, history", visit.AccessHistoryPage(visit.AccessHistory{Access: page, Reads: []visit.AccessRead{
			{Reader: "Northwind Mortgage", Owner: "Harbor Lane", ThirdParty: true, Kind: contract.Income, Report: day(3, 4), Revision: 1,
				First: day(3, 5), Last: day(3, 9), Days: 2},
			{Reader: "Harbor Lane", Owner: "Harbor Lane", Kind: contract.Income, Report: day(3, 4), First: day(3, 4), Last: day(3, 4), Days: 1}},
			Log: []visit.AccessEntry{{At: day(3, 6), Action: "lifted until", Until: midnight}, {At: day(3, 5), Action: "refused",
				Company: "Tern & Sons"}}})},
		{"access, a report", visit.AccessReportPage(visit.AccessReportView{Access: page, ID: "1", Kind: contract.Cashflow, Created: day(3, 4),
			Company: "Harbor Lane", Figures: []visit.AccessFigures{{Title: "Accounts", Groups: []visit.AccessGroup{{Facts: []ui.Fact{
				{Term: "Bank", Text: "Amber Coast Bank"}, {Term: "Balance", Text: "$1,234.56"}}}}}}, Count: 51, Page: 1, Pages: 2,
			Transactions: []visit.AccessTransaction{
				{Posted: day(3, 1), Account: "Amber Coast Bank Checking …1234", Description: "Groceries", Amount: -4210, Currency: "USD"}}})},
		{"access, whether to disconnect", visit.AccessDisconnectPage(visit.AccessDisconnect{Access: page, Company: two, Source: two.Sources[0]})},
		{"access, disconnected", visit.AccessListPage(visit.AccessList{Access: page, Companies: []visit.AccessCompany{two},
			Disconnected: "Harbor Light Payroll", From: two.Name})},
		{"access, ended", visit.AccessListPage(visit.AccessList{Access: page, Companies: []visit.AccessCompany{ended},
			Ended: i18n.T(lang, "access.list.ended", "company", ended.Name)})},
	}
}
