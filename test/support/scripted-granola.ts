import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { ScriptedSource, SourceFault } from "./scripted-source.js";

export const GRANOLA_KEY = "grn_a-key-for-tests";

interface Note {
  title: string;
  text: string;
  updatedAt: string;
}

export interface ScriptedGranola extends ScriptedSource {
  /** Paths with queries, in order. */
  readonly asked: string[];
  /** Ids of notes answered with status 500. */
  readonly broken: Set<string>;
  /** Answers lists of notes with pages that form a loop of this length. */
  loop(pages: number): void;
}

/** The documented requests: all others are refused, as by the service. */
const listQuery = z.strictObject({
  page_size: z.coerce.number().int().min(1).max(30).default(10),
  cursor: z.string().optional(),
  created_after: z.iso.date().optional(),
  created_before: z.iso.date().optional(),
  updated_after: z.iso.date().optional(),
});
const noteQuery = z.strictObject({ include: z.literal("transcript").optional() });
const NOTE_ID = /^not_[a-zA-Z0-9]{14}$/;
const LAST_ID = "not_99999999999999";

/** Granola's public API as described at docs.granola.ai, with notes in memory. */
export async function startGranola(mostOfPage = 30): Promise<ScriptedGranola> {
  const notes = new Map<string, Note>();
  const asked: string[] = [];
  const broken = new Set<string>();
  /** Expired cursors. */
  const spoilt = new Set<string>();
  let faults: SourceFault[] = [];
  /** Cursors of the next pages, in turn. */
  let circle: string[] = [];
  let made = 0;
  let minute = 0;
  const stamp = () => new Date(Date.UTC(2026, 2, 1, 9, (minute += 1))).toISOString();
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    const fault = faults.shift();
    if (fault?.kind === "cut") {
      response.writeHead(200, { "content-length": "1000" }).write("{");
      return void response.destroy();
    }
    if (fault?.kind === "status") {
      const { retryAfter } = fault;
      return answer(fault.status, {}, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
    }
    const url = new URL(request.url ?? "/", "http://granola");
    const { authorization } = request.headers;
    if (request.method !== "GET") return answer(405, { message: "Method not allowed" });
    if (authorization !== `Bearer ${GRANOLA_KEY}`)
      return answer(401, { message: `The key ${authorization?.slice(7)} is not valid` });
    const query = Object.fromEntries(url.searchParams);
    if (url.pathname === "/v1/notes") {
      const read = listQuery.safeParse(query);
      if (!read.success) return answer(400, { message: z.prettifyError(read.error) });
      const { page_size: wanted, cursor = LAST_ID } = read.data;
      const size = Math.min(wanted, mostOfPage);
      if (!NOTE_ID.test(cursor) || spoilt.has(cursor)) return answer(400, { message: "Invalid cursor" });
      // Pages continue after a note, not after a number of notes, so deletions in between shift nothing.
      const left = [...notes].toReversed().filter(([id]) => id < cursor);
      const page = left.slice(0, size);
      const next = page.at(-1)?.[0] ?? null;
      const hasMore = size < left.length;
      if (circle.length > 0) {
        circle.push(circle.shift() ?? "");
        return answer(200, { notes: page.map(summaryOf), hasMore: true, cursor: circle[0] });
      }
      return answer(200, { notes: page.map(summaryOf), hasMore, cursor: hasMore ? next : null });
    }
    const id = /^\/v1\/notes\/([^/]+)$/.exec(url.pathname)?.[1] ?? "";
    if (!NOTE_ID.test(id) || !noteQuery.safeParse(query).success) return answer(400, { message: "Bad request" });
    const note = notes.get(id);
    if (broken.has(id)) return answer(500, { message: "Internal error" });
    if (!note) return answer(404, { message: "Note not found" });
    return answer(200, detailOf([id, note], query["include"] === "transcript"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const change = (id: string, fields: Partial<Note>): Promise<void> => {
    const note = notes.get(id);
    if (note) notes.set(id, { ...note, ...fields, updatedAt: stamp() });
    return Promise.resolve();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    broken,
    requests: () => asked.length,
    put(title, text) {
      const id = `not_${String((made += 1)).padStart(14, "0")}`;
      notes.set(id, { title, text, updatedAt: stamp() });
      return Promise.resolve(id);
    },
    edit: (id, text) => change(id, { text }),
    rename: (id, title) => change(id, { title }),
    remove(id) {
      notes.delete(id);
      return Promise.resolve();
    },
    fail(fault, times) {
      if (fault.kind === "expired") for (const id of notes.keys()) spoilt.add(id);
      else faults.push(...Array.from({ length: times }, () => fault));
    },
    heal() {
      faults = [];
      spoilt.clear();
    },
    loop: (pages) => void (circle = [...notes.keys()].slice(0, pages)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const CREATED = "2026-03-01T08:00:00Z";
const OWNER = { name: "Mia Berg", email: "mia@example.com" };

function summaryOf([id, { title, updatedAt }]: readonly [string, Note]) {
  return { id, object: "note", title, owner: OWNER, created_at: CREATED, updated_at: updatedAt };
}

function detailOf([id, note]: readonly [string, Note], withTranscript: boolean) {
  return {
    ...summaryOf([id, note]),
    web_url: `https://notes.example/${id}`,
    calendar_event: { event_title: note.title, scheduled_start_time: "2026-03-01T07:30:00Z" },
    attendees: [OWNER, { name: null, email: "tom@example.com" }],
    folder_membership: [{ id: "fol_00000000000001", object: "folder", name: "Planning" }],
    summary_text: note.text,
    summary_markdown: note.text,
    transcript: withTranscript
      ? [
          { speaker: { source: "microphone" }, text: "Shall we begin?", start_time: CREATED, end_time: CREATED },
          { speaker: { source: "microphone" }, text: "I have the figures.", start_time: CREATED, end_time: CREATED },
          { speaker: { source: "speaker" }, text: "Yes, please.", start_time: CREATED, end_time: CREATED },
        ]
      : null,
  };
}
