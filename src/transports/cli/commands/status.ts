import type { Command } from "commander";
import type { Status } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { inDollars, megabytes, printableLine, pairs } from "../style.js";
import { count } from "../../../lib/count.js";

export function registerStatus(program: Command, cli: Cli): void {
  program
    .command("status")
    .description("Show what is in use, how much is stored and what is still to be done.")
    .addHelpText("after", examples(cli, ["$ status", "$ status --data-dir ./data --json"]))
    .action(async () => {
      const status = await withCore(cli, ({ core, read }) => core.status(read));
      cli.output.answer(status, () => pairs(describe(status)));
    });
}

function keptIn({ documents, chunks, memories }: Status["store"]): string {
  const versions = `${count(memories, "memory", "memories")} including former versions`;
  return [count(documents, "document"), count(chunks, "passage"), versions].join(", ");
}

function describe(status: Status): [string, string][] {
  const { store, jobs } = status;
  return [
    ["version", status.version],
    ["data folder", status.dataDirectory],
    ...(status.database === null ? [] : [["record", `PostgreSQL, ${status.database}`] satisfies [string, string]]),
    ["organisation", status.organizationId],
    [
      "without key",
      `${status.keyless.isAllowed ? "programs on this machine may read and write" : "nobody"}: ${status.keyless.reason}`,
    ],
    ...describeParts(status),
    ...describeReading(status.reading),
    ["kept", keptIn(store)],
    ["size", `${megabytes(store.bytes)}, ${megabytes(store.freeBytes)} free on this disk`],
    ...describeFull(store),
    ["jobs", `${jobs.waiting} waiting, ${jobs.running} running, ${jobs.dead} given up`],
    ...describeUse(status.llmUse),
    ...describeBudget(status.llmBudget),
    ["waiting", describeWaiting(status)],
    ...describeFailures(status),
    ...describeReprocessing(status),
    ...describeConnections(status),
    ...status.idleGuidance.map((idle): [string, string] => ["guidance", printableLine(idle)]),
    ...describeExpiring(status),
    ...store.problems.map((problem): [string, string] => ["problem", printableLine(problem)]),
  ];
}

function describeWaiting({ waitingDocuments, unsearchableDocuments }: Status): string {
  // The two are counted one after the other.
  const unread = Math.max(0, waitingDocuments - unsearchableDocuments);
  return `${documentsAre(unsearchableDocuments)} not searchable yet, ${documentsAre(unread)} found but not read for facts yet`;
}

function describeConnections({ connections: { total, inTrouble } }: Status): [string, string][] {
  if (total === 0) return [];
  const troubles = inTrouble.map(({ id, provider, state, problem }): [string, string] => [
    "connection",
    printableLine(`${provider} ${id} (${state}): ${problem ?? ""}`),
  ]);
  return [["connections", count(total, "connection")], ...troubles];
}

function documentsAre(number: number): string {
  return count(number, "document is", "documents are");
}

function describeFull({ fullAt }: Status["store"]): [string, string][] {
  if (fullAt === null) return [];
  const when = fullAt.slice(0, 19).replace("T", " ");
  const fix =
    "free some space on this disk, or on that of the database if the record is in one, or raise RECOLLECT_MAX_STORE_MEGABYTES if it is set";
  return [["no room", `for a write at ${when} UTC: ${fix}`]];
}

/** The parts of the service that can be configured. */
export function describeParts({
  embedder,
  embedding,
  llm,
  vectors,
  factExtractor,
  rerank,
  files,
}: Pick<Status, "embedder" | "embedding" | "llm" | "vectors" | "factExtractor" | "rerank" | "files">): [
  string,
  string,
][] {
  const why = vectors.reason === undefined ? "" : `: ${printableLine(vectors.reason)}`;
  const behind = vectors.behind > 0 ? `, ${vectors.behind} changes behind` : "";
  return [
    ["embedder", `${embedder}${describeFailing(embedding)}`],
    ...describeMove(embedding.next),
    ["rerank", `${rerank.name}${rerank.problem === null ? "" : ` (unavailable): ${printableLine(rerank.problem)}`}`],
    ["llm", llm],
    ["vector index", `${vectors.name} (${vectors.state}${behind})${why}`],
    ["extractor", factExtractor],
    ...(files.problem === null
      ? []
      : [["files", `unavailable: ${printableLine(files.problem)}`] satisfies [string, string]]),
  ];
}

