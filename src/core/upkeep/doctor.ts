import { count } from "../../lib/count.js";
import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { requireAllContainers } from "../auth.js";
import { connectionsAtAGlance } from "../connections/at-a-glance.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { isUnreadable } from "../given-up.js";
import { addDocument } from "../documents/add-document.js";
import { embeddingSummary } from "../embeddings/embedding-status.js";
import { listExpiringKeys } from "../access/expiring-keys.js";
import type { LanguageModel } from "../ports.js";
import type { VectorVerification } from "../search/vector-ports.js";
import { searchMemories } from "../search/search.js";
import { checkSecrets } from "./check-secrets.js";
import { checkUploads } from "./check-uploads.js";

/** Prefix of the tag of a container that only one check uses, and removes. */
const SCRATCH_CONTAINER = "recollect_doctor";
const LOW_DISK_BYTES = 500 * 1024 * 1024;
const STUCK_SECONDS = 15 * 60;
const PIPELINE_SECONDS = 60;
const MODEL_SECONDS = 10;
const URGENT_DAYS = 3;

/** One thing checked by doing it. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was observed. */
  readonly detail: string;
  /** What to do if it is not ok. */
  readonly fix?: string;
}

export interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/**
 * Checks the whole service by using it. Never throws because of a finding; what cannot be checked is not ok.
 * @throws AppError `forbidden` for a caller limited to some containers
 */
export async function diagnose(context: CoreContext, call: AuthorizedCall): Promise<Diagnosis> {
  requireAllContainers(call.actor);
  const checks: Check[] = [];
  for (const [name, run] of CHECKS) checks.push(await guard(name, () => run(context, call)));
  return { ok: checks.every((check) => check.ok), checks };
}

type Finding = Omit<Check, "name">;

const CHECKS: readonly (readonly [string, (context: CoreContext, call: AuthorizedCall) => Promise<Finding>])[] = [
  ["store", checkStore],
  ["pipeline", checkPipeline],
  ["embedder", checkEmbedder],
  ["rerank", checkRerank],
  ["llm", checkModel],
  ["files", checkReading],
  ["uploads", checkUploads],
  ["vectors", checkVectors],
  ["jobs", checkJobs],
  ["sources", checkConnections],
  ["secrets", checkSecrets],
  ["access", checkAccess],
  ["keys", checkKeys],
  ["mail", checkMail],
  ["disk", checkDisk],
  ["folder", checkFolder],
];

async function checkConnections(context: CoreContext): Promise<Finding> {
  const { total, inTrouble } = await connectionsAtAGlance(context);
  const detail = `${total} ${total === 1 ? "connection" : "connections"}`;
  if (inTrouble.length === 0) return { ok: true, detail };
  const named = inTrouble.map(({ id, provider, state, problem }) => `${provider} ${id} (${state}): ${problem ?? ""}`);
  return {
    ok: false,
    detail: `${detail}; ${named.join(" ")}`,
    fix: "Sign in again with `recollect connections reconnect`, or agree to removals with `recollect connections sync --confirm-removals`; for other problems, see `recollect connections history`.",
  };
}

async function checkAccess({ about: { keyless } }: CoreContext): Promise<Finding> {
  const who = keyless.isAllowed
    ? "programs on this machine may read and write memories without a key"
    : "everyone needs a key";
  return { ok: true, detail: `${who}: ${keyless.reason}` };
}

async function guard(name: string, run: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await run()) };
  } catch (error) {
    return {
      name,
      ok: false,
      detail: detailOf(error),
      fix: "See the log for the cause; run `recollect doctor` again afterwards.",
    };
  }
}

/** Includes what a service said: its request contained nobody's data. */
function detailOf(error: unknown): string {
  if (error instanceof AppError) return `${error.message}${error.quote}`;
  return error instanceof Error ? error.message : String(error);
}

