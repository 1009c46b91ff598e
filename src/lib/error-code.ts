/** What Node.js or a library calls a failure, such as `ENOENT`; undefined where it says nothing. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Whether a write failed for want of room, on the disk or in the share that its user has of it. */
export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
