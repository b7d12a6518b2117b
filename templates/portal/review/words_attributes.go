package review

import (
	"strings"

	"vestibule/internal/i18n"
)

// spanishAttributes holds the Spanish descriptions of the embedded provider's attributes,
// by name without the window at its end. English descriptions come from the report, as do
// those of other providers' attributes.
var spanishAttributes = map[string]string{
	"UA_ASSET_ACCOUNT_CNT_CUR":         "Número de cuentas de efectivo del informe",
	"UA_ASSET_CHECKING_AVG":            "Saldo medio al cierre del día de las cuentas corrientes",
	"UA_ASSET_CHECKING_BAL_CUR":        "Suma de los saldos actuales de las cuentas corrientes",
	"UA_ASSET_LOWDAYS_CNT":             "Días con un saldo total al cierre inferior a 100.00",
	"UA_ASSET_NEGDAYS_CNT":             "Días en que al menos una cuenta cerró por debajo de 0",
	"UA_ASSET_NEGDAYS_REC":             "Días desde que una cuenta cerró por última vez por debajo de 0",
	"UA_ASSET_SAVINGS_AVG":             "Saldo medio al cierre del día de las cuentas de ahorro",
	"UA_ASSET_SAVINGS_BAL_CUR":         "Suma de los saldos actuales de las cuentas de ahorro (0 si no hay)",
	"UA_ASSET_TOTAL_AVG":               "Saldo total medio al cierre del día",
	"UA_ASSET_TOTAL_BAL_CUR":           "Suma de los saldos actuales de todas las cuentas de efectivo",
	"UA_ASSET_TOTAL_MAX":               "Saldo total más alto al cierre del día",
	"UA_ASSET_TOTAL_MIN":               "Saldo total más bajo al cierre del día",
	"UA_ASSET_TOTAL_TREND":             "Pendiente (mínimos cuadrados) del saldo total a fin de mes, en dólares por mes",
	"UA_CADENCE_BILL_STREAM_CNT_CUR":   "Número de pagos recurrentes activos",
	"UA_CADENCE_BILL_STREAM_SUM":       "Suma de los pagos recurrentes",
	"UA_CADENCE_HOUSING_MONTHS_CNT":    "Número de meses con un pago de alquiler o hipoteca",
	"UA_CADENCE_INCOME_INTERVAL_AVG":   "Media de días entre abonos de la fuente principal de ingresos",
	"UA_CADENCE_INCOME_INTERVAL_MAX":   "Mayor intervalo en días entre ingresos",
	"UA_CADENCE_INCOME_MONTHS_CNT":     "Número de meses con al menos un ingreso",
	"UA_CADENCE_INCOME_STREAM_CNT_CUR": "Número de fuentes de ingresos recurrentes activas",
	"UA_CADENCE_INCOME_TENURE_REC":     "Días desde el primer abono de la fuente principal de ingresos activa",
	"UA_CADENCE_NSFOD_MONTHS_CNT":      "Número de meses con un cargo por fondos insuficientes o sobregiro",
	"UA_CADENCE_SAVEXFER_MONTHS_CNT":   "Número de meses con una transferencia a ahorros, inversiones o jubilación",
	"UA_CASHFLOW_FREE_AVG":             "Media mensual de los ingresos menos gastos esenciales y pagos de deudas",
	"UA_CASHFLOW_NETPOS_CNT":           "Número de meses con un flujo neto superior a 0",
	"UA_CASHFLOW_NET_AVG":              "Flujo neto mensual medio",
	"UA_CASHFLOW_NET_MIN":              "Flujo neto mensual más bajo",
	"UA_CASHFLOW_NET_SSUM":             "Flujo neto por cada 30 días del historial obtenido",
	"UA_CASHFLOW_NET_SUM":              "Abonos menos cargos, sin transferencias entre cuentas propias",
	"UA_CASHFLOW_NET_TREND":            "Pendiente del flujo neto mensual, en dólares por mes",
	"UA_EXPENSE_ADVPMT_CNT":            "Número de devoluciones de préstamos de nómina, adelantos y compras aplazadas",
	"UA_EXPENSE_ADVPMT_SUM":            "Devoluciones de préstamos de nómina, adelantos de salario o efectivo y compras aplazadas",
	"UA_EXPENSE_BANKFEE_SUM":           "Cargos e intereses bancarios, descontadas las anulaciones",
	"UA_EXPENSE_CARDPMT_SUM":           "Pagos de tarjeta de crédito",
	"UA_EXPENSE_CASHWD_SUM":            "Retiros de efectivo en cajero y sucursal",
	"UA_EXPENSE_DISCRETIONARY_AVG":     "Gasto no esencial medio mensual",
	"UA_EXPENSE_ESSENTIAL_AVG": "Gasto esencial medio mensual (vivienda, " +
		"suministros, alimentación, combustible, seguros, salud, hijos)",
	"UA_EXPENSE_GAMBLING_CNT": "Número de cargos de juego y apuestas",
	"UA_EXPENSE_GAMBLING_SUM": "Cargos de juego y apuestas",
	"UA_EXPENSE_HOUSING_AVG":  "Pago medio mensual de alquiler e hipoteca",
	"UA_EXPENSE_LOANPMT_CNT":  "Número de pagos de préstamos",
	"UA_EXPENSE_LOANPMT_SUM":  "Pagos de préstamos a plazos, estudiantiles, de auto y personales",
	"UA_EXPENSE_NSFOD_CNT":    "Cargos por fondos insuficientes y sobregiro, descontados los anulados",
	"UA_EXPENSE_NSFOD_REC":    "Días desde el último cargo por fondos insuficientes o sobregiro",
	"UA_EXPENSE_NSFOD_SCNT":   "Cargos por fondos insuficientes y sobregiro por cada 30 días del historial obtenido",
	"UA_EXPENSE_NSFOD_SREC": "Días desde el último cargo por fondos insuficientes " +
		"o sobregiro, divididos por los días del historial obtenido",
	"UA_EXPENSE_RETURNED_CNT":       "Pagos devueltos o anulados",
	"UA_EXPENSE_SAVEXFER_SUM":       "Transferencias a ahorros, inversiones o jubilación",
	"UA_EXPENSE_TOTAL_AVG":          "Cargos mensuales medios",
	"UA_EXPENSE_TOTAL_CNT":          "Número de cargos contabilizados",
	"UA_EXPENSE_TOTAL_SSUM":         "Cargos por cada 30 días del historial obtenido",
	"UA_EXPENSE_TOTAL_SUM":          "Suma de todos los cargos contabilizados",
	"UA_EXPENSE_TOTAL_TREND":        "Pendiente de los cargos mensuales, en dólares por mes",
	"UA_EXPENSE_UTILITY_SUM":        "Pagos de luz, gas, agua, internet y teléfono",
	"UA_INFLOW_ADVANCE_CNT":         "Número de abonos de préstamos de nómina y adelantos de salario o efectivo",
	"UA_INFLOW_ADVANCE_SUM":         "Préstamos, préstamos de nómina y adelantos de salario o efectivo recibidos",
	"UA_INFLOW_BENEFIT_SUM":         "Abonos de beneficios públicos y jubilación",
	"UA_INFLOW_CASHDEP_SUM":         "Depósitos en efectivo, cheque y cajero",
	"UA_INFLOW_EXTERNAL_SUM":        "Abonos sin transferencias propias, préstamos recibidos, reembolsos ni anulaciones",
	"UA_INFLOW_GIG_SUM":             "Abonos de plataformas de trabajo y trabajo por cuenta propia",
	"UA_INFLOW_INCOME_AVG":          "Ingresos mensuales medios",
	"UA_INFLOW_INCOME_MIN":          "Ingreso mensual más bajo",
	"UA_INFLOW_INCOME_REC":          "Días desde el último ingreso",
	"UA_INFLOW_INCOME_SAVG":         "Ingreso medio por mes completo del historial obtenido",
	"UA_INFLOW_INCOME_SUM":          "Ingresos de todo tipo (nómina, beneficios, jubilación, plataformas, trabajo propio, intereses)",
	"UA_INFLOW_INCOME_TREND":        "Pendiente de los ingresos mensuales, en dólares por mes",
	"UA_INFLOW_INTEREST_SUM":        "Intereses abonados en cuentas de depósito",
	"UA_INFLOW_PAYROLL_AVG":         "Monto promedio de un abono de nómina",
	"UA_INFLOW_PAYROLL_REC":         "Días desde el último abono de nómina",
	"UA_INFLOW_PAYROLL_SUM":         "Abonos de nómina y salarios por depósito directo",
	"UA_INFLOW_TOTAL_AVG":           "Abonos mensuales medios",
	"UA_INFLOW_TOTAL_CNT":           "Número de abonos contabilizados",
	"UA_INFLOW_TOTAL_SSUM":          "Abonos por cada 30 días del historial obtenido",
	"UA_INFLOW_TOTAL_SUM":           "Suma de todos los abonos contabilizados",
	"UA_RATIO_BALANCE_EXPENSE":      "Saldo total medio al cierre dividido por los cargos mensuales medios (meses de reserva)",
	"UA_RATIO_DEBTPMT_INCOME":       "Pagos de préstamos, tarjetas y adelantos divididos por los ingresos",
	"UA_RATIO_EXPENSE_INFLOW":       "Cargos divididos por abonos, sin transferencias entre cuentas propias",
	"UA_RATIO_GAMBLING_INFLOW":      "Cargos de apuestas divididos por los abonos externos",
	"UA_RATIO_HOUSING_INCOME":       "Pagos de alquiler e hipoteca divididos por los ingresos",
	"UA_RATIO_INCOME_RECENT_ANNUAL": "Ingresos de los últimos 3 meses completos por 4, divididos por los de los últimos 12 meses completos",
	"UA_RATIO_INCOME_VARIATION":     "Desviación típica de los ingresos mensuales dividida por su media",
	"UA_RATIO_RECURRING_INCOME":     "Facturas recurrentes y pagos de préstamos y tarjetas divididos por los ingresos",
	"UA_RATIO_SAVINGS_INFLOW":       "Transferencias a ahorros, inversiones o jubilación divididas por los abonos, sin transferencias propias",
	"UA_RATIO_TOPSTREAM_INCOME":     "Mayor fuente recurrente de ingresos dividida por todos los ingresos",
	"UA_TOTAL_ACTIVEDAYS_CNT":       "Días con al menos un movimiento",
	"UA_TOTAL_OLDEST_REC":           "Días desde el movimiento más antiguo",
	"UA_TOTAL_TRANSFER_SUM":         "Volumen bruto de transferencias entre cuentas propias",
	"UA_TOTAL_TXN_CNT":              "Número de movimientos contabilizados",
	"UA_TOTAL_TXN_REC":              "Días desde el último movimiento",
	"UA_TOTAL_TXN_SCNT":             "Movimientos por cada 30 días del historial obtenido",

	"AV_ASSETS_TOTAL_BALANCE_CUR":    "Suma de los saldos actuales",
	"AV_ASSETS_CHECKING_BALANCE_CUR": "Suma de los saldos actuales de las cuentas corrientes",
	"AV_ASSETS_SAVINGS_BALANCE_CUR":  "Suma de los saldos actuales de las cuentas de ahorro",
	"AV_ASSETS_SAVINGS_PRESENT_CUR":  "1 si hay una cuenta de ahorro; si no, 0",
	"AV_ASSETS_TOTAL_AVG":            "Saldo total medio al cierre del día",
	"AV_ASSETS_SAVINGS_AVG":          "Saldo medio al cierre del día de las cuentas de ahorro",
	"AV_ASSETS_NEGATIVE_DAYS":        "Días en que al menos una cuenta cerró por debajo de 0",
	"AV_INCOME_TOTAL_AVG":            "Ingresos mensuales medios",
	"AV_INCOME_TOTAL_SUM":            "Ingresos",
	"AV_INCOME_PAYROLL_SUM":          "Abonos de nómina",
	"AV_INCOME_PAYROLL_PRESENT":      "1 si hay un abono de nómina; si no, 0",
	"AV_INCOME_BENEFIT_SUM":          "Abonos de beneficios públicos y jubilación",
	"AV_INCOME_TOTAL_REC":            "Días desde el último ingreso",
	"AV_EXPENSES_TOTAL_AVG":          "Cargos mensuales medios",
	"AV_EXPENSES_HOUSING_AVG":        "Pago medio mensual de alquiler e hipoteca",
	"AV_EXPENSES_LOANPMT_SUM":        "Pagos de préstamos",
	"AV_EXPENSES_NSFOD_CNT":          "Cargos por fondos insuficientes y sobregiro",
	"AV_EXPENSES_NSFOD_PRESENT":      "1 si hay un cargo por fondos insuficientes o sobregiro; si no, 0",
	"AV_RATIO_EXPENSES_INFLOW":       "Cargos divididos por abonos, con transferencias entre cuentas propias",
	"AV_RATIO_HOUSING_INCOME":        "Pagos de alquiler e hipoteca divididos por los ingresos",
	"AV_RATIO_DEBTPMT_INCOME":        "Pagos de préstamos, tarjetas y adelantos divididos por los ingresos",
	"AV_TOTALS_TRANSACTION_CNT_ALL":  "Número de movimientos contabilizados, todo el historial",
	"AV_TOTALS_NET_SUM_ALL":          "Abonos menos cargos en dólares enteros, todo el historial",
	"AV_TOTALS_NET_MONTHS":           "Meses con flujo neto positivo menos meses con flujo negativo",
}

