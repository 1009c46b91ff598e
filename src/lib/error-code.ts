/** The error code of Node.js or a library, such as `ENOENT`; undefined if there is none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Whether a write failed because the disk, or the user's quota on it, is full. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
