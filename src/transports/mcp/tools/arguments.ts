import * as z from "zod";

/** The isolation boundary; the core checks the same rule again, for every transport. */
export const containerTag = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-zA-Z0-9_:.-]+$/, "must contain only letters, digits, hyphens, underscores, colons and dots")
  .optional()
  .describe("Project or person; else the default one");

/** An id, or a document's customId. */
export const anyId = z.string().min(1).max(255);

export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