// spanishWindows lists the windows at the end of an attribute's name.
var spanishWindows = []struct{ suffix, words string }{
	{"_1M", "último mes completo"},
	{"_3M", "últimos 3 meses completos"},
	{"_6M", "últimos 6 meses completos"},
	{"_12M", "últimos 12 meses completos"},
	{"_12R", "12 meses móviles hasta el día anterior a la obtención"},
}

// spanishScoreLines holds the Spanish descriptions of lines of score v2.1 whose figures are
// not attributes of the report.
var spanishScoreLines = map[string]string{
	"Mean end-of-day balance of own money, last 3 complete months": "Media del saldo de dinero propio al cierre " +
		"del día, últimos 3 meses completos",
	"Lowest end-of-day balance of own money, last 3 complete months": "Saldo más bajo de dinero propio al cierre " +
		"del día, últimos 3 meses completos",
	"Days on which own money of all accounts ended below 0, last 3 complete months": "Días en que el dinero propio de todas las cuentas " +
		"terminó por debajo de 0, últimos 3 meses completos",
	"NSF and overdraft fee events, reversed fees included, last 12 complete months": "Cargos por fondos insuficientes o sobregiro, también " +
		"los devueltos, últimos 12 meses completos",
	"Number of months with at least $200 of income, last 12 complete months": "Número de meses con al menos $200 de " +
		"ingresos, últimos 12 meses completos",
	"Average monthly income that counts beside its variation, last 12 complete months": "Ingreso mensual medio que cuenta junto a su " +
		"variación, últimos 12 meses completos",
	"Standard deviation divided by mean of the monthly income that counts, last 12 complete months": "Desviación estándar dividida entre " +
		"el promedio del ingreso mensual que cuenta, últimos 12 meses completos",
	"Debits divided by credits, without own transfers, borrowed money, refunds and reversals, last 3 complete months": "Débitos " +
		"divididos entre créditos, sin transferencias propias, dinero prestado, reembolsos ni devoluciones, últimos 3 meses completos",
	"Number of months with more external credits than debits, last 12 complete months": "Número de meses con más créditos externos que " +
		"débitos, últimos 12 meses completos",
	"Loan, card and advance payments divided by income of at least $200 a month, last 3 complete months": "Pagos de préstamos, tarjetas " +
		"y anticipos divididos entre ingresos de al menos $200 al mes, últimos 3 meses completos",
	"Transfers to savings and investments outside the report divided by debits, last 12 complete months": "Transferencias a ahorros e " +
		"inversiones fuera del informe divididas entre débitos, últimos 12 meses completos",
	"Number of payday-loan, earned-wage or cash-advance credits, last 6 complete months": "Número de préstamos de día de pago o anticipos " +
		"recibidos, últimos 6 meses completos",
	"Days since the oldest purchase, bill or other spending": "Días desde la compra, factura u " +
		"otro gasto más antiguo",
}

