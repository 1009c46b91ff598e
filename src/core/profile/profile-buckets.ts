import * as z from "zod";
import { noteSchema } from "../input.js";

/** Sections of every profile; a bucket of this name could not be distinguished from them. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(["static", "dynamic"]);
const MAX_BUCKETS = 50;

const bucketSchema = z.object({
  key: z
    .string("must be a string")
    .min(1, { error: "must not be empty", abort: true })
    .max(64, "must have at most 64 characters")
    .regex(
      /^[a-z0-9][a-z0-9_-]*$/,
      "must contain only lower-case letters, digits, underscores and hyphens, and begin with a letter or digit",
    )
    .refine((key) => !RESERVED_KEYS.has(key), "must not be static or dynamic, which every profile has"),
  description: noteSchema(2_000).default(""),
});

/** A list of profile buckets, which replaces the one before it (contract 5.2). */
export const profileBucketsSchema = z
  .array(bucketSchema, "must be an array of buckets")
  .max(MAX_BUCKETS, `must have at most ${MAX_BUCKETS} entries`)
  .superRefine((buckets, context) => {
    const seen = new Set<string>();
    for (const [index, { key }] of buckets.entries()) {
      if (seen.has(key))
        context.addIssue({ code: "custom", path: [index, "key"], message: `repeats ${key}; every key may occur once` });
      seen.add(key);
    }
  });
