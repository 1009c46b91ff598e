import type { Turn } from "../core/types.js";

/** What the parsers of the two notations hand over: turns and the text around them. */
export interface FoundConversation {
  readonly turns: readonly Turn[];
  readonly date: string | null;
  readonly before: string;
  readonly after: string;
}
