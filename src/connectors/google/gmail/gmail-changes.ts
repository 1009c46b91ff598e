import * as z from "zod";
import { CheckpointExpired, readCheckpoint } from "../../../core/connections/connector-errors.js";
import { requireNewPage } from "../../../core/connections/require-new-page.js";
import { AppError } from "../../../core/errors.js";
import type { ChangePage, SourceAccess, SourceChange, SourceItem } from "../../../core/ports.js";
import { decides, type GmailApi, isCounted, parseGmail, type GmailQuery } from "./gmail-api.js";
import { currentVersion } from "./gmail-thread.js";

const PAGE_SIZE = "500";

const checkpointSchema = z.object({
  phase: z.enum(["listing", "changes"]),
  /** The search; empty for the whole mailbox. */
  search: z.string(),
  /** Where the history resumes; taken before the listing. Empty with a search, about which the history says nothing. */
  historyId: z.string(),
  page: z.string().nullable(),
});
type Checkpoint = z.infer<typeof checkpointSchema>;

const threadListSchema = z.object({
  threads: z.array(z.object({ id: z.string(), historyId: z.string().default("") })).default([]),
  nextPageToken: z.string().optional(),
});

const changedSchema = z
  .array(
    z.object({
      message: z.object({ threadId: z.string(), labelIds: z.array(z.string()).default([]) }),
      labelIds: z.array(z.string()).default([]),
    }),
  )
  .default([]);
