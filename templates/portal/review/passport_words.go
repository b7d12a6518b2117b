package review

import "vestibule/internal/contract"

var (
	reportPassportTitle = contract.Words{EN: "Credit passport", ES: "Pasaporte crediticio"}
	askCredit           = contract.Words{EN: "The credit", ES: "El crédito"}
	passportScore       = contract.Words{EN: "Score abroad", ES: "Puntuación extranjera"}
	passportScores      = contract.Words{EN: "Scores", ES: "Puntuaciones"}
	passportScaleIs     = contract.Words{EN: "On the bureau's own scale; higher is better.", ES: "En la escala propia del buró; cuanto más alta, mejor."}
	passportTotals      = contract.Words{EN: "Open credit in all", ES: "Crédito abierto en total"}
	passportOpenCredit  = contract.Words{EN: "Sums over credit that is not closed", ES: "Sumas del crédito que no está cerrado"}
	passportTradelines  = contract.Words{EN: "Credits", ES: "Créditos"}
	passportHistory     = contract.Words{EN: "How each month was paid", ES: "Cómo se pagó cada mes"}
	passportLegend      = contract.Words{EN: "✓ on time · 1 to 120: days late, at least · ✕ charged off · a dot: no data. The latest month comes last.", ES: "✓ a tiempo · de 1 a 120: días de retraso, al menos · ✕ castigado · un punto: sin datos. El último mes va al final."}
	passportAtRate      = contract.Words{EN: "at the report's rate.", ES: "al cambio del informe."}
	passportNoRate      = contract.Words{EN: "No rate for US dollars is known.", ES: "No se conoce el cambio a dólares."}
	passportRate        = contract.Words{EN: "Rate", ES: "Cambio"}
	passportRateDay     = contract.Words{EN: "Quoted for", ES: "Cotizado para"}
	passportRateBy      = contract.Words{EN: "Quoted by", ES: "Cotizado por"}
	passportCollections = contract.Words{EN: "Collections", ES: "Cobranzas"}
	passportRecords     = contract.Words{EN: "Public records", ES: "Registros públicos"}
	passportReturned    = contract.Words{EN: "Returned payments", ES: "Pagos devueltos"}
	passportDisputes    = contract.Words{EN: "Disputes", ES: "Disputas"}
	passportInquiries   = contract.Words{EN: "Inquiries", ES: "Consultas"}
	passportAddresses   = contract.Words{EN: "Addresses", ES: "Direcciones"}
	passportIncomes     = contract.Words{EN: "Other income", ES: "Otros ingresos"}
	passportIdentifiers = contract.Words{EN: "Numbers by authorities", ES: "Números oficiales"}
	passportDocuments   = contract.Words{EN: "Identity documents that were read", ES: "Documentos de identidad leídos"}
	passportMiddle      = contract.Words{EN: "Middle name", ES: "Segundo nombre"}
	passportLatin       = contract.Words{EN: "In Latin letters", ES: "En letras latinas"}
	passportOther       = contract.Words{EN: "Other names", ES: "Otros nombres"}
	passportDeceased    = contract.Words{EN: "Deceased", ES: "Fallecido"}
	passportDeath       = contract.Words{EN: "Date of death", ES: "Fecha de fallecimiento"}
	passportCountry     = contract.Words{EN: "Country", ES: "País"}
	passportIssued      = contract.Words{EN: "Issued", ES: "Expedido"}
	passportExpires     = contract.Words{EN: "Expires", ES: "Vence"}
	passportNoMonth     = contract.Words{EN: "no data", ES: "sin datos"}
	passportAgency      = contract.Words{EN: "Agency", ES: "Agencia"}
	passportCreditor    = contract.Words{EN: "Creditor", ES: "Acreedor"}
	passportSince       = contract.Words{EN: "Since", ES: "Desde"}
	passportOriginal    = contract.Words{EN: "Original amount", ES: "Importe original"}
	passportCourt       = contract.Words{EN: "Court", ES: "Tribunal"}
	passportFiled       = contract.Words{EN: "Filed", ES: "Presentado"}
	passportResolved    = contract.Words{EN: "Resolved", ES: "Resuelto"}
	passportAmount      = contract.Words{EN: "Amount", ES: "Importe"}
	passportWhat        = contract.Words{EN: "What", ES: "Qué"}
	passportInquirer    = contract.Words{EN: "Who asked", ES: "Quién consultó"}
	passportPurpose     = contract.Words{EN: "What for", ES: "Para qué"}
	passportReported    = contract.Words{EN: "Reported", ES: "Informado"}
	passportMonthly     = contract.Words{EN: "A month", ES: "Al mes"}
	passportCurrency    = contract.Words{EN: "Currency", ES: "Moneda"}

	tradeKind    = contract.Words{EN: "Credit", ES: "Crédito"}
	tradeLimit   = contract.Words{EN: "Limit or loan", ES: "Límite o préstamo"}
	tradeBalance = contract.Words{EN: "Owed", ES: "Adeudado"}
	tradePayment = contract.Words{EN: "Payment of a month", ES: "Pago mensual"}
	tradePastDue = contract.Words{EN: "Past due", ES: "Vencido"}
)