// AttributeWords describes an attribute in the reader's language: the Spanish description
// if known, otherwise the report's. It returns the language of the text.
func AttributeWords(l i18n.Lang, name, description string) (string, i18n.Lang) {
	if l != i18n.Spanish {
		return description, i18n.English
	}
	if s, ok := spanishScoreLines[description]; ok {
		return s, i18n.Spanish
	}
	if s, ok := spanishAttributes[name]; ok {
		return s, i18n.Spanish
	}
	for _, w := range spanishWindows {
		if stem, ok := strings.CutSuffix(name, w.suffix); ok {
			if s, ok := spanishAttributes[stem]; ok {
				return s + ", " + w.words, i18n.Spanish
			}
		}
	}
	return description, i18n.English
}

// attributeWords is AttributeWords with limits and units in the currency.
func (cur currency) attributeWords(l i18n.Lang, name, description string) (string, i18n.Lang) {
	words, lang := AttributeWords(l, name, description)
	return cur.inText(words), lang
}

// CategoryWords returns the name of a category; an unknown code is returned unchanged.
func CategoryWords(l i18n.Lang, code string) string { return i18n.Code(l, "review.categories", code) }

// GroupWords returns the name of a category group; an unknown code is returned unchanged.
func GroupWords(l i18n.Lang, code string) string { return i18n.Code(l, "review.category_groups", code) }

// ReasonWords describes an adverse action code: the report's description, or Spanish words
// for codes with the meaning that the embedded provider gives them.
func ReasonWords(l i18n.Lang, code, description string) string {
	if description == "" || description == i18n.Code(i18n.English, "review.reasons", code) {
		if text, ok := i18n.Find(l, "review.reasons", code); ok {
			return text
		}
	}
	return description
}
