/** What a body says of documents: the body itself, with the fields that it has for one or for all, and each of a batch. */
export function documentsIn(body: unknown): readonly unknown[] {
  const { documents } = Object(body) as { documents?: unknown };
  return [body, ...(Array.isArray(documents) ? (documents as unknown[]) : [])];
}