function describeReading({ programs }: Status["reading"]): [string, string][] {
  return programs.map(({ name, purpose, isThere, withoutIt, howToInstall, lacks }) => [
    name,
    isThere
      ? `installed, for ${purpose}${lacks === null ? "" : `. ${lacks}`}`
      : `missing, for ${purpose}: ${withoutIt}. ${howToInstall}`,
  ]);
}

function describeFailing({ isAnswering, problem }: Status["embedding"]): string {
  if (isAnswering && problem === null) return "";
  return ` (unavailable; searches use words only)${problem === null ? "" : `: ${printableLine(problem)}`}`;
}

function describeMove(next: Status["embedding"]["next"]): [string, string][] {
  if (!next) return [];
  const why = next.problem === null ? "" : `: ${printableLine(next.problem)}`;
  return [["next embedder", `${printableLine(next.name)}, ${next.state}, ${next.done} of ${next.total} texts${why}`]];
}

function describeUse(use: Status["llmUse"]): [string, string][] {
  const { answers, inputTokens, outputTokens } = use;
  if (answers === 0) return [];
  return [
    ["llm use", `${count(answers, "answer")}, ${inputTokens} tokens read, ${outputTokens} tokens written`],
    ["llm cost", describeCost(use)],
  ];
}

function describeBudget(budget: Status["llmBudget"]): [string, string][] {
  if (!budget) return [];
  const { limit, spent } = budget;
  const isSpent = spent >= limit ? "; documents wait for the next month or a higher RECOLLECT_LLM_MONTHLY_BUDGET" : "";
  return [["llm budget", `${inDollars(spent)} of ${inDollars(limit)} this month${isSpent}`]];
}

function describeFailures({ llmFailures }: Status): [string, string][] {
  if (!llmFailures) return [];
  const { problem, documents, givenUp, reasons } = llmFailures;
  const rest = givenUp === 0 ? "" : `; ${givenUp} of them only by another model`;
  return [
    ...(problem === null ? [] : [["llm failed", printableLine(problem)] satisfies [string, string]]),
    ...(documents === 0
      ? []
      : [
          [
            "by rules",
            `${count(documents, "document")} instead of by the language model, to be read again once it answers${rest}`,
          ] satisfies [string, string],
        ]),
    ...reasons.map(({ reason, documents: held }): [string, string] => ["why", `${printableLine(reason)} (${held})`]),
  ];
}

function describeReprocessing({ reprocessing }: Status): [string, string][] {
  return reprocessing === 0 ? [] : [["reprocess", `${count(reprocessing, "document")} to be read again`]];
}

function describeExpiring({ expiringKeys }: Status): [string, string][] {
  return expiringKeys.map(({ id, name, hint, expiresAt, daysLeft }): [string, string] => {
    const when = daysLeft === 0 ? "has expired" : `expires in ${count(daysLeft, "day")}`;
    return ["key", `${printableLine(name)} (…${hint}, ${id}) ${when}: ${expiresAt.slice(0, 16).replace("T", " ")} UTC`];
  });
}

function describeCost({ answers, cost, unpricedAnswers }: Status["llmUse"]): string {
  const howTo = "set RECOLLECT_LLM_INPUT_PRICE and RECOLLECT_LLM_OUTPUT_PRICE for future answers";
  if (cost === null) return `price unknown: ${howTo}`;
  if (unpricedAnswers === 0) return inDollars(cost);
  return `${inDollars(cost)} for ${answers - unpricedAnswers} answers; price of ${unpricedAnswers} unknown: ${howTo}`;
}