async function checkStore({ store }: CoreContext): Promise<Finding> {
  const health = await store.health({ deep: true });
  const { documents, chunks, memories } = health;
  const versions = `${count(memories, "memory", "memories")} including former versions`;
  const detail = [count(documents, "document"), count(chunks, "chunk"), versions].join(", ");
  if (health.problems.length === 0) return { ok: true, detail };
  return {
    ok: false,
    detail: `${detail}; ${health.problems.join("; ")}`,
    fix: "Stop the service and restore the data folder from a backup.",
  };
}

/** A word known only to this run must be found by search, in a document and in its fact. */
async function checkPipeline(context: CoreContext, call: AuthorizedCall): Promise<Finding> {
  const { actor } = call;
  // Results stored for the sample must not be taken for the answer to the call itself.
  const sampling: AuthorizedCall = { ...call, operationId: undefined };
  const word = `sample${createId().toLowerCase()}`;
  const container = `${SCRATCH_CONTAINER}_${createId()}`;
  const scratch = { containerTags: [container] };
  try {
    const receipt = await addDocument(context, sampling, {
      ...scratch,
      content: `The name of the doctor's project is ${word}.`,
      dreaming: "instant",
      rememberAsIs: true,
      wait: PIPELINE_SECONDS,
    });
    if (receipt.status === "done" && receipt.dreamingStatus !== "done")
      return {
        ok: false,
        detail: `a document is found by its text, but its facts were not found within ${PIPELINE_SECONDS} seconds`,
        fix: "See the llm and jobs checks, and the log.",
      };
    if (receipt.status !== "done" || receipt.errorReason !== null)
      return {
        ok: false,
        detail: `a document stopped at ${receipt.status}${receipt.errorReason ? `: ${receipt.errorReason}` : ""}`,
        fix: "See the jobs and embedder checks, and the log.",
      };
    const problems: string[] = [];
    // Searched separately, because search shows only one of two texts that say the same.
    for (const searchMode of ["documents", "memories"] as const) {
      const answer = await searchMemories(context, sampling, {
        ...scratch,
        q: `What is the name ${word}?`,
        searchMode,
        threshold: 0,
      });
      const what = searchMode === "documents" ? "its text" : "its fact";
      if (!answer.results.some((result) => result.text.includes(word)))
        problems.push(`a document was written, but search did not find ${what}`);
      problems.push(...answer.degraded);
    }
    return problems.length === 0
      ? { ok: true, detail: "a document was written, understood and found again" }
      : { ok: false, detail: problems.join("; "), fix: "See the vectors and embedder checks." };
  } finally {
    await context.store.containers.purge(actor.organizationId, container);
  }
}

async function checkEmbedder(context: CoreContext): Promise<Finding> {
  const embedder = context.embedders.active();
  const [vector] = await embedder.embed([`probe ${createId()}`], "query");
  const detail = `${embedder.name}, ${vector?.length ?? 0} dimensions`;
  const { next } = await embeddingSummary(context);
  if (!next) return { ok: true, detail };
  const move = `${next.name} will follow: ${next.state}, ${next.done} of ${next.total} texts`;
  if (next.problem === null) return { ok: true, detail: `${detail}; ${move}` };
  return {
    ok: false,
    detail: `${detail}; ${move}; ${next.problem}`,
    fix: "Fix this problem, or decide: `recollect embeddings` shows the move, `rollback` gives it up, `switch` lets the new embedder take over.",
  };
}

const SAMPLE_TEXTS = ["Tea is made of leaves.", "A boat floats."].map((text) => ({ text, date: null }));

async function checkRerank({ reranker }: CoreContext): Promise<Finding> {
  if (!reranker) return { ok: true, detail: "none; rules order the results" };
  const { scores } = await reranker.rerank({ query: "green tea", texts: SAMPLE_TEXTS });
  const judged = scores.filter((score) => score !== null).length;
  return { ok: true, detail: `${reranker.name} answers, ${judged} of ${SAMPLE_TEXTS.length} texts judged` };
}