// passportWords are the values of the passport's enumerations.
var passportWords = map[string]contract.Words{
	"CREDIT_CARD": {EN: "Credit card", ES: "Tarjeta de crédito"}, "LINE_OF_CREDIT": {EN: "Line of credit", ES: "Línea de crédito"},
	"PERSONAL_LOAN": {EN: "Personal loan", ES: "Préstamo personal"}, "AUTO_LOAN": {EN: "Car loan", ES: "Préstamo de auto"},
	"MORTGAGE": {EN: "Mortgage", ES: "Hipoteca"}, "STUDENT_LOAN": {EN: "Student loan", ES: "Préstamo estudiantil"},
	"RETAIL_CREDIT": {EN: "Store credit", ES: "Crédito de tienda"}, "TELECOM": {EN: "Telephone", ES: "Telefonía"}, "OTHER": {EN: "Other", ES: "Otro"},

	"OPEN": {EN: "open", ES: "abierto"}, "DELINQUENT": {EN: "past due", ES: "vencido"}, "CHARGED_OFF": {EN: "charged off", ES: "castigado"},
	"CLOSED": {EN: "closed", ES: "cerrado"}, "FILED": {EN: "filed", ES: "presentado"}, "RESOLVED": {EN: "resolved", ES: "resuelto"}, "PAID": {EN: "paid", ES: "pagado"},

	"OK": {EN: "on time", ES: "a tiempo"}, "LATE_1_29": {EN: "1 to 29 days late", ES: "de 1 a 29 días tarde"}, "LATE_30_59": {EN: "30 to 59 days late", ES: "de 30 a 59 días tarde"},
	"LATE_60_89": {EN: "60 to 89 days late", ES: "de 60 a 89 días tarde"}, "LATE_90_119": {EN: "90 to 119 days late", ES: "de 90 a 119 días tarde"},
	"LATE_120": {EN: "120 days late or more", ES: "120 días tarde o más"}, "CHARGE_OFF": {EN: "charged off", ES: "castigado"},

	"PASSPORT": {EN: "Passport", ES: "Pasaporte"}, "NATIONAL_ID": {EN: "National id", ES: "Documento nacional"}, "DRIVERS_LICENSE": {EN: "Driver's license", ES: "Licencia de conducir"},
	"TAX_ID": {EN: "Tax number", ES: "Número fiscal"}, "SOCIAL_SECURITY": {EN: "Social security", ES: "Seguridad social"},
	"NEW_CREDIT": {EN: "new credit", ES: "crédito nuevo"}, "ACCOUNT_REVIEW": {EN: "review of an account", ES: "revisión de una cuenta"}, "TENANCY": {EN: "tenancy", ES: "alquiler"},
	"RENTAL": {EN: "Rent", ES: "Alquileres"}, "PENSION": {EN: "Pension", ES: "Pensión"}, "SELF_EMPLOYMENT": {EN: "Own business", ES: "Negocio propio"}, "BENEFIT": {EN: "Benefit", ES: "Prestación"},
	"MONTHLY": {EN: "every month", ES: "cada mes"}, "ANNUAL": {EN: "every year", ES: "cada año"},
	"BANKRUPTCY": {EN: "Bankruptcy", ES: "Quiebra"}, "JUDGMENT": {EN: "Judgment", ES: "Sentencia"}, "TAX_LIEN": {EN: "Tax lien", ES: "Embargo fiscal"},
}
