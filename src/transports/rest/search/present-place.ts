import * as z from "zod";
import type { ChunkMetadata } from "../../../core/types.js";

/** Extension, only on passages read from a file: their place in it, as far as its format has places. */
export const placeSchema = z.object({
  page: z.number().optional(),
  slide: z.number().optional(),
  sheet: z.string().optional(),
  /** Cells, such as `A2:D40`. */
  range: z.string().optional(),
  entry: z.number().optional(),
  /** Seconds from the start of a recording. */
  time: z.array(z.number()).length(2).optional(),
});

/** A passage's place as a field; no field where it has none. */
export function presentPlace(metadata: ChunkMetadata | null | undefined): { place?: z.infer<typeof placeSchema> } {
  const { page, slide, sheet, range, entry, time } = metadata ?? {};
  const place = {
    ...(page !== undefined && { page }),
    ...(slide !== undefined && { slide }),
    ...(sheet !== undefined && { sheet }),
    ...(range !== undefined && { range }),
    ...(entry !== undefined && { entry }),
    ...(time !== undefined && { time: [...time] }),
  };
  return Object.keys(place).length > 0 ? { place } : {};
}
