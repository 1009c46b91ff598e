import * as z from "zod";

/** Extension: documents in which search still finds what was forgotten. */
export const statedIn = z.array(z.object({ id: z.string().length(22), title: z.string().nullable() }));