const historySchema = z.object({
  history: z
    .array(
      z.object({
        id: z.string(),
        messagesAdded: changedSchema,
        messagesDeleted: changedSchema,
        labelsAdded: changedSchema,
        labelsRemoved: changedSchema,
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
  historyId: z.string().optional(),
});
const detailSchema = z.object({ historyId: z.string() });

/**
 * As `Connector.changes`. The history covers the whole mailbox, and does not say whether a search finds a message, so with a
 * search every run is a listing.
 */
export async function* gmailChanges(api: GmailApi, access: SourceAccess, given: unknown): AsyncGenerator<ChangePage> {
  const search = searchOf(access);
  const kept = given === null || given === undefined ? null : resume(given, search);
  const isListedAnew = kept === null || (kept.phase === "changes" && search !== "");
  const state = isListedAnew ? await begin(api, search) : kept;
  let isFirst = isListedAnew;
  const seen = new Set<string>();
  let isLast = false;
  while (!isLast) {
    const kind = state.phase;
    const items =
      kind === "listing" ? await listPage(api, access, state, seen) : await historyPage(api, access, state, seen);
    isLast = state.page === null;
    if (isLast) state.phase = "changes";
    yield { kind, isFirst, isLast, items, checkpoint: structuredClone(state) };
    isFirst = false;
  }
}

/** The settings as a Gmail search: threads with one of the labels and a message that matches the query. */
function searchOf({ settings }: SourceAccess): string {
  const query = String(settings["query"] ?? "").trim();
  const labels = String(settings["labels"] ?? "")
    .split(",")
    .map((name) => name.trim().replace(/[^\p{L}\p{N}_-]+/gu, "-"))
    .filter((name) => name !== "");
  const either = labels.length === 0 ? "" : `{${labels.map((name) => `label:${name}`).join(" ")}}`;
  return [either, query === "" ? "" : `(${query})`].filter((piece) => piece !== "").join(" ");
}

function resume(given: unknown, search: string): Checkpoint {
  const state = readCheckpoint(checkpointSchema, given);
  if (state.search !== search) throw new CheckpointExpired("The search was changed.");
  return state;
}

async function begin(api: GmailApi, search: string): Promise<Checkpoint> {
  if (search !== "") return { phase: "listing", search, historyId: "", page: null };
  const { historyId } = parseGmail(z.object({ historyId: z.string() }), await api.get("profile", []));
  return { phase: "listing", search, historyId, page: null };
}

async function listPage(
  api: GmailApi,
  access: SourceAccess,
  state: Checkpoint,
  seen: Set<string>,
): Promise<SourceChange[]> {
  const query: GmailQuery = [
    ["maxResults", PAGE_SIZE],
    ["q", `${state.search} -in:drafts`.trim()],
    ["fields", "threads(id,historyId),nextPageToken"],
    ...(state.page === null ? [] : [["pageToken", state.page] as const]),
  ];
  const answer = await api.get("threads", query, state.page === null ? [] : [400, 404]);
  if (answer.status >= 400) throw new CheckpointExpired("Gmail no longer knows the page of threads.");
  const { threads, nextPageToken } = parseGmail(threadListSchema, answer);
  const items: SourceChange[] = [];
  for (const { id, historyId } of threads) {
    const version = await versionOf(api, access, id, historyId);
    if (version !== null) items.push({ kind: "upsert", item: itemOf(id, version, historyId) });
  }
  state.page = nextPage(nextPageToken, seen);
  return items;
}

/**
 * A thread's history id also changes with every label, so if it has changed, the thread's messages are fetched. Where that
 * fails, or the thread is still unknown, reading it gives the version.
 */
async function versionOf(api: GmailApi, access: SourceAccess, id: string, historyId: string): Promise<string | null> {
  const known = await access.known(id);
  if (known === null) return `h${historyId}`;
  if (detailSchema.safeParse(known.detail).data?.historyId === historyId) return known.version;
  try {
    return await currentVersion(api, id);
  } catch (error) {
    const isOfOne = error instanceof AppError && error.kind !== "unauthorized" && error.kind !== "rate_limited";
    if (isOfOne) return `h${historyId}`;
    throw error;
  }
}

async function historyPage(
  api: GmailApi,
  access: SourceAccess,
  state: Checkpoint,
  seen: Set<string>,
): Promise<SourceChange[]> {
  const query: GmailQuery = [
    ["startHistoryId", state.historyId],
    ["maxResults", PAGE_SIZE],
    // Singular here, although the answer has them in the plural.
    ...["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"].map((type) => ["historyTypes", type] as const),
    ...(state.page === null ? [] : [["pageToken", state.page] as const]),
  ];
  const answer = await api.get("history", query, [400, 404]);
  if (answer.status >= 400) throw new CheckpointExpired(`Gmail no longer knows the history (status ${answer.status}).`);
  const { history, nextPageToken, historyId } = parseGmail(historySchema, answer);
  const changed = new Map<string, string>();
  for (const record of history) {
    for (const { message } of record.messagesAdded) if (isCounted(message)) changed.set(message.threadId, record.id);
    const deleted = record.messagesDeleted.filter(({ message }) => isCounted(message));
    const binned = record.labelsAdded.filter(({ labelIds }) => decides(labelIds));
    const restored = record.labelsRemoved.filter(({ labelIds }) => decides(labelIds));
    for (const { message } of restored) changed.set(message.threadId, record.id);
    // What was never brought in, such as spam that is deleted, needs no request.
    for (const { message } of [...deleted, ...binned])
      if ((await access.known(message.threadId)) !== null) changed.set(message.threadId, record.id);
  }
  state.page = nextPage(nextPageToken, seen);
  if (state.page === null) state.historyId = historyId ?? state.historyId;
  const items: SourceChange[] = [];
  for (const [id, recordId] of changed) items.push({ kind: "upsert", item: await changedItem(access, id, recordId) });
  return items;
}

/** A thread as a history record reports it; one that was read later keeps what was read. */
async function changedItem(access: SourceAccess, id: string, recordId: string): Promise<SourceItem> {
  const known = await access.known(id);
  const { historyId } = detailSchema.safeParse(known?.detail).data ?? {};
  return known && historyId !== undefined && !isLater(recordId, historyId)
    ? itemOf(id, known.version, historyId)
    : itemOf(id, `h${recordId}`, recordId);
}

/** History ids are increasing numbers. */
function isLater(one: string, other: string): boolean {
  const [longer, shorter] = [one.length, other.length];
  return longer === shorter ? one > other : longer > shorter;
}

function itemOf(id: string, version: string, historyId: string): SourceItem {
  const address = `https://mail.google.com/mail/#all/${id}`;
  return { id, version, title: null, address, path: null, detail: { historyId } };
}

/** @throws AppError `unavailable` for pages that lead in a circle */
function nextPage(token: string | undefined, seen: Set<string>): string | null {
  return token === undefined ? null : requireNewPage(token, seen, "Gmail does not lead to a next page");
}
