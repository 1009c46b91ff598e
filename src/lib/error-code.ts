/** What Node.js or a library calls a failure, such as `ENOENT`; undefined where it says nothing. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
