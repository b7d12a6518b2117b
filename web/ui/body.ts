// bodyOf encodes what a form sends by a button. FormData takes the button only since Chrome 112.
export function bodyOf(form: HTMLFormElement, button?: HTMLElement | null): URLSearchParams {
	const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
	if (button instanceof HTMLButtonElement && button.name) body.append(button.name, button.value);
	return body;
}
