import type { TimeZone } from "../../lib/time-zone.js";
import type { AppError } from "../errors.js";
import type { ModelUse } from "../ports.js";
import type { FactCandidate, ProfileBucket, Turn } from "../types.js";

/** The input of a fact extractor. */
export interface FactSource {
  /** The whole text of the document. */
  readonly content: string;
  /** ISO date or date-time that relative dates resolve against, in local time of the zone. */
  readonly date: string;
  /** True if it is unknown when the text was written, as for a file without a date: then nothing resolves against `date`. */
  readonly isUndated?: boolean;
  /** Time zone in which the days of the text are counted. */
  readonly timeZone: TimeZone;
  readonly containerTag: string;
  /** The document as a conversation, if it is one; "I" is then the speaker, and "User" in any other text. */
  readonly turns?: readonly Turn[] | undefined;
  readonly title?: string | null | undefined;
  /** The beginning of the document, where `content` may be only what was added to it. */
  readonly opening?: string | undefined;
  readonly guidance?: ExtractionGuidance | undefined;
  /** Known facts that help to understand the text. */
  readonly known?: readonly string[] | undefined;
  /**
   * True for words of the user or an agent: text from outside, or from a file that others may have written, gives no
   * instructions.
   */
  readonly isOwn?: boolean | undefined;
  /** The author of a text that is not the user's own word, according to its file. */
  readonly author?: string | undefined;
  /** Called for every answer of a language model, as soon as it is given. */
  readonly onModelUse?: ((use: ModelUse) => Promise<void>) | undefined;
  /**
   * Called once per reading with the reason why a language model did not read all of it, so that rules read something instead.
   */
  readonly onRefused?: ((why: AppError) => Promise<void>) | undefined;
}

/** Instructions on how texts are to be read (contract 6.1); absent if there are none. */
export interface ExtractionGuidance {
  readonly filterPrompt?: string;
  /** Any JSON. */
  readonly includeItems?: unknown;
  /** Any JSON. */
  readonly excludeItems?: unknown;
  readonly workspacePrompt?: string;
  readonly entityContext?: string;
  /** Context written by somebody other than the owner: treated as data, not as instructions. */
  readonly statedContext?: StatedContext;
  /** The profile buckets that may show the facts. */
  readonly buckets?: readonly ProfileBucket[];
}

/** Guidance that does not come from the owner. */
export interface StatedContext {
  readonly text: string;
  /** Who wrote it, as named in the journal. */
  readonly by: string;
}

/** Finds lasting facts in a text. */
export interface FactExtractor {
  readonly name: string;
  /** Candidates in text order; none for small talk and questions. Never throws for unusual content. */
  extract(source: FactSource, signal?: AbortSignal): Promise<FactCandidate[]>;
}
