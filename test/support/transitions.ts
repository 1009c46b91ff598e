import type { TransitionCase } from "../fixtures/transitions/case.js";
import type { ManualCore } from "./manual-core.js";

const HOUR = 3_600_000;
const MOST_HOLDING = 50;

/** What came of a case. */
export interface TransitionOutcome {
  /** Statements that hold although they should have ended. */
  readonly missed: readonly string[];
  /** Statements that ended although they should hold. */
  readonly wronglyEnded: readonly string[];
  /** What no memory that holds says, although one should. */
  readonly unsaid: readonly string[];
  /** What memories that hold say, although none should. */
  readonly wronglySaid: readonly string[];
  /** The best answer to the question; null if it is as expected, or nothing was asked. */
  readonly wrongAnswer: string | null;
}

/** Tells the statements of a case one an hour, then the correction, each as a note that a person typed, in a container of its own. */
export async function outcomeOf(opened: ManualCore, tag: string, one: TransitionCase): Promise<TransitionOutcome> {
  const told = new Map<string, readonly string[]>();
  for (const statement of one.before) told.set(statement, await tell(opened, tag, statement));
  await tell(opened, tag, one.correction, one.isFromOutside ? { origin: "web", rememberAsIs: false } : {});
  const { memories, organizationId } = opened.store;
  const found = await memories.byIds(organizationId, [...told.values()].flat());
  const held = new Set(found.flatMap(({ id, isLatest, isForgotten }) => (isLatest && !isForgotten ? [id] : [])));
  const holding = await memories.active(organizationId, tag, { limit: MOST_HOLDING });
  const said = holding.map(({ text }) => text.replace(/\.$/, ""));
  const isHeld = (statement: string) => told.get(statement)?.some((id) => held.has(id)) === true;
  return {
    missed: one.ends.filter(isHeld),
    wronglyEnded: one.before.filter((statement) => !one.ends.includes(statement) && !isHeld(statement)),
    unsaid: one.says?.filter((text) => !said.includes(text)) ?? [],
    wronglySaid: said.filter((text) => one.saysNot?.test(text)),
    wrongAnswer: await wrongAnswer(opened, tag, one),
  };
}

/** The memories that stated it. */
async function tell(
  opened: ManualCore,
  tag: string,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  opened.clock.advance(HOUR);
  const note = { content, containerTags: [tag], rememberAsIs: true, dreaming: "instant" as const, ...more };
  const { id } = await opened.core.addDocument(opened.call(), note);
  await opened.settle();
  const { document } = await opened.core.getDocument(opened.call(), { id });
  return (document.receipt ?? []).map((fact) => fact.id);
}

async function wrongAnswer({ core, call }: ManualCore, tag: string, { ask }: TransitionCase): Promise<string | null> {
  if (!ask) return null;
  const [question, expected] = ask;
  const { results } = await core.search(call(), { q: question, containerTags: [tag], limit: 5 });
  const best = results[0]?.text ?? "nothing";
  return expected.test(best) ? null : best;
}
