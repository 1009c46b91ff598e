import { type ApiAnswer, type ApiCall, type ScriptedApi, startScriptedApi } from "./scripted-api.js";

// Names of parameters as in the discovery document of the Gmail API v1 (the types of @googleapis/gmail 18). Listed here
// because no npm package contains the document itself.
const STANDARD = ["fields", "alt"];
const THREADS_LIST = ["includeSpamTrash", "labelIds", "maxResults", "pageToken", "q"];
const HISTORY_LIST = ["historyTypes", "labelId", "maxResults", "pageToken", "startHistoryId"];
const HISTORY_TYPES = ["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"];

export interface MailParts {
  readonly text?: string;
  readonly html?: string;
  readonly from?: string;
  readonly attachments?: readonly string[];
  readonly labels?: readonly string[];
  /** Its text is not part of the thread response, as with long texts. */
  readonly isLarge?: boolean;
}

interface Message extends MailParts {
  readonly id: string;
  readonly threadId: string;
  readonly subject: string;
  readonly date: number;
  labelIds: string[];
}

interface Change {
  readonly kind: "messagesAdded" | "messagesDeleted" | "labelsAdded" | "labelsRemoved";
  readonly message: { readonly id: string; readonly threadId: string; readonly labelIds: readonly string[] };
  readonly labelIds?: readonly string[];
}

export interface ScriptedGmail extends ScriptedApi {
  /** A thread of one message. */
  put(subject: string, text: string, parts?: MailParts): Promise<string>;
  reply(thread: string, parts: MailParts): Promise<string>;
  label(thread: string, label: string): void;
  unlabel(thread: string, label: string): void;
  /** Into the bin. */
  remove(thread: string): Promise<void>;
  restore(thread: string): Promise<void>;
  /** Permanently; one message, or all. */
  lose(thread: string, message?: string): void;
  expire(): void;
  loop(): void;
}

