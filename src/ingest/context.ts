import type { CoreContext } from "../core/context.js";
import type { FactExtractor } from "../core/ports.js";

/** What the steps of ingestion may use. */
export interface IngestContext extends CoreContext {
  readonly factExtractor: FactExtractor;
}
