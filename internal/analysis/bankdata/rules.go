package bankdata

// rules are all rules in the order of their precedence within a tier. They name
// mechanisms, merchants that anybody may pay, and words of trades; never single
// transactions, persons or places.
func rules() []rule {
	var all []rule
	for _, tier := range []struct {
		is  Tier
		are []rule
	}{{TierMechanism, mechanisms()}, {TierMerchant, merchants()}, {TierPattern, patterns()}} {
		for _, r := range tier.are {
			r.tier = tier.is
			all = append(all, r)
		}
	}
	return all
}

// Words that mean the same in many phrases.
const (
	transfer = "transfer|transfers|transf*|xfer|tfr|trf|trsf|trnsf*|xfr|moved"
	savings  = "savings|saving|sav|svgs|svg|svngs|autosave|auto save|money market"
	checking = "checking|checkin|chk|chkg|ck|dda|spending account|everyday account"
	student  = "student|std|stdnt|educ|ed"
)

// mechanisms are how money moves.
func mechanisms() []rule {
	return append(append(append(bankRules(), incomeRules()...), debtRules()...), transferRules()...)
}

// bankRules are what the bank itself books: fees, interest, returned payments.
func bankRules() []rule {
	return []rule{
		{in: LeafFeeReversal, phrases: `fee reversal, fee refund, fee rebate, fee reversed, fee credit, refund + fee|fees, fee|fees + reversal|reverse|reversed|rebate|waived|waiver|adjustment credit,
			atm rebate, atm reimbursement, atm fee reimbursement, surcharge rebate, surcharge + refund|rebate|reimburse*, courtesy refund, service charge refund, service charge reversal,
			overdraft refund, overdraft reversal, nsf refund, refund nsf, refund overdraft`},
		{in: LeafFeeReversal, out: LeafOverdraftFee, phrases: `overdraft|overdrawn|overdrft|od + fee|fees|charge|chg|chrg, overdraft item, overdraft paid item, extended overdraft, sustained overdraft, continuous overdraft, continuous od,
			courtesy pay + fee|charge, overdraft privilege + fee|charge, bounce protection + fee|charge, overdraft interest, od fee, od charge, od item charge`},
		{in: LeafFeeReversal, out: LeafNSFFee, phrases: `nsf + fee|fees|charge|chg|chrg|item, insufficient funds fee, insufficient + fee|charge|chg, non sufficient + fee|charge|chg, nonsufficient + fee|charge|chg, uncollected funds + fee|charge|chg, unavailable funds + fee|charge|chg,
			returned|return|rtn|retd|rtnd + item|check|payment|ach|chk|deposited|debit|nsf + fee|charge|chg|chrg, bounced + fee|charge, nsf paid, paid nsf, insf fee`},
		{in: LeafFeeReversal, out: LeafFeeOther, phrases: `international transaction fee, international service assessment, intl + fee|fees, foreign + fee|fees|charge, international + fee|fees|assessment, cross border + fee|assessment, currency conversion + fee, wire|wires + fee|charge,
			cash advance fee, stop payment + fee|charge, stop pay fee, card fee, card replacement, replacement card, statement fee, inactivity fee, dormant + fee, late fee, late payment fee, transfer fee, instant transfer fee, excess + fee|charge, money order fee, cashiers check fee, collection fee, garnishment fee, legal process fee, research fee, annual fee, annual membership fee, expedite fee, expedited delivery fee, balance transfer fee, check order, deposit item fee`},
		{in: LeafFeeReversal, out: LeafATMFee, phrases: `atm fee, atm|cash machine + fee|fees|surcharge|service charge - withdrawal|withdraw*|wdl, non network atm, out of network + fee, atm surcharge, atm inquiry, atm balance inquiry, atm decline, non bank atm fee, foreign atm`},
		{in: LeafFeeReversal, out: LeafMonthlyFee, weak: true, phrases: `monthly fee, monthly + service|maintenance|maint|maintenence|account + fee|charge|chg, service charge, service charges, svc chg, svc charge, service chg, maintenance fee, maintenance charge, maint fee, account fee, account maintenance, account analysis, analysis charge, minimum balance fee, min balance fee, low balance fee, low balance charge, checking fee, account service fee, package fee, monthly service`},
		{in: LeafFeeReversal, out: LeafInterestCharge, phrases: `interest charge, interest charges, interest charged, int charge, int chg, finance charge, finance charges, finance chg, purchase finance, line of credit interest, interest on + balance`},
		{in: LeafInterest, phrases: `dividend|dividends + annual percentage|apy|share|yield|earned`},
		{in: LeafInterest, out: LeafInterestCharge, phrases: `interest payment, interest pymt, interest paid, interest pd, interest earned, credit interest, interest credit, interest deposit, interest income, interest posted, interest adjustment, interest capitaliz*, int pymt, int paid, int credit, int earned, int deposit, savings interest, monthly interest, accr earning, accrued int, apy earned, interest`},
		{in: LeafRefund, phrases: `pos|purchase|merchandise|card|visa|merchant|mdse + return|returned|refund|credit voucher|reversal|rev, credit voucher, refund - tax|irs|treas|tuition|loan|student, provisional credit, dispute credit, dispute + credit|adjustment, chargeback, chargebacks, merchant credit, purchase adjustment`},
		{in: LeafReversal, out: LeafReversal, phrases: `returned + item|payment|check|chk|ach|deposit|deposited|debit|transfer|draft|electronic|unpaid|nsf|bill, rtn|rtnd|retd + item|payment|check|chk|ach|debit|nsf, return + item|nsf|ach|unpaid|deposited|electronic|r, payment return, payment reversal, payment reversed, payment rejected, reject* + payment|ach|debit, ach return, ach reversal, ach rev, reversal, reversed, reverse, deposit reversal, deposited item, unpaid item, unpaid check, item returned, insufficient funds, non sufficient funds, nonsufficient funds, nsf, uncollected funds, return of posted, bounced`},
	}
}

