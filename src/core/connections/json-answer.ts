import type * as z from "zod";
import { AppError } from "../errors.js";
import type { SourceAnswer } from "../ports.js";

/** The JSON of an answer; null if it is not JSON. */
export function jsonOf({ bytes }: Pick<SourceAnswer, "bytes">): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}

/** The JSON of an answer, validated by a schema. @throws AppError `unavailable` with a sentence for whoever waits for it */
export function parseAnswer<T>(answer: SourceAnswer, schema: z.ZodType<T>, whose: string): T {
  const read = schema.safeParse(jsonOf(answer));
  if (read.success) return read.data;
  throw new AppError("unavailable", `${whose} returned an answer that cannot be read (status ${answer.status}).`, {
    cause: read.error,
  });
}
