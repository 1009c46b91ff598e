/** The documents in a body: the body itself, with the fields it has for one or for all, and each one of a batch. */
export function documentsIn(body: unknown): readonly unknown[] {
  const { documents } = Object(body) as { documents?: unknown };
  return [body, ...(Array.isArray(documents) ? (documents as unknown[]) : [])];
}