// incomeRules are income by the words of whoever pays it, and their
// counterparts: the same words on money that goes out.
func incomeRules() []rule {
	return []rule{
		{in: LeafGovBenefit, phrases: `taxeip*, economic impact, stimulus, childctc, child tax credit, advance ctc`},
		{in: LeafTaxRefund, phrases: `tax refund, tax refunds, tax ref, tax rfd, tax rebate, taxrefund, taxref, irs treas, irs refund, irs + refund|tax ref, state refund, income tax + refund|ref, franchise tax bd, tpg products, tpg llc, sbtpg, sbtpg llc, tax products, tax product*, refund transfer, republic trs, taxact refund, turbotax refund, fed refund, state + refund + tax`},
		{in: LeafTaxRefund, out: LeafTax, phrases: `irs, usataxpymt, usa tax pymt, tax payment, tax payments, tax pymt, tax pmt, tax paymt, taxpymt, tax impound, tax impoun*, adp tax, payroll tax, estimated tax, property tax, property taxes, tax collector, tax collection, tax commissioner, tax assessor, county treasurer, county tax, city tax, state tax, income tax, franchise tax, sales tax, dept of revenue, department of revenue, dept revenue, revenue dept, dor tax, dept of taxation, department of taxation, comptroller, tax board, tax board payments, eftps, tax deposit, tax svc, real estate tax, excise tax, withholding tax, taxes`},
		{in: LeafUnemployment, phrases: `unemploy*, unempl, unemp, uemploy*, ui benefit, ui benefits, ui payment, ui pymt, ui dd, dol ui, ui ben, ui bene*, ui benefit, uiben*, uibenefit*, uia pmt, uia prepaid, esd ui, edd + ui|benefit|benefits|ben, dept of labor, department of labor, labor dept, workforce + ui|benefit|benefits, desua, reemployment, pandemic unemp`},
		{in: LeafGovBenefit, phrases: `soc sec, social security, social sec, ssa treas, ssi treas, supp sec, suppl sec, treas + ssa|ssi|ssdi|sec, ssdi, supplemental security, va benefit, va benefits, va benef, vacp treas, va comp, va compensation, vaed treas, veterans affairs, veterans benefit*, treas misc pay, snap benefit, snap benefits, tanf, calworks, calfresh, wic benefit*, human services, social services, dept of social, family services benefit*, state disability, disability + state|benefit|benefits|ins|edd, edd, paid family leave, dhs benefit*, cash assistance, public assistance, black lung, heap benefit*, energy assistance, permanent fund, alaska pfd, ebt, benefit payment, benefit pymt, govt benefit*`},
		{in: LeafRetirement, phrases: `pension, pensions, pension*, annuity, annuit*, retirement + benefit|benefits|payment|pymt|pay|payroll|income|check|allowance, retirement syst*, retirement sys, retirement system, retiree, retirees, retire* ben, retire* bene*, retire* benefit, calpers, calstrs, nyslrs, nystrs, strs, opers, lacera, perac, pers benefit*, trs benefit*, employees ret, employees reti*, teachers ret, teachers reti*, teacher ret, teacher reti*, civ serv, opm treas, opm, ret net, dfas ret, dfas cleveland ret, dfas cleveland reti*, mil ret, military ret, military reti*, railroad ret, railroad reti*, rrb treas, pbgc, tsp distribution, tsp payment, ira distribution, ira dist, k distribution, rmd`},
		{in: LeafChildSupport, out: LeafChildcareEdu, phrases: `child support, child supp, childsupport, child sup, childsup*, chld supp, chld sup, chd supp, child suppor*, spousal support, alimony, state disbursement, disbursement unit, support payment clearinghouse, sdu, csea, csed, dcss, kids first`},
		{in: LeafAdvanceIn, out: LeafAdvanceOut, phrases: `cash advance, payday advance, payday loan, payday loans, payday*, paycheck advance, pay advance, payroll advance, wage advance, salary advance, earned wage, earned wages, ewa, auto advance, overdraft advance, line of credit advance, loc advance, cash adv, instacash, instant cash, advance repayment, advance payback, advance funding, advance proceeds, deferred deposit`},
		{in: LeafPayroll, phrases: `payroll, payroll*, payrll, payrol, payrl, prll, paycheck*, salary, salaries, salary*, reg sal, wages, wage, wage pay, wages*, fed sal, fed salary, army act, af pay, navy pay, usmc pay, dfas, net pay, netpay, regular pay, reg pay, empl pay, employee pay, employer, emp pay, pay check, bi weekly pay, biweekly pay, weekly pay, adp wage, paychex, paychex*, paylocity, paycom, paycor, trinet, insperity, justworks, zenefits, onpay, ceridian, ultipro, gusto + pay|deposit, gusto, adp totalsource, adp + dep|deposit|pay|credit, workday + pay, dir dep + payroll, quickbooks payroll, intuit payroll, square payroll, stipend, severance, earnings, commission, commissions, tips payout`},
		{in: LeafPayroll, weak: true, phrases: `direct dep, direct deposit, direct deposits, dir dep, dir deposit, dirdep, dirdep*, dd dep, directdep*, direct pay, des direct, dir dp`},
		{in: LeafSelfEmployed, phrases: `accounts payable, accts payable, acct payable, acctspayable, acctpay, a p payment, ap payment, ap pymt, ap pmt, ap ach, ap + ccd|ctx|edi, vendor pay, vendor payment, vendor pymt, vendor pmt, vendor, vendorpay, merchant deposit, merchant settlement, merch dep, merch deposit, merchant bnkcd, merch bankcard, bankcard dep, bankcard deposit, bankcard mtot, mtot dep, comb dep, settlement deposit, card settlement, batch settlement, invoice payment, invoice pymt, invoice + payment|pay|pymt|inv, edi payment, edi paymnt, edi pymnts, edi pymt, contractor pay, contractor payment, consulting fee, freelanc*, honorarium, royalt*`},
		{in: LeafRental, phrases: `rental income, rent income, rent received, rent deposit, rent from, tenant, tenants, tenant payment, owner distribution, owner payout, rent collect*, zelle + rent - rent a, venmo + rent - rent a`},
		{in: LeafIncomeOther, phrases: `insurance claim, claim payment, claim pmt, claim pymt, claims payment, claims pay, claim payout, settlement, legal settlement, class action, workers comp, workers compensation, workmans comp, wc benefit*, award, scholarship, grant, prize, winnings, payout winnings, cashback reward, cash back reward, cash back rewards, cash back bonus, cashback bonus, reward, rewards, rewards credit, bonus, referral bonus, rebate, trust distribution, estate of, inheritance, escheat, unclaimed property, reimbursement, reimburse*, expense reim*, expense reimb*, travel reim*`},
		{in: LeafDividend, out: LeafInvestOut, phrases: `dividend, dividends, div, divd, dividend reinvest*, capital gain, cap gain, distribution yield`},
	}
}

