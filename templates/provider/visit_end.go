package provider

import (
	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// endWords words the outcome and the next step.
func (v Visit) endWords() string {
	words := ""
	switch {
	case v.Unconfigured:
		return v.unconfiguredWords()
	case v.nothingRecent() && v.Way != Abroad:
		return v.say("Your data was shared with "+v.Customer+", but there was nothing recent in it. "+v.Customer+" will tell you if more is needed. There is nothing more to do here.",
			"Sus datos se compartieron con "+v.Customer+", pero no había nada reciente en ellos. "+v.Customer+" le dirá si hace falta algo más. Aquí no queda nada por hacer.")
	case v.Verifies:
		words = v.verifyWords()
	case v.Way == Payroll:
		words = v.payrollWords()
	case v.Way == Stubs:
		words = v.stubWords()
	case v.Way == Abroad:
		words = v.abroadWords()
	case v.Product == contract.Income && v.Way == "":
		words = v.severalWords()
	}
	if words != "" {
		return words
	}
	switch v.End {
	case "success":
		if v.Status == contract.StatusSuccess {
			return v.say("Your bank data was shared with "+v.Customer+". There is nothing more to do here.",
				"Sus datos bancarios se compartieron con "+v.Customer+". Aquí no queda nada por hacer.")
		}
		return v.say("You did everything right, but a report could not be made from this bank's data. "+v.Customer+" will tell you how to go on.",
			"Usted hizo todo bien, pero no se pudo preparar un informe con los datos de este banco. "+v.Customer+" le dirá cómo continuar.")
	case "exit":
		return v.say("Nothing was shared.", "No se compartió nada.")
	}
	switch {
	case v.Status == contract.StatusExpired:
		return v.say("It waited too long to be finished, and nothing was shared. Ask "+v.Customer+" for a new one.",
			"Esperó demasiado tiempo sin terminarse y no se compartió nada. Pida una nueva a "+v.Customer+".")
	case v.Substatus == contract.SubMFARequired:
		return v.say("The one-time code was not confirmed, so your bank did not let us in. Please start again and have your phone at hand.",
			"El código de un solo uso no se confirmó y su banco no nos dejó entrar. Empiece de nuevo con el teléfono a mano.")
	case v.Substatus == contract.SubIncompatibleAccounts:
		return v.say("This sign-in has no checking or savings account, and only those can be used. Please start again with another bank.",
			"Con este usuario no hay cuentas corrientes ni de ahorro, y solo esas sirven. Empiece de nuevo con otro banco.")
	case v.Substatus == contract.SubEBankingNotSupported:
		return v.say("This bank does not offer online access to account data. Please start again with another bank.",
			"Este banco no ofrece acceso en línea a los datos de la cuenta. Empiece de nuevo con otro banco.")
	case v.Status == contract.StatusNotAuthenticated:
		return v.say("The sign-in failed three times. To protect your account we stopped here. Check your user name and password with your bank, then start again.",
			"El inicio de sesión falló tres veces. Para proteger su cuenta nos detuvimos aquí. Compruebe su usuario y contraseña con el banco y empiece de nuevo.")
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return v.say("Your bank is not answering at the moment. Please try again later, or choose another bank.",
			"Su banco no responde en este momento. Inténtelo más tarde o elija otro banco.")
	}
	return v.Error.Info().Applicant.In(v.Lang)
}

// payrollWords are those of endWords that are others for a payroll provider; empty
// where they are not.
func (v Visit) payrollWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return v.say("Your employment and pay data was shared with "+v.Customer+". There is nothing more to do here.",
			"Los datos de su empleo y su sueldo se compartieron con "+v.Customer+". Aquí no queda nada por hacer.")
	case v.End == "success":
		return v.say("You did everything right, but a report could not be made from this provider's data. "+v.Customer+" will tell you how to go on.",
			"Usted hizo todo bien, pero no se pudo preparar un informe con los datos de este proveedor. "+v.Customer+" le dirá cómo continuar.")
	case v.Substatus == contract.SubWidgetSessionExpired:
		return v.say("Your session there ended before we were done, and nothing was shared. Please start again, and sign in once more.",
			"Su sesión terminó antes de que acabáramos y no se compartió nada. Empiece de nuevo e inicie sesión otra vez.")
	case v.Substatus == contract.SubMFARequired:
		return v.say("The one-time code was not confirmed, so the provider did not let us in. Please start again and have your phone at hand.",
			"El código de un solo uso no se confirmó y el proveedor no nos dejó entrar. Empiece de nuevo con el teléfono a mano.")
	case v.Status == contract.StatusNotAuthenticated:
		return v.say("The sign-in failed three times. To protect your account we stopped here. Check your user name and password, then start again.",
			"El inicio de sesión falló tres veces. Para proteger su cuenta nos detuvimos aquí. Compruebe su usuario y contraseña y empiece de nuevo.")
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return v.say("The provider is not answering at the moment. Please try again later, or show your income another way.",
			"El proveedor no responde en este momento. Inténtelo más tarde o muestre sus ingresos de otra forma.")
	}
	return ""
}

// severalWords are likewise those for several sources.
func (v Visit) severalWords() string {
	switch {
	case len(v.Connected) < 2 || v.End != "success":
		return ""
	case v.Status == contract.StatusSuccess:
		return v.say("The data of your income was shared with "+v.Customer+". There is nothing more to do here.",
			"Los datos de sus ingresos se compartieron con "+v.Customer+". Aquí no queda nada por hacer.")
	}
	return v.say("You did everything right, but a report could not be made from this data. "+v.Customer+" will tell you how to go on.",
		"Usted hizo todo bien, pero no se pudo preparar un informe con estos datos. "+v.Customer+" le dirá cómo continuar.")
}

// stubWords are likewise those for pay stubs.
func (v Visit) stubWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return v.say("Your pay stubs were shared with "+v.Customer+". There is nothing more to do here.",
			"Sus nóminas se compartieron con "+v.Customer+". Aquí no queda nada por hacer.")
	case v.End == "success" && v.Status == contract.StatusBureauUnresponsive:
		return v.say("Your files arrived, but they could not be read at the moment. "+v.Customer+" will tell you how to go on.",
			"Sus archivos llegaron, pero en este momento no se pudieron leer. "+v.Customer+" le dirá cómo continuar.")
	case v.End == "success" && v.Substatus == contract.SubIncomplete:
		return v.say("Your files arrived. An image of a pay stub is not read by itself: the PDF file that your employer gives you would be. "+v.Customer+" has the files and will tell you what to do next.",
			"Sus archivos llegaron. La imagen de un talón de pago no se lee automáticamente; el archivo PDF que le da su empresa, sí. "+v.Customer+" tiene los archivos y le dirá qué hacer ahora.")
	case v.End == "success":
		return v.say("Your files arrived, but no pay stub could be read in them. "+v.Customer+" will tell you how to go on.",
			"Sus archivos llegaron, pero no se pudo leer ninguna nómina en ellos. "+v.Customer+" le dirá cómo continuar.")
	}
	return ""
}

// nothingRecent reports whether a report was made from data without anything recent.
func (v Visit) nothingRecent() bool {
	return v.End == "success" && v.Status == contract.StatusSuccess && v.Substatus == contract.SubNoRecentInformation
}

func (v Visit) endTone() ui.Tone {
	switch {
	case v.nothingRecent():
		return ui.Warning
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return ui.Success
	case v.End == "error":
		return ui.Danger
	case v.End == "success":
		return ui.Warning
	}
	return ui.Info
}
