// Made from the tables of internal/portal/embedkit; go generate writes it anew.

export const properties: readonly string[] = ["token", "mode", "height", "label"];
export const framed: readonly string[] = ["step", "success", "exit", "error", "state", "complete"];
