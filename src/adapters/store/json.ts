/** A value as JSON for a column; null stays null. */
export function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Reads a column that only this store writes, so its shape is known. */
export function fromJson<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** A list as one parameter, read with `json_each`, because the number of parameters is limited. */
export function listParameter(values: readonly (string | number)[]): string {
  return JSON.stringify(values);
}