async function checkModel({ model }: CoreContext): Promise<Finding> {
  if (!model) return { ok: true, detail: "none; rules find facts" };
  const budget = await model.budget?.();
  if (budget && budget.spent >= budget.limit)
    return {
      ok: false,
      detail: `${model.name} is not used for the rest of this month: its budget of $${budget.limit} is spent`,
      fix: "Raise RECOLLECT_LLM_MONTHLY_BUDGET, or wait for the next month.",
    };
  const word = createId();
  const echoed = await askToEcho(model, word);
  if (echoed === word) return { ok: true, detail: `${model.name} answers` };
  if (echoed === null)
    return {
      ok: false,
      detail: `${model.name} was asked for a word and did not answer within ${MODEL_SECONDS} seconds`,
      fix: "Check that it is running and not busy; if it was only being loaded, it answers when you run `recollect doctor` again.",
    };
  return {
    ok: false,
    detail: `${model.name} answers, but does not follow instructions`,
    fix: "Choose a more capable model with RECOLLECT_LLM_MODEL.",
  };
}

/** @returns null if no answer comes in time */
async function askToEcho(model: LanguageModel, word: string): Promise<string | null> {
  const inTime = AbortSignal.timeout(MODEL_SECONDS * 1_000);
  const question = {
    name: "echo",
    messages: [{ role: "user", content: `Answer with {"word": "${word}"} and nothing else.` }],
    schema: z.object({ word: z.string() }),
    effort: "careful",
    isTrial: true,
  } as const;
  try {
    return (await model.generate(question, inTime)).value.word;
  } catch (error) {
    if (inTime.aborted) return null;
    throw error;
  }
}

/**
 * A missing program is not a fault: everything else is read without it. One that lacks what the settings require is, and so is
 * a configured transcriber that does not work.
 */
async function checkReading({ extractor, transcriber }: CoreContext): Promise<Finding> {
  const programs = await extractor.programs();
  const described = programs.map(({ name, purpose, isThere, withoutIt, howToInstall }) =>
    isThere ? `${name} is installed (${purpose})` : `${name} is missing (${purpose}: ${withoutIt}; ${howToInstall})`,
  );
  const problem = (await transcriber?.problem?.()) ?? null;
  const heard = problem ?? describeTranscriber(transcriber);
  const detail = [`${extractor.endings.length} kinds of file names`, ...described, heard].join("; ");
  const fixes = [...programs.flatMap(({ lacks }) => lacks ?? []), ...(problem === null ? [] : [MEND_TRANSCRIBER])];
  return fixes.length === 0 ? { ok: true, detail } : { ok: false, detail, fix: fixes.join(" ") };
}

const MEND_TRANSCRIBER =
  "Fix the transcriber (RECOLLECT_TRANSCRIBE_BASE_URL or RECOLLECT_TRANSCRIBE_COMMAND). Waiting recordings are retried automatically; `recollect reprocess` with their ids retries them immediately, as well as those that failed.";

function describeTranscriber(transcriber: CoreContext["transcriber"]): string {
  if (!transcriber) return "recordings are not transcribed (only their subtitles are read)";
  return `recordings are transcribed by ${transcriber.name}`;
}

async function checkVectors({ vectors }: CoreContext): Promise<Finding> {
  const status = await vectors.status();
  const { collections } = await vectors.verify();
  const repaired = collections.filter((collection) => collection.repaired);
  const asked = collections.reduce((sum, { selfQueries }) => sum + selfQueries.asked, 0);
  const found = collections.reduce((sum, { selfQueries }) => sum + selfQueries.found, 0);
  const sampled =
    asked > 0 ? `${found} of ${asked} sampled vectors found themselves` : "nothing here to compare with the record";
  const detail = [`${status.name}: ${status.state}`, ...describeCollections(collections), sampled].join("; ");
  if (repaired.length > 0)
    return {
      ok: false,
      detail: `${detail}; rebuilt from the record: ${repaired.map(({ name }) => name).join(", ")}`,
      fix: "It was repaired; run `recollect doctor` again to check that it stays repaired.",
    };
  if (status.state === "degraded")
    return { ok: false, detail: `${detail}; ${status.reason ?? ""}`, fix: status.reason ?? "See the log." };
  return { ok: true, detail: status.reason ? `${detail} (${status.reason})` : detail };
}

