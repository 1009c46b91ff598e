import { titleOf } from "../../language/title.js";
import { summarise } from "../../language/summary.js";
import { isStopWord, tokenise } from "../../language/words.js";
import type { CoreContext } from "../context.js";
import type { PassageStatement, Statements } from "../ports.js";
import type { Document, DocumentHead } from "../types.js";
import { askingIn, divide, GAP, isGone, type Asking } from "./passages.js";
import type { SearchScope } from "./search-scope.js";

type Searching = Pick<CoreContext, "store" | "clock">;
type Searched = Pick<SearchScope, "organizationId" | "scope">;

/**
 * Documents as search shows them: titles and summaries omit what has since been forgotten or replaced. When forgotten content
 * is wanted too, all of them stay as they are.
 * @param stated what these documents are known to state
 */
export async function hideOutdatedNames(
  { store, clock }: Searching,
  { organizationId, scope }: Searched,
  heads: readonly DocumentHead[],
  stated: Statements,
): Promise<readonly DocumentHead[]> {
  if (scope.includeForgotten) return heads;
  const asking = askingIn(scope, clock.now());
  const shown: DocumentHead[] = [];
  for (const head of heads) {
    const statements = stated.get(head.id) ?? [];
    const mayTell = tellsOfGone(head, statements, asking);
    const whole = mayTell ? await store.documents.byId(organizationId, head.id) : null;
    shown.push(whole ? { ...head, ...currentNames(whole, statements, asking) } : head);
  }
  return shown;
}

/** The content of a document without what has since been forgotten or replaced; see `hideOutdatedNames`. */
export function hideOutdatedContent(
  { clock }: Pick<Searching, "clock">,
  { scope }: Pick<Searched, "scope">,
  { id, content }: Pick<Document, "id" | "content">,
  stated: Statements,
): string {
  return divide(content, { statements: stated.get(id) ?? [] }, askingIn(scope, clock.now()))?.current ?? content;
}

function tellsOfGone(
  { title, summary }: DocumentHead,
  statements: readonly PassageStatement[],
  asking: Asking,
): boolean {
  const lost = lostWords(statements, asking);
  return [title, summary].some((text) => text !== null && hasAny(text, lost));
}

/** Words found only in statements that no longer hold. */
function lostWords(statements: readonly PassageStatement[], asking: Asking): ReadonlySet<string> {
  const here = statements.filter(({ containerId }) => asking.held.has(containerId));
  const gone = here.filter((statement) => isGone(statement, asking.moment));
  const lost = wordsOf(gone);
  if (lost.size === 0) return lost;
  const past = new Set(gone);
  const quotes = [...new Set(gone.map(({ quote }) => quote))];
  // In a sentence that also states something gone, only a statement's own words count.
  const isShared = ({ quote }: PassageStatement) => quotes.some((one) => one.includes(quote) || quote.includes(one));
  const holding = here.filter((one) => !past.has(one));
  for (const word of wordsOf(holding.map((one) => (isShared(one) ? { ...one, quote: "" } : one)))) lost.delete(word);
  return lost;
}

function wordsOf(statements: readonly PassageStatement[]): Set<string> {
  const words = statements.flatMap(({ text, quote }) => [...tokenise(text), ...tokenise(quote)]);
  return new Set(words.filter((word) => !isStopWord(word)));
}

function hasAny(text: string, words: ReadonlySet<string>): boolean {
  return words.size > 0 && tokenise(text).some((word) => words.has(word));
}

/**
 * Titles and summaries written by a model or a person use other words than the text: where they reveal what is gone, they are
 * replaced by a name made from the remaining text.
 */
function currentNames(
  { title, summary, content }: Document,
  statements: readonly PassageStatement[],
  asking: Asking,
): Pick<DocumentHead, "title" | "summary"> {
  const divided = divide(content, { statements }, asking);
  if (!divided || divided.past === "") return { title, summary };
  const rest = divided.current.replaceAll(GAP, "").trim();
  const lost = new Set(lostWords(statements, asking));
  for (const word of tokenise(rest)) lost.delete(word);
  return {
    title: title !== null && hasAny(title, lost) ? titleOf(rest) : title,
    summary: summary !== null && hasAny(summary, lost) ? summarise(rest) : summary,
  };
}
