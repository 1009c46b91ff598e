import * as z from "zod";
import { dateSchema, noteSchema } from "../input.js";

/** When a memory was written, and when its events happened (contract 4.1); stored in its metadata. */
export const temporalContextSchema = z.object(
  {
    documentDate: dateSchema.nullish(),
    /** Usually ISO dates; stored as sent. */
    eventDate: z
      .array(noteSchema(100), "must be an array of strings")
      .max(100, "must have at most 100 entries")
      .nullish(),
  },
  "must be an object",
);
