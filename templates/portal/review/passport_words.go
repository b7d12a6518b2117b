package review

import "vestibule/internal/svc"

var (
	reportPassportTitle = svc.Words{EN: "Credit passport", ES: "Pasaporte crediticio"}
	askCredit           = svc.Words{EN: "The credit", ES: "El crédito"}
	passportScore       = svc.Words{EN: "Score abroad", ES: "Puntuación extranjera"}
	passportScores      = svc.Words{EN: "Scores", ES: "Puntuaciones"}
	passportScaleIs     = svc.Words{EN: "On the bureau's own scale; higher is better.", ES: "En la escala propia del buró; cuanto más alta, mejor."}
	passportTotals      = svc.Words{EN: "Open credit in all", ES: "Crédito abierto en total"}
	passportOpenCredit  = svc.Words{EN: "Sums over credit that is not closed", ES: "Sumas del crédito que no está cerrado"}
	passportTradelines  = svc.Words{EN: "Credits", ES: "Créditos"}
	passportHistory     = svc.Words{EN: "How each month was paid", ES: "Cómo se pagó cada mes"}
	passportLegend      = svc.Words{EN: "✓ on time · 1 to 120: days late, at least · ✕ charged off · a dot: no data. The latest month comes last.", ES: "✓ a tiempo · de 1 a 120: días de retraso, al menos · ✕ castigado · un punto: sin datos. El último mes va al final."}
	passportAtRate      = svc.Words{EN: "at the report's rate.", ES: "al cambio del informe."}
	passportNoRate      = svc.Words{EN: "No rate for US dollars is known.", ES: "No se conoce el cambio a dólares."}
	passportRate        = svc.Words{EN: "Rate", ES: "Cambio"}
	passportRateDay     = svc.Words{EN: "Quoted for", ES: "Cotizado para"}
	passportRateBy      = svc.Words{EN: "Quoted by", ES: "Cotizado por"}
	passportCollections = svc.Words{EN: "Collections", ES: "Cobranzas"}
	passportRecords     = svc.Words{EN: "Public records", ES: "Registros públicos"}
	passportReturned    = svc.Words{EN: "Returned payments", ES: "Pagos devueltos"}
	passportDisputes    = svc.Words{EN: "Disputes", ES: "Disputas"}
	passportInquiries   = svc.Words{EN: "Inquiries", ES: "Consultas"}
	passportAddresses   = svc.Words{EN: "Addresses", ES: "Direcciones"}
	passportIncomes     = svc.Words{EN: "Other income", ES: "Otros ingresos"}
	passportIdentifiers = svc.Words{EN: "Numbers by authorities", ES: "Números oficiales"}
	passportDocuments   = svc.Words{EN: "Identity documents that were read", ES: "Documentos de identidad leídos"}
	passportMiddle      = svc.Words{EN: "Middle name", ES: "Segundo nombre"}
	passportLatin       = svc.Words{EN: "In Latin letters", ES: "En letras latinas"}
	passportOther       = svc.Words{EN: "Other names", ES: "Otros nombres"}
	passportDeceased    = svc.Words{EN: "Deceased", ES: "Fallecido"}
	passportDeath       = svc.Words{EN: "Date of death", ES: "Fecha de fallecimiento"}
	passportCountry     = svc.Words{EN: "Country", ES: "País"}
	passportIssued      = svc.Words{EN: "Issued", ES: "Expedido"}
	passportExpires     = svc.Words{EN: "Expires", ES: "Vence"}
	passportNoMonth     = svc.Words{EN: "no data", ES: "sin datos"}
	passportAgency      = svc.Words{EN: "Agency", ES: "Agencia"}
	passportCreditor    = svc.Words{EN: "Creditor", ES: "Acreedor"}
	passportSince       = svc.Words{EN: "Since", ES: "Desde"}
	passportOriginal    = svc.Words{EN: "Original amount", ES: "Importe original"}
	passportCourt       = svc.Words{EN: "Court", ES: "Tribunal"}
	passportFiled       = svc.Words{EN: "Filed", ES: "Presentado"}
	passportResolved    = svc.Words{EN: "Resolved", ES: "Resuelto"}
	passportAmount      = svc.Words{EN: "Amount", ES: "Importe"}
	passportWhat        = svc.Words{EN: "What", ES: "Qué"}
	passportInquirer    = svc.Words{EN: "Who asked", ES: "Quién consultó"}
	passportPurpose     = svc.Words{EN: "What for", ES: "Para qué"}
	passportReported    = svc.Words{EN: "Reported", ES: "Informado"}
	passportMonthly     = svc.Words{EN: "A month", ES: "Al mes"}
	passportCurrency    = svc.Words{EN: "Currency", ES: "Moneda"}

	tradeKind    = svc.Words{EN: "Credit", ES: "Crédito"}
	tradeLimit   = svc.Words{EN: "Limit or loan", ES: "Límite o préstamo"}
	tradeBalance = svc.Words{EN: "Owed", ES: "Adeudado"}
	tradePayment = svc.Words{EN: "Payment of a month", ES: "Pago mensual"}
	tradePastDue = svc.Words{EN: "Past due", ES: "Vencido"}
)

// passportWords are the values of the passport's enumerations.
var passportWords = map[string]svc.Words{
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
