// fold matches the server's folding: lower case, without accents.
export function fold(s: string): string {
	return s.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}
