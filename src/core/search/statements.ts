import type { CoreContext } from "../context.js";
import { createTeller, type StatedTurn } from "../memories/told-turns.js";
import type { UnitDetail, UnreadTurn } from "../ports.js";
import type { RankedUnit } from "./rank.js";
import { shownSimilarity } from "./retrieve.js";
import type { SearchScope } from "./search-scope.js";
import type { Unit } from "../types.js";

/** At or above this share of a turn, a fact that quotes it says all of it. */
const WHOLE = 0.8;

/**
 * For searches that want only memories: memories, and turns of conversations told as memories, best first. Passages that cannot
 * be told that way are left out.
 * @returns at most `limit`, and for each unit what its turn is told as
 */
export async function tellTurns(
  context: CoreContext,
  { organizationId, scope }: Pick<SearchScope, "organizationId" | "scope">,
  found: readonly RankedUnit[],
  { limit, threshold = 0 }: { readonly limit: number; readonly threshold?: number },
): Promise<{ readonly ranked: readonly RankedUnit[]; readonly statements: ReadonlyMap<Unit, StatedTurn> }> {
  const tell = createTeller(context);
  // A turn that a memory repeats is not told, whether or not the threshold leaves that memory out.
  const quotes = quotesOf(found);
  const ranked = found.filter(({ similarity }) => shownSimilarity(similarity) >= threshold);
  const statements = new Map<Unit, StatedTurn>();
  const told: RankedUnit[] = [];
  for (let from = 0; from < ranked.length && told.length < limit; from += 2 * limit) {
    const some = ranked.slice(from, from + 2 * limit);
    const turns = await turnsAmong(context, organizationId, some);
    for (const one of some) {
      if (told.length === limit) break;
      const statement = await statementOf(one.detail, turns.get(one.detail.id));
      if (statement) statements.set(one.unit, statement);
      if (statement || one.detail.memory) told.push(one);
    }
  }
  return { ranked: told, statements };

  async function statementOf({ text, passage }: UnitDetail, turn: UnreadTurn | undefined): Promise<StatedTurn | null> {
    const container = turn?.containers.find(({ id }) => scope.containerIds.includes(id));
    const statement = turn && container ? await tell(turn, container, passage?.current ?? text) : null;
    return statement && !isQuoted(statement, quotes.get(statement.turn.source.id) ?? []) ? statement : null;
  }
}

async function turnsAmong(
  { store }: CoreContext,
  organizationId: string,
  ranked: readonly RankedUnit[],
): Promise<ReadonlyMap<string, UnreadTurn>> {
  const spoken = ranked.filter(({ detail }) => detail.chunk?.metadata?.speakers !== undefined);
  const turns = await store.turns.ofUnits(
    organizationId,
    spoken.map(({ unit }) => unit),
  );
  return new Map(turns.map((turn) => [turn.chunk.id, turn]));
}

/** What the found memories quote, by document. */
function quotesOf(ranked: readonly RankedUnit[]): ReadonlyMap<string, readonly string[]> {
  const quotes = new Map<string, string[]>();
  for (const { detail } of ranked)
    for (const { documentId, text } of detail.memory?.quotes ?? []) {
      const known = quotes.get(documentId);
      if (known) known.push(text);
      else quotes.set(documentId, [text]);
    }
  return quotes;
}

function isQuoted({ said }: StatedTurn, quotes: readonly string[]): boolean {
  return quotes.some((quote) => quote.length >= WHOLE * said.length && said.includes(quote.trim()));
}
