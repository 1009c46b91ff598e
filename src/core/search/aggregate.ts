import { sha256 } from "../../lib/crypto.js";
import { fenceOf } from "../../lib/prompt-delimiter.js";
import { idFrom } from "../../lib/ids.js";
import { numbersOf } from "../../language/numbers.js";
import { truncate } from "../../lib/truncate.js";
import { dayIn, type TimeZone } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { meaningKey } from "../memories/near-duplicates.js";
import { judgeText } from "../memories/trust.js";
import { aggregateResultsPrompt, type StatedTogether } from "../prompts/aggregate-results.js";
import { TRUST } from "../types.js";
import { joinFacts } from "./join-facts.js";
import type { SearchModel } from "./search-model.js";
import type { SearchResult } from "./search.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** How many of the best results are read, and how much of each. */
const SOURCES = 20;
const LONGEST_SOURCE = 500;
const MOST_STATEMENTS = 3;
const LONGEST_STATEMENT = 400;
const MOST_TOKENS = 1_500;
const LONGEST_QUERY = 2_000;

/** What several results say together. */
interface Statement {
  readonly text: string;
  /** At least two results, best first. */
  readonly sources: readonly SearchResult[];
}

/**
 * Inserts statements that combine several results, each in front of the best result it rests on. The language model writes them
 * if there is one; otherwise memories with the same beginning are joined. A statement is dropped when it rests on fewer than
 * two results, contains a number that none of them has, repeats one of them, or reads like an instruction.
 * @param results best first
 */
export async function addAggregates(
  context: CoreContext,
  query: string,
  results: readonly SearchResult[],
): Promise<{ readonly results: readonly SearchResult[]; readonly degraded: readonly string[] }> {
  if (results.length < 2) return { results, degraded: [] };
  const { searchModel } = context;
  const { statements, degraded } = searchModel
    ? await askModel({ ...context, searchModel }, query, results)
    : { statements: byRules(results), degraded: [] };
  const kept = statements.filter((statement, index) => isNews(statement, statements.slice(0, index), results));
  return { results: insert(results, kept.slice(0, MOST_STATEMENTS)), degraded };
}

async function askModel(
  { searchModel, log, timeZone }: CoreContext & { readonly searchModel: SearchModel },
  query: string,
  results: readonly SearchResult[],
): Promise<{ statements: Statement[]; degraded: string[] }> {
  const { name, version, schema, messages } = aggregateResultsPrompt;
  const byHandle = new Map(results.slice(0, SOURCES).map((result, index) => [`r${index + 1}`, result]));
  const shown = {
    query: truncate(query, LONGEST_QUERY),
    results: [...byHandle].map(([handle, result]) => ({
      handle,
      text: truncate(result.text, LONGEST_SOURCE),
      date: dayOf(result, timeZone),
    })),
  };
  const fence = fenceOf(JSON.stringify(shown));
  try {
    const { statements } = await searchModel.ask({
      name,
      version,
      schema,
      messages: messages({ ...shown, fence }),
      maxTokens: MOST_TOKENS,
    });
    return { statements: statements.flatMap((said) => checkStatement(said, byHandle, timeZone) ?? []), degraded: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("results are put together by rules", { reason: error.message });
    return { statements: byRules(results), degraded: [`aggregated by rules: ${error.publicMessage}`] };
  }
}

function dayOf({ chunk, memory }: SearchResult, timeZone: TimeZone): string {
  return dayIn(chunk?.metadata?.date ?? memory?.createdAt ?? "", timeZone);
}

/** The statement if it rests on what was shown; otherwise null. */
function checkStatement(
  { text, from }: StatedTogether,
  byHandle: ReadonlyMap<string, SearchResult>,
  timeZone: TimeZone,
): Statement | null {
  const said = singleSpaced(text);
  const sources = [...byHandle].flatMap(([handle, result]) => (from.includes(handle) ? result : []));
  if (said === "" || said.length > LONGEST_STATEMENT || sources.length < 2) return null;
  const known = new Set(sources.flatMap((source) => numbersOf(`${source.text} ${dayOf(source, timeZone)}`)));
  if (numbersOf(said).some((number) => !known.has(number))) return null;
  if (judgeText(said, undefined, { origin: "connector" }).trust === "flagged") return null;
  return { text: said, sources };
}

function byRules(results: readonly SearchResult[]): Statement[] {
  const memories = results.filter(({ memory, trust }) => memory && trust !== "flagged").slice(0, SOURCES);
  return joinFacts(memories.map(({ text }) => text)).map(({ text, from }) => ({
    text,
    sources: from.flatMap((index) => memories[index] ?? []),
  }));
}

/** True if neither a result nor an earlier statement already says this. */
function isNews({ text }: Statement, earlier: readonly Statement[], results: readonly SearchResult[]): boolean {
  const key = meaningKey(text);
  return ![...earlier, ...results].some((other) => meaningKey(other.text) === key);
}

function insert(results: readonly SearchResult[], statements: readonly Statement[]): SearchResult[] {
  const before = new Map<string, SearchResult[]>();
  for (const statement of statements) {
    const id = statement.sources[0]?.id ?? "";
    before.set(id, [...(before.get(id) ?? []), present(statement)]);
  }
  return results.flatMap((result) => [...(before.get(result.id) ?? []), result]);
}

/** A result that is not stored anywhere: its id is derived from its text and its sources. */
function present({ text, sources }: Statement): SearchResult {
  const documents = new Map(sources.flatMap((source) => source.documents).map((document) => [document.id, document]));
  const trust = sources.map((source) => TRUST.indexOf(source.trust));
  return {
    id: idFrom(sha256(JSON.stringify([text, sources.map(({ id }) => id)]))),
    kind: "memory",
    text,
    similarity: Math.max(...sources.map(({ similarity }) => similarity)),
    memory: null,
    chunk: null,
    documents: [...documents.values()],
    trust: TRUST[Math.max(...trust)] ?? "flagged",
    aggregated: {
      from: sources.map(({ id }) => id),
      updatedAt: sources.map(changedAt).reduce((latest, moment) => (moment > latest ? moment : latest), ""),
    },
  };
}

function changedAt({ memory, chunk, documents }: SearchResult): string {
  return memory?.updatedAt ?? documents[0]?.updatedAt ?? chunk?.createdAt ?? "";
}
