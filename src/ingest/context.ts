import type { CoreContext } from "../core/context.js";
import type { FactExtractor } from "../core/ports.js";
import type { GroupExtractor } from "./extract-group.js";
import type { Sight } from "./sight.js";

/** What the steps of ingestion may use. */
export interface IngestContext extends CoreContext {
  readonly factExtractor: FactExtractor;
  /** Reads short texts together; absent where no language model does. */
  readonly extractTogether?: GroupExtractor;
  /** Describes pictures; absent where no language model may look at them. */
  readonly sight?: Sight | undefined;
}
