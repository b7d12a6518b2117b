// Submits the form that returns to the customer; without script its button does.
(document.getElementById("return") as HTMLFormElement).requestSubmit();
