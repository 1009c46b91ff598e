import type { Turn } from "../core/types.js";

/** What the parsers of both notations return: turns, and the text around them. */
export interface FoundConversation {
  readonly turns: readonly Turn[];
  readonly date: string | null;
  readonly before: string;
  readonly after: string;
}
