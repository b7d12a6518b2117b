package review

import "vestibule/internal/contract"

// categoryWords names the categories of income and spending, by the code in an
// analysis. A code without an entry is shown unchanged.
var categoryWords = map[string]contract.Words{
	"INCOME.PAYROLL":       {EN: "Wages and salary", ES: "Sueldos y salarios"},
	"INCOME.GOV_BENEFIT":   {EN: "Public benefits", ES: "Prestaciones públicas"},
	"INCOME.UNEMPLOYMENT":  {EN: "Unemployment insurance", ES: "Seguro de desempleo"},
	"INCOME.RETIREMENT":    {EN: "Pensions and annuities", ES: "Pensiones y rentas vitalicias"},
	"INCOME.GIG":           {EN: "Gig platforms", ES: "Plataformas de trabajo"},
	"INCOME.SELF_EMPLOYED": {EN: "Own business", ES: "Negocio propio"},
	"INCOME.RENTAL":        {EN: "Rent received", ES: "Alquileres recibidos"},
	"INCOME.CHILD_SUPPORT": {EN: "Child support and alimony received", ES: "Manutención recibida"},
	"INCOME.INTEREST":      {EN: "Interest", ES: "Intereses"},
	"INCOME.DIVIDEND":      {EN: "Dividends", ES: "Dividendos"},
	"INCOME.TAX_REFUND":    {EN: "Tax refunds", ES: "Devoluciones de impuestos"},
	"INCOME.OTHER":         {EN: "Other income", ES: "Otros ingresos"},

	"DEPOSIT.CASH":         {EN: "Cash deposits", ES: "Depósitos en efectivo"},
	"DEPOSIT.CHECK_MOBILE": {EN: "Checks deposited", ES: "Cheques depositados"},
	"DEPOSIT.REFUND":       {EN: "Refunds from shops", ES: "Reembolsos de comercios"},
	"DEPOSIT.REVERSAL":     {EN: "Payments returned or reversed", ES: "Pagos devueltos o anulados"},

	"TRANSFER.OWN_IN":      {EN: "From an own account", ES: "Desde una cuenta propia"},
	"TRANSFER.OWN_OUT":     {EN: "To an own account", ES: "A una cuenta propia"},
	"TRANSFER.SAVINGS_IN":  {EN: "From savings", ES: "Desde ahorros"},
	"TRANSFER.SAVINGS_OUT": {EN: "To savings", ES: "A ahorros"},
	"TRANSFER.INVEST_IN":   {EN: "From investments", ES: "Desde inversiones"},
	"TRANSFER.INVEST_OUT":  {EN: "To investments", ES: "A inversiones"},
	"TRANSFER.P2P_IN":      {EN: "From a person, by an app", ES: "De una persona, por aplicación"},
	"TRANSFER.P2P_OUT":     {EN: "To a person, by an app", ES: "A una persona, por aplicación"},
	"TRANSFER.WIRE_IN":     {EN: "Wires received", ES: "Transferencias recibidas"},
	"TRANSFER.WIRE_OUT":    {EN: "Wires sent", ES: "Transferencias enviadas"},

	"LENDING.LOAN_PROCEEDS": {EN: "Loans paid out", ES: "Préstamos recibidos"},
	"LENDING.ADVANCE_IN":    {EN: "Cash advances received", ES: "Adelantos recibidos"},
	"LENDING.ADVANCE_OUT":   {EN: "Cash advances repaid", ES: "Adelantos devueltos"},
	"LENDING.BNPL_OUT":      {EN: "Buy now, pay later", ES: "Compra ahora, paga después"},
	"LENDING.MORTGAGE":      {EN: "Mortgage", ES: "Hipoteca"},
	"LENDING.AUTO":          {EN: "Car loan or lease", ES: "Préstamo o arrendamiento de auto"},
	"LENDING.STUDENT":       {EN: "Student loan", ES: "Préstamo estudiantil"},
	"LENDING.PERSONAL":      {EN: "Personal or instalment loan", ES: "Préstamo personal o a plazos"},
	"LENDING.CARD_PAYMENT":  {EN: "Credit card payments", ES: "Pagos de tarjeta de crédito"},

	"FEE.NSF":             {EN: "Insufficient-funds fees", ES: "Cargos por fondos insuficientes"},
	"FEE.OVERDRAFT":       {EN: "Overdraft fees", ES: "Cargos por sobregiro"},
	"FEE.ATM":             {EN: "Cash machine fees", ES: "Cargos por cajero automático"},
	"FEE.MONTHLY":         {EN: "Monthly account fees", ES: "Cuotas mensuales de la cuenta"},
	"FEE.INTEREST_CHARGE": {EN: "Interest and finance charges", ES: "Intereses y cargos financieros"},
	"FEE.FEE_REVERSAL":    {EN: "Fees given back", ES: "Cargos reembolsados"},
	"FEE.OTHER":           {EN: "Other bank fees", ES: "Otros cargos bancarios"},

	"HOUSING.RENT": {EN: "Rent paid", ES: "Alquiler pagado"},

	"BILL.UTILITY":      {EN: "Electricity, gas, water, waste", ES: "Luz, gas, agua y residuos"},
	"BILL.TELECOM":      {EN: "Telephone, internet, cable", ES: "Teléfono, internet y cable"},
	"BILL.INSURANCE":    {EN: "Insurance", ES: "Seguros"},
	"BILL.SUBSCRIPTION": {EN: "Subscriptions and memberships", ES: "Suscripciones y membresías"},

	"LIVING.GROCERY":        {EN: "Groceries", ES: "Alimentación"},
	"LIVING.FUEL_TRANSPORT": {EN: "Fuel and transport", ES: "Combustible y transporte"},
	"LIVING.HEALTH":         {EN: "Health", ES: "Salud"},
	"LIVING.CHILDCARE_EDU":  {EN: "Children and education", ES: "Hijos y educación"},
	"LIVING.TAX":            {EN: "Taxes paid", ES: "Impuestos pagados"},

	"LEISURE.DINING":        {EN: "Restaurants and delivery", ES: "Restaurantes y comida a domicilio"},
	"LEISURE.RETAIL":        {EN: "Shopping and services", ES: "Compras y servicios"},
	"LEISURE.ENTERTAINMENT": {EN: "Entertainment", ES: "Entretenimiento"},
	"LEISURE.TRAVEL":        {EN: "Travel", ES: "Viajes"},
	"LEISURE.GAMBLING":      {EN: "Gambling", ES: "Apuestas"},

	"CASH.WITHDRAWAL": {EN: "Cash withdrawals", ES: "Retiros de efectivo"},

	"OTHER": {EN: "Not recognised", ES: "Sin reconocer"},
}

