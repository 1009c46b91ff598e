import { truncate } from "../../lib/truncate.js";
import { maySee } from "../auth.js";
import type { Repositories } from "../ports.js";
import type { Actor, Memory, RememberedFact } from "../types.js";
import { isActive } from "./find-memory.js";
import { documentsStating, type StatingDocument } from "./still-stated.js";

/** A fact of a receipt, with what its author may want to correct. */
export interface ExplainedFact extends RememberedFact {
  /** Other documents whose text still states the memory it replaced; empty or absent for none. */
  readonly statedIn?: readonly StatingDocument[];
  /** Memories that say nearly the same as a new one, which it may be meant to replace; nearest first, up to two. */
  readonly near?: readonly NearMemory[];
}

export interface NearMemory {
  readonly id: string;
  /** Its beginning, up to 120 characters. */
  readonly text: string;
}

const LONGEST_TEXT = 120;

interface Reader {
  readonly repositories: Pick<Repositories, "documents" | "memories">;
  readonly actor: Actor;
  readonly now: Date;
}

/** Reads what the facts of a document affect, as it is now and as far as the actor may see it. */
export async function explainFacts(
  { repositories, actor, now }: Reader,
  documentId: string,
  facts: readonly RememberedFact[],
): Promise<ExplainedFact[]> {
  const ids = facts.flatMap(({ replaced, closeTo = [] }) => [
    ...(replaced === undefined ? [] : [replaced]),
    ...closeTo,
  ]);
  const found = ids.length > 0 ? await repositories.memories.byIds(actor.organizationId, [...new Set(ids)]) : [];
  const byId = new Map(found.filter((memory) => maySee(actor, [memory.containerTag])).map((one) => [one.id, one]));
  const stating = async (memory: Memory | undefined) =>
    memory ? (await documentsStating(repositories, actor, [memory])).filter(({ id }) => id !== documentId) : [];
  const explained: ExplainedFact[] = [];
  for (const { closeTo = [], ...fact } of facts) {
    const statedIn = fact.replaced === undefined ? [] : await stating(byId.get(fact.replaced));
    const near = closeTo.flatMap((id) => byId.get(id) ?? []).filter((memory) => isActive(memory, now));
    explained.push({
      ...fact,
      ...(statedIn.length > 0 && { statedIn }),
      ...(near.length > 0 && { near: near.map(({ id, text }) => ({ id, text: truncate(text, LONGEST_TEXT) })) }),
    });
  }
  return explained;
}
