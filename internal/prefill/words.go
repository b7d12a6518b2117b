package prefill

import "vestibule/internal/contract"

// missingWords returns the text for a missing value. orDOB mentions that a date of
// birth can replace the address, and vice versa.
func missingWords(i int, orDOB bool) contract.Words {
	switch i {
	case firstName:
		return contract.Words{EN: "Enter your first name.", ES: "Escriba su nombre."}
	case lastName:
		return contract.Words{EN: "Enter your last name.", ES: "Escriba su apellido."}
	case email:
		return contract.Words{EN: "Enter your e-mail address.", ES: "Escriba su correo electrónico."}
	case dob:
		if orDOB {
			return contract.Words{
				EN: "Enter your date of birth, or your full address.",
				ES: "Escriba su fecha de nacimiento o su dirección completa."}
		}
		return contract.Words{EN: "Enter your date of birth.", ES: "Escriba su fecha de nacimiento."}
	case address:
		return contract.Words{
			EN: "Enter your street address, or give your date of birth instead.",
			ES: "Escriba su calle y número, o indique su fecha de nacimiento."}
	case city:
		return contract.Words{
			EN: "Enter your city, or give your date of birth instead.",
			ES: "Escriba su ciudad, o indique su fecha de nacimiento."}
	case state:
		if orDOB {
			return contract.Words{
				EN: "Choose your state, or give your date of birth instead.",
				ES: "Elija su estado, o indique su fecha de nacimiento."}
		}
		return contract.Words{EN: "Choose your state.", ES: "Elija su estado."}
	case zip:
		return contract.Words{
			EN: "Enter your ZIP code, or give your date of birth instead.",
			ES: "Escriba su código postal, o indique su fecha de nacimiento."}
	}
	return contract.Words{EN: "Enter the name of at least one employer.", ES: "Escriba el nombre de al menos un empleador."}
}

// words returns the text for an invalid value.
func words(i int, wrong fault) contract.Words {
	switch i {
	case firstName:
		if wrong == tooLong {
			return contract.Words{
				EN: "Shorten your first name to less than 255 characters.",
				ES: "Acorte su nombre a menos de 255 caracteres."}
		}
		return contract.Words{
			EN: "Use only letters, spaces, dots, apostrophes and dashes in your first name.",
			ES: "Use solo letras, espacios, puntos, apóstrofos y guiones en su nombre."}
	case lastName:
		if wrong == tooLong {
			return contract.Words{
				EN: "Shorten your last name to less than 255 characters.",
				ES: "Acorte su apellido a menos de 255 caracteres."}
		}
		return contract.Words{
			EN: "Use only letters, spaces, dots, apostrophes and dashes in your last name.",
			ES: "Use solo letras, espacios, puntos, apóstrofos y guiones en su apellido."}
	case email:
		if wrong == tooLong {
			return contract.Words{
				EN: "Enter an e-mail address of at most 100 characters.",
				ES: "Escriba un correo electrónico de 100 caracteres como máximo."}
		}
		return contract.Words{
			EN: "Enter an e-mail address such as name@example.com.",
			ES: "Escriba un correo electrónico como nombre@example.com."}
	case dob:
		switch wrong {
		case tooYoung:
			return contract.Words{
				EN: "Check the year: you must be at least one year old.",
				ES: "Revise el año: debe tener al menos un año de edad."}
		case tooOld:
			return contract.Words{
				EN: "Check the year: you cannot be older than 110.",
				ES: "Revise el año: no puede tener más de 110 años."}
		}
		return contract.Words{
			EN: "Enter a date of birth that exists, with month, day and a year of four digits.",
			ES: "Escriba una fecha de nacimiento que exista, con mes, día y un año de cuatro cifras."}
	case phone:
		return contract.Words{
			EN: "Shorten your phone number to at most 255 characters.",
			ES: "Acorte su número de teléfono a 255 caracteres como máximo."}
	case address:
		if wrong == tooLong {
			return contract.Words{
				EN: "Shorten your street address to at most 100 characters.",
				ES: "Acorte su calle y número a 100 caracteres como máximo."}
		}
		return contract.Words{
			EN: "Enter your street and number on one line, such as 12 Main Street.",
			ES: "Escriba su calle y número en una línea, como 12 Main Street."}
	case city:
		if wrong == tooLong {
			return contract.Words{
				EN: "Shorten the name of your city to at most 100 characters.",
				ES: "Acorte el nombre de su ciudad a 100 caracteres como máximo."}
		}
		return contract.Words{EN: "Enter the name of your city.", ES: "Escriba el nombre de su ciudad."}
	case state:
		return contract.Words{
			EN: "Choose a US state or territory by its two letters, such as CA.",
			ES: "Elija un estado o territorio de EE. UU. por sus dos letras, como CA."}
	case zip:
		return contract.Words{
			EN: "Enter a ZIP code such as 94105 or 94105-1234.",
			ES: "Escriba un código postal como 94105 o 94105-1234."}
	case statedAnnualIncome:
		return contract.Words{
			EN: "Enter your yearly income in whole dollars, from 0 to 2,147,483,647.",
			ES: "Escriba su ingreso anual en dólares enteros, de 0 a 2,147,483,647."}
	case statedEmployerNames:
		if wrong == tooLong {
			return contract.Words{EN: "Enter at most six employers.", ES: "Escriba seis empleadores como máximo."}
		}
		return contract.Words{
			EN: "Enter each employer's name, in at most 255 characters.",
			ES: "Escriba el nombre de cada empleador, en 255 caracteres como máximo."}
	}
	return contract.Words{
		EN: "Enter your employer's name, in at most 255 characters.",
		ES: "Escriba el nombre de su empleador, en 255 caracteres como máximo."}
}