// debtRules are loans, cards and rent.
func debtRules() []rule {
	return []rule{
		{out: LeafRent, phrases: `rent payment, rent pymt, rent pmt, rent paymt, rent pay, rentpay*, rent check, rent due, monthly rent, apartment rent, house rent, office rent, rent + zelle|venmo|apartment*|apt|apts|lease|landlord|tenant|property|portal|cash app|online|ach|web|check|bill - rent a|car rent, rent - rent a|car|truck|equipment|tool|party|movie|video|enterprise|budget|hertz|avis, rent charge, rental payment, rental pmt, lease payment - auto|car|vehicle, leasing office, security deposit`},
		{in: LeafRefund, out: LeafMortgage, phrases: `mortgage, mortgages, mortg*, mtg, mtge, mrtg, mtg pymt, home loan, home loans, homeloan*, house payment, heloc, home equity, escrow payment, home eq loan`},
		{in: LeafLoanProceeds, out: LeafStudentLoan, phrases: `student ln, student loan, student loans, student lo, student loan, std ln, stdnt loan, stdnt ln, dept education, dept of education, dept of ed, us dept ed, us dept of ed, department of education, dept ed, educ loan, education loan, ed loan, ed financial, fed loan, fedloan*, fed ln, studentloan*`},
		{in: LeafLoanProceeds, out: LeafAutoLoan, phrases: `auto loan, auto ln, auto loans, autoloan*, car loan, car payment, car note, car pymt, vehicle loan, vehicle ln, auto finance, auto financial, auto fin, auto finan*, autofinance, auto lease, car lease, auto leasing, motor credit, motor fin, motor finan*, motor acceptance, auto acceptance, auto credit, motorcycle loan, boat loan, rv loan, car fin, car fina*`},
		{in: LeafLoanProceeds, out: LeafCardPayment, weak: true, phrases: `line of credit payment, loc payment, credit line payment`},
		{out: LeafCardPayment, phrases: `credit card, credit crd, creditcard, credit cd, cc payment, cc pymt, cc pmt, ccpymt, ccpmt, crcardpmt, crd epay, crd autopay, card autopay, card epay, card + epay|autopay|e payment|epayment - debit|check card|checkcard|purchase|pos, card payment - debit|check card|checkcard|ckcd|purchase|pos|dda|prepaid, card pymt - debit|checkcard|pos, card pmt - debit|checkcard|pos, cardpmt, cardpymt, cardmember serv*, cardmember, card services, card srvc, card svcs, bankcard payment, bankcard pmt, bankcard pymt,
			visa payment, visa pymt, visa pmt, visa card payment, mastercard payment, mastercard pymt, mastercard pmt, mc payment, payment to + visa|mastercard|card|crd - debit, transfer to credit card, online payment to card, gsbank payment, gscc`},
		{in: LeafLoanProceeds, phrases: `loan + proceeds|disburse*|disb*|funding|funded|advance|deposit|payout|disbursement|credit|fund, loan draw, loan check, line of credit, loc draw, credit line draw, credit line advance, personal loan, installment loan, instalment loan, loan from, loan to, new loan, small business loan, sba + loan|eidl|treas, eidl`},
		{in: LeafLoanProceeds, out: LeafPersonalLoan, weak: true, phrases: `loan payment, loan pymt, loan pmt, loan paymt, loan pay, loan pmts, ln pmt, ln pymt, ln payment, lnpmt, loanpay*, personal loan, installment loan, instalment loan, installment + payment|pmt|pymt, consumer loan, signature loan, line of credit, loan repay*, loan principal, payment to loan, transfer to loan, loan transfer, to loan, loan autopay, transfer to line, debt consolid*, title loan`},
	}
}