// groupWords are the groups of categories.
var groupWords = map[string]contract.Words{
	"INCOME":   {EN: "Income", ES: "Ingresos"},
	"DEPOSIT":  {EN: "Deposits and refunds", ES: "Depósitos y reembolsos"},
	"TRANSFER": {EN: "Transfers", ES: "Transferencias"},
	"LENDING":  {EN: "Loans and credit", ES: "Préstamos y crédito"},
	"FEE":      {EN: "Bank fees", ES: "Cargos bancarios"},
	"HOUSING":  {EN: "Housing", ES: "Vivienda"},
	"BILL":     {EN: "Bills", ES: "Facturas"},
	"LIVING":   {EN: "Living", ES: "Gastos básicos"},
	"LEISURE":  {EN: "Leisure and shopping", ES: "Ocio y compras"},
	"CASH":     {EN: "Cash", ES: "Efectivo"},
	"OTHER":    {EN: "Not recognised", ES: "Sin reconocer"},
}

// cadenceWords say how often a stream's payments come.
var cadenceWords = map[string]contract.Words{
	"WEEKLY":       {EN: "Every week", ES: "Cada semana"},
	"BIWEEKLY":     {EN: "Every two weeks", ES: "Cada dos semanas"},
	"SEMI_MONTHLY": {EN: "Twice a month", ES: "Dos veces al mes"},
	"MONTHLY":      {EN: "Every month", ES: "Cada mes"},
	"IRREGULAR":    {EN: "Irregular", ES: "Irregular"},
}

