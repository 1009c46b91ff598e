import type { CoreContext } from "../core/context.js";
import type { FactExtractor } from "../core/ports.js";
import type { GroupExtractor } from "./extract-group.js";
import type { Sight } from "./sight.js";

/** What the steps of ingestion may use. */
export interface IngestContext extends CoreContext {
  readonly factExtractor: FactExtractor;
  /** Reads short texts together; absent without a language model. */
  readonly extractTogether?: GroupExtractor;
  /** Describes pictures; absent when no language model may see them. */
  readonly sight?: Sight | undefined;
}
