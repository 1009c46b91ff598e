import * as z from "zod";

const errorSchema = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});

/** Why an API of Google refused a request, such as `rateLimitExceeded`; none where the answer does not say. */
export function googleErrorReasons(body: Uint8Array): string[] {
  try {
    const { error } = errorSchema.parse(JSON.parse(Buffer.from(body).toString("utf8")));
    return [...(error.errors ?? []), ...(error.details ?? [])].flatMap(({ reason }) => reason ?? []);
  } catch {
    return [];
  }
}