// transferRules are wires, people, own accounts, cash and checks.
func transferRules() []rule {
	return []rule{
		{in: LeafWireIn, out: LeafWireOut, phrases: `wire, wires, wire transfer, wire trans*, wire type, wire in, wire out, wire credit, wire debit, fedwire, fed wire, wt fed, wt seq, incoming wire, outgoing wire, domestic wire, intl wire, chips credit, chips debit, swift transfer`},
		{in: LeafP2PIn, out: LeafP2POut, phrases: `zelle, zel, zelle*, quickpay, venmo, venmo*, cash app, cashapp*, square cash, sqc, popmoney, apple cash, applecash, apple cash sent, apple cash balance, google pay send, facebook pay, meta pay, person to person, p transfer to friend, pay a person, pay anyone, send money, sent money, sendmoney, money sent, money received, remitly, western union, moneygram, money gram, worldremit, xoom, transferwise, wise transfer, wise us, wise inc, sendwave, ria money, paysend, paypal + transfer|friend*|family|cash out|cashout|withdrawal|sent|received - inst, intermex`},
		{in: LeafOwnIn, out: LeafSavingsOut, phrases: `to savings, to saving, to sav, to svgs, to share savings, to autosave, round up, round ups, roundup, roundups, keep the change, save as you go, save when, savings + goal|contribution|autosave`},
		{in: LeafSavingsIn, out: LeafOwnOut, phrases: `from savings, from saving, from sav, from svgs, from share savings, frm savings, frm sav, frm svgs, from autosave`},
		{in: LeafSavingsIn, out: LeafSavingsOut, phrases: transfer + ` + ` + savings + `, savings transfer, withdrawal from savings, autosave, auto save`},
		{in: LeafInvestIn, out: LeafInvestOut, phrases: transfer + ` + brokerage|investment|investments|investing|ira|roth|securities, moneylink, brokerage, roth ira, ira contrib*, ira contribution, traditional ira, k contribution, k contrib*, mutual fund, mutual funds, fund purchase, investment purchase, invest transfer, crypto purchase, sep ira, hsa contrib*`},
		{in: LeafOwnIn, out: LeafOwnOut, phrases: transfer + ` + ` + checking + `, from checking, frm checking, to checking, from chk, to chk, frm chk, to ck, from ck, from dda, to dda, ` +
			transfer + ` + share|shares|credit builder|own account|my account|between accounts|between your, internal transfer, internal xfer, account transfer, acct transfer, acct xfer, acct to acct, transfer between, transfer to account, transfer from account, transfer to acct, transfer from acct, online transfer, online xfer, online tfr, online trnsfr, online trnsf*, online banking transfer, online banking xfer, mobile transfer, mobile xfer, mobile banking transfer, internet transfer, internet tfr, internet xfer, home banking, web transfer, web xfr, web xfer, telephone transfer, phone transfer, telephone tfr, automatic transfer, auto transfer, recurring transfer, scheduled transfer, overdraft transfer, overdraft protection, od protection, overdraft xfer, funds transfer, fund transfer, book transfer, external transfer, ext trnsfr, ext transfer, ext xfer, acct trans*, account to account, me to me, to pot, from pot, pot transfer, pot withdrawal, pot deposit, from credit builder, to credit builder, from secured account, own account, home branch transfer`},
		{in: LeafOwnIn, out: LeafOwnOut, weak: true, phrases: `transfer to, transfer from, xfer to, xfer from, tfr to, tfr from, transfer in, transfer out, transfer deposit, transfer withdrawal, transfer credit, transfer debit, xfer`},
		{in: LeafCashDeposit, phrases: `cash deposit, cash dep, atm deposit, atm cash deposit, atm cash, atm dep, atm check deposit, branch deposit, edeposit in branch, counter deposit, teller deposit, counter credit, branch cash, currency deposit, coin deposit, cash load, cash reload, deposit made in a branch, night deposit, over the counter, deposit by cash, deposit cash, deposit at branch, deposit atm, retail load, green dot reload, money pak, moneypak, vanilla reload, atm credit`},
		{in: LeafCheckMobile, phrases: `mobile deposit, mobile dep, mobile check, mobile check*, check deposit, check dep, chk deposit, remote deposit, remote online deposit, remote dep, remote capture, rdc, deposit check, deposited check, deposit checks, edeposit, e deposit, image deposit, mobile capture, check capture, photo deposit, deposit by mobile, deposit mobile, mobiledeposit, check cash*, cashiers check, money order deposit`},
		{out: LeafCashWithdrawal, phrases: `atm w d, atm wd, atm withdrawal, atm withdraw*, atm wdrl, atm wdl, atm wthdrwl, atm + withdrawal|withdraw*|wdl|wdrl|wd|wthdr*|wthdrl|cash|debit, atm cash, cash withdrawal, cash withdraw*, cash wd, cash wdl, cash w d, branch withdrawal, teller withdrawal, counter withdrawal, withdrawal made in a branch, withdrawal in branch, in branch withdrawal, over the counter withdrawal, customer withdrawal, counter debit, cash back pos, cash out atm, cash disbursement, check cashed`},
		{out: LeafSubscription, phrases: `subscription, subscriptions, subscript*, subscr`},
	}
}