/** There may be thousands, so only those that differ from the record are named. */
function describeCollections(collections: VectorVerification["collections"]): string[] {
  if (collections.length === 0) return [];
  const found = collections.reduce((sum, collection) => sum + collection.found, 0);
  const expected = collections.reduce((sum, collection) => sum + collection.expected, 0);
  const differing = collections
    .filter((collection) => collection.found !== collection.expected)
    .map(({ name, found: has, expected: should }) => `; ${name} has ${has} of ${should}`);
  return [`${found} of ${expected} vectors, in ${count(collections.length, "collection")}${differing.join("")}`];
}

async function checkJobs({ store }: CoreContext): Promise<Finding> {
  const counts = await store.jobs.counts();
  const unreadable = await store.jobs.unreadable();
  const dead = counts.dead - unreadable;
  const note =
    unreadable === 0 ? "" : `; ${unreadable} for documents whose file or page cannot be read, as each of them says`;
  const detail = `${counts.waiting} waiting, ${counts.running} running, ${dead} dead${note}`;
  if (dead > 0) {
    const first = (await store.jobs.dead(unreadable + 1)).find((job) => !isUnreadable(job));
    return {
      ok: false,
      detail: `${detail}; the newest dead one (${first?.kind}): ${first?.reason}`,
      fix: "Remove the cause, then run `recollect reprocess --failed`, or delete the document.",
    };
  }
  if (counts.waiting > 0 && counts.oldestWaitingSeconds > STUCK_SECONDS)
    return {
      ok: false,
      detail: `${detail}; the oldest has been waiting for ${Math.round(counts.oldestWaitingSeconds / 60)} minutes`,
      fix: "See the log for what the jobs are waiting for, then restart the service.",
    };
  return { ok: true, detail };
}

/** Somebody should know about expiring keys before they expire. */
async function checkKeys(context: CoreContext): Promise<Finding> {
  const keys = await listExpiringKeys(context);
  const urgent = keys.filter(({ daysLeft }) => daysLeft <= URGENT_DAYS);
  const describe = ({ id, hint, daysLeft, expiresAt }: (typeof keys)[number]) =>
    `${id} (…${hint}) ${daysLeft === 0 ? "expired" : "expires"} at ${expiresAt}`;
  if (keys.length === 0) return { ok: true, detail: "none expires within 14 days" };
  const detail = keys.map(describe).join("; ");
  if (urgent.length === 0) return { ok: true, detail };
  return {
    ok: false,
    detail,
    fix: "Create a new one with `recollect keys create`, give it to the client, and revoke the old one with `recollect keys revoke`.",
  };
}

async function checkMail({ mailer }: CoreContext): Promise<Finding> {
  if (!mailer) return { ok: true, detail: "none is sent; warnings are in the log and in `status`" };
  await mailer.check();
  return { ok: true, detail: `${mailer.name}; the server answers and accepts the sign-in` };
}

async function checkDisk({ store, about }: CoreContext): Promise<Finding> {
  const { freeBytes, bytes } = await store.health({ deep: false });
  const megabytes = (size: number) => `${Math.round(size / 1024 / 1024)} MB`;
  const detail = `${megabytes(freeBytes)} free in ${about.dataDirectory}, the store takes ${megabytes(bytes)}`;
  return freeBytes >= Math.max(LOW_DISK_BYTES, bytes)
    ? { ok: true, detail }
    : { ok: false, detail, fix: "Free some space on this disk; the service needs room to grow." };
}

/** Files are readable only by this user whatever their folder allows, so a folder that others can merely read is not a fault. */
async function checkFolder({ store, about: { dataDirectory } }: CoreContext): Promise<Finding> {
  const { folderOpenTo } = await store.health({ deep: false });
  const fix = `Restrict it with \`chmod 700 ${dataDirectory}\`.`;
  if (folderOpenTo === null) return { ok: true, detail: `only this user has access to ${dataDirectory}` };
  if (folderOpenTo === "writing")
    return { ok: false, detail: `a group of users on this machine may write to ${dataDirectory}`, fix };
  return {
    ok: true,
    detail: `other users on this machine may list ${dataDirectory}, whose files only this user can read. ${fix}`,
  };
}