// reasonWords are the adverse action codes of the embedded provider. English is
// the report's own description; another provider's codes keep theirs.
var reasonWords = map[string]contract.Words{
	"10": {EN: "Average balances", ES: "Saldos medios"},
	"11": {EN: "Lowest balance", ES: "Saldo más bajo"},
	"12": {EN: "Balances declining", ES: "Saldos a la baja"},
	"13": {EN: "Balances against spending", ES: "Saldos frente a los gastos"},
	"14": {EN: "Savings", ES: "Ahorros"},
	"15": {EN: "Days below zero", ES: "Días por debajo de cero"},
	"16": {EN: "Recently below zero", ES: "Por debajo de cero hace poco"},
	"17": {EN: "Days near zero", ES: "Días cerca de cero"},
	"20": {EN: "Deposits", ES: "Depósitos"},
	"21": {EN: "Income deposits", ES: "Ingresos depositados"},
	"22": {EN: "Income declining", ES: "Ingresos a la baja"},
	"23": {EN: "Income varies", ES: "Ingresos variables"},
	"24": {EN: "Income irregular or recent", ES: "Ingresos irregulares o recientes"},
	"25": {EN: "Time since income", ES: "Tiempo desde el último ingreso"},
	"27": {EN: "Reliance on loans or advances", ES: "Dependencia de préstamos o adelantos"},
	"30": {EN: "Spending", ES: "Gastos"},
	"31": {EN: "Spending rising", ES: "Gastos al alza"},
	"32": {EN: "Spending against deposits", ES: "Gastos frente a los depósitos"},
	"33": {EN: "Discretionary spending", ES: "Gastos no esenciales"},
	"34": {EN: "Housing against income", ES: "Vivienda frente a los ingresos"},
	"35": {EN: "Debt payments against income", ES: "Pagos de deudas frente a los ingresos"},
	"36": {EN: "Loan payments", ES: "Pagos de préstamos"},
	"37": {EN: "Advance repayments", ES: "Devolución de adelantos"},
	"40": {EN: "NSF or overdraft", ES: "Fondos insuficientes o sobregiros"},
	"41": {EN: "Recent NSF or overdraft", ES: "Fondos insuficientes o sobregiros recientes"},
	"42": {EN: "Returned payments", ES: "Pagos devueltos"},
	"43": {EN: "Bank fees", ES: "Cargos bancarios"},
	"44": {EN: "Cash withdrawals", ES: "Retiros de efectivo"},
	"45": {EN: "Gambling", ES: "Apuestas"},
	"50": {EN: "Net cash flow", ES: "Flujo neto de efectivo"},
	"51": {EN: "Net cash flow declining", ES: "Flujo neto a la baja"},
	"52": {EN: "Months with positive net cash flow", ES: "Meses con flujo neto positivo"},
	"53": {EN: "Left after essentials and debt", ES: "Restante tras lo esencial y las deudas"},
	"60": {EN: "Short history", ES: "Historial corto"},
	"61": {EN: "Little activity", ES: "Poca actividad"},
	"62": {EN: "Time since the last transaction", ES: "Tiempo desde el último movimiento"},
	"63": {EN: "Few accounts", ES: "Pocas cuentas"},
	"64": {EN: "Own transfers", ES: "Transferencias propias"},
	"70": {EN: "Few regular bills", ES: "Pocas facturas regulares"},
	"71": {EN: "Regular obligations", ES: "Obligaciones regulares"},
	"72": {EN: "Savings transfers", ES: "Transferencias a ahorros"},
}