/** Gmail with its API v1, with pages of two. A search finds threads by labels (`label:x`) and words. */
export async function startScriptedGmail(token: string, pageSize = 2): Promise<ScriptedGmail> {
  const messages = new Map<string, Message>();
  const log: Change[] = [];
  const first = 1_000;
  let next = 0;
  let oldest = 0;
  let isLooping = false;
  let clock = Date.UTC(2026, 0, 1);

  const ofThread = (id: string): Message[] => [...messages.values()].filter(({ threadId }) => threadId === id);
  const historyOf = (id: string): string => String(first + 1 + log.findLastIndex((one) => one.message.threadId === id));
  const note = (kind: Change["kind"], { id, threadId, labelIds }: Message, changed?: readonly string[]): void => {
    log.push({ kind, message: { id, threadId, labelIds: [...labelIds] }, ...(changed && { labelIds: changed }) });
  };
  const isShown = ({ labelIds }: Message): boolean => !labelIds.includes("TRASH") && !labelIds.includes("SPAM");

  function matches(message: Message, q: string): boolean {
    if (!isShown(message) || (q.includes("-in:drafts") && message.labelIds.includes("DRAFT"))) return false;
    const labels = [...q.matchAll(/label:([\w-]+)/g)].map(([, name = ""]) => name);
    const word = /\((\w+)\)/.exec(q)?.[1];
    return (
      (labels.length === 0 || labels.some((name) => message.labelIds.includes(name))) &&
      (word === undefined || message.text?.includes(word) === true)
    );
  }

  function listThreads({ query }: ApiCall): ApiAnswer {
    const q = query.get("q") ?? "";
    const ids = [...new Set([...messages.values()].filter((one) => matches(one, q)).map(({ threadId }) => threadId))];
    const from = query.get("pageToken") ?? "";
    const rest = ids.filter((id) => id > from);
    const page = rest.slice(0, pageSize);
    const more = isLooping ? "0" : rest.length > pageSize ? page.at(-1) : undefined;
    return {
      body: {
        threads: page.map((id) => ({ id, snippet: "…", historyId: historyOf(id) })),
        ...(more !== undefined && { nextPageToken: more }),
      },
    };
  }

  function listHistory({ query }: ApiCall): ApiAnswer {
    const types = query.getAll("historyTypes");
    if (types.some((type) => !HISTORY_TYPES.includes(type))) return { status: 400, body: { error: { code: 400 } } };
    const start = Number(query.get("startHistoryId")) - first;
    if (!Number.isInteger(start) || start < oldest) return { status: 404, body: { error: { code: 404 } } };
    const from = Math.max(start, Number(query.get("pageToken") ?? 0));
    const page = log.slice(from, from + pageSize);
    const more = from + pageSize < log.length;
    return {
      body: {
        history: page.map(({ kind, message, labelIds }, at) => ({
          id: String(first + from + at + 1),
          messages: [message],
          [kind]: [{ message, ...(labelIds && { labelIds }) }],
        })),
        historyId: String(first + log.length),
        ...(more && { nextPageToken: String(from + pageSize) }),
      },
    };
  }

  function getThread({ query }: ApiCall, [id = ""]: readonly string[]): ApiAnswer {
    const found = ofThread(id);
    if (found.length === 0) return { status: 404, body: { error: { code: 404 } } };
    const isFull = query.get("format") === "full";
    return {
      body: {
        id,
        historyId: historyOf(id),
        messages: found.map((one) => ({
          id: one.id,
          threadId: id,
          labelIds: one.labelIds,
          internalDate: String(one.date),
          ...(isFull && { payload: payloadOf(one) }),
        })),
      },
    };
  }

  const api = await startScriptedApi(token, [
    {
      method: "GET",
      path: /^\/gmail\/v1\/users\/me\/profile$/,
      query: STANDARD,
      answer: () => ({ body: { emailAddress: "owner@example.com", historyId: String(first + log.length) } }),
    },
    {
      method: "GET",
      path: /^\/gmail\/v1\/users\/me\/threads$/,
      query: [...THREADS_LIST, ...STANDARD],
      answer: listThreads,
    },
    {
      method: "GET",
      path: /^\/gmail\/v1\/users\/me\/threads\/([^/]+)$/,
      query: ["format", "metadataHeaders", ...STANDARD],
      answer: getThread,
    },
    {
      method: "GET",
      path: /^\/gmail\/v1\/users\/me\/messages\/([^/]+)\/attachments\/([^/]+)$/,
      query: STANDARD,
      answer: (_call, [id = ""]) => ({ body: { data: encode(messages.get(id)?.text ?? "") } }),
    },
    {
      method: "GET",
      path: /^\/gmail\/v1\/users\/me\/history$/,
      query: [...HISTORY_LIST, ...STANDARD],
      required: ["startHistoryId"],
      answer: listHistory,
    },
  ]);

  function add(threadId: string, subject: string, parts: MailParts): string {
    next += 1;
    const id = `m${String(next).padStart(4, "0")}`;
    const labelIds = [...(parts.labels ?? ["INBOX", "UNREAD"])];
    const message = { ...parts, id, threadId: threadId === "" ? `t${id}` : threadId, subject, date: clock, labelIds };
    clock += 60_000;
    messages.set(id, message);
    note("messagesAdded", message);
    return message.threadId;
  }
  const label = (thread: string, name: string): void => {
    for (const message of ofThread(thread)) {
      message.labelIds = [...message.labelIds, name];
      note("labelsAdded", message, [name]);
    }
  };
  const unlabel = (thread: string, name: string): void => {
    for (const message of ofThread(thread)) {
      message.labelIds = message.labelIds.filter((one) => one !== name);
      note("labelsRemoved", message, [name]);
    }
  };
  return {
    ...api,
    put: (subject, text, parts = {}) => Promise.resolve(add("", subject, { text, ...parts })),
    reply: (thread, parts) => Promise.resolve(add(thread, `Re: ${ofThread(thread)[0]?.subject ?? ""}`, parts)),
    label,
    unlabel,
    remove: (thread) => Promise.resolve(label(thread, "TRASH")),
    restore: (thread) => Promise.resolve(unlabel(thread, "TRASH")),
    lose(thread, only) {
      for (const message of ofThread(thread)) {
        if (only !== undefined && message.id !== only) continue;
        messages.delete(message.id);
        note("messagesDeleted", message);
      }
    },
    expire: () => {
      log.push({ kind: "labelsAdded", message: { id: "none", threadId: "none", labelIds: [] }, labelIds: ["STARRED"] });
      oldest = log.length;
    },
    loop: () => void (isLooping = true),
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function payloadOf({
  id,
  subject,
  from = "Ann <ann@example.com>",
  date,
  text,
  html,
  attachments = [],
  isLarge,
}: Message) {
  const headers = [
    { name: "From", value: from },
    { name: "To", value: "Bob <bob@example.com>" },
    { name: "Date", value: new Date(date).toUTCString() },
    { name: "Subject", value: subject },
  ];
  const parts = [
    ...(text === undefined
      ? []
      : [
          { mimeType: "text/plain", filename: "", body: isLarge ? { attachmentId: `a${id}` } : { data: encode(text) } },
        ]),
    ...(html === undefined ? [] : [{ mimeType: "text/html", filename: "", body: { data: encode(html) } }]),
  ];
  const files = attachments.map((filename) => ({ mimeType: "application/pdf", filename, body: { attachmentId: "x" } }));
  return {
    mimeType: "multipart/mixed",
    filename: "",
    headers,
    body: { size: 0 },
    parts: [{ mimeType: "multipart/alternative", filename: "", body: { size: 0 }, parts }, ...files],
  };
}
