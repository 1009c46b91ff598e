import type { TimeZone } from "../../lib/time-zone.js";
import type { AppError } from "../errors.js";
import type { ModelUse } from "../ports.js";
import type { FactCandidate, ProfileBucket, Turn } from "../types.js";

/** What an extractor of facts is given. */
export interface FactSource {
  /** The whole text of the document. */
  readonly content: string;
  /** ISO date or date-time that relative dates resolve against, as somebody in the time zone writes it. */
  readonly date: string;
  /** True where nobody knows when the text was written, as of a file without a date: nothing resolves against `date` then. */
  readonly isUndated?: boolean;
  /** Where the days of the text are counted. */
  readonly timeZone: TimeZone;
  readonly containerTag: string;
  /** The document as a conversation, when it is one; "I" is then the speaker, and "User" in any other text. */
  readonly turns?: readonly Turn[] | undefined;
  readonly title?: string | null | undefined;
  /** The beginning of the document, where `content` may be only what was added to it. */
  readonly opening?: string | undefined;
  readonly guidance?: ExtractionGuidance | undefined;
  /** What is known already and helps to understand the text. */
  readonly known?: readonly string[] | undefined;
  /** True for words of the user or an agent: what comes from outside, or was read from a file that others may have written, gives no instructions. */
  readonly isOwn?: boolean | undefined;
  /** Who wrote a text that is nobody's own word, as its file says. */
  readonly author?: string | undefined;
  /** Told of every answer of a language model, as soon as it was given. */
  readonly onModelUse?: ((use: ModelUse) => Promise<void>) | undefined;
  /** Told once a reading of why a language model did not read all of it, so that rules have read something in its place. */
  readonly onRefused?: ((why: AppError) => Promise<void>) | undefined;
}

/** What people said about how texts are to be read (contract 6.1); absent where nobody said anything. */
export interface ExtractionGuidance {
  readonly filterPrompt?: string;
  /** Any JSON. */
  readonly includeItems?: unknown;
  /** Any JSON. */
  readonly excludeItems?: unknown;
  readonly workspacePrompt?: string;
  readonly entityContext?: string;
  /** What somebody else than the owner wrote in its place: data, and nobody's wish. */
  readonly statedContext?: StatedContext;
  /** Which buckets a profile has that will show the facts. */
  readonly buckets?: readonly ProfileBucket[];
}

/** Guidance that is not the owner's. */
export interface StatedContext {
  readonly text: string;
  /** Who wrote it, as the journal names them. */
  readonly by: string;
}

/** Finds lasting facts in a text. */
export interface FactExtractor {
  readonly name: string;
  /** Candidates in the order of the text; none for small talk and questions. Never throws for odd content. */
  extract(source: FactSource, signal?: AbortSignal): Promise<FactCandidate[]>;
}
