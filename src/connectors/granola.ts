import * as z from "zod";
import { CheckpointExpired, ItemGone, readCheckpoint } from "../core/connections/connector-errors.js";
import { jsonOf, parseAnswer } from "../core/connections/json-answer.js";
import { requireNewPage } from "../core/connections/require-new-page.js";
import { AppError } from "../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceAnswer, SourceContent } from "../core/ports.js";
import { iso, parseIso } from "../lib/time.js";

/** The provider's maximum. */
const PAGE = 30;
const LONGEST_QUOTE = 300;
const MOST_ATTENDEES = 100;

const person = z.object({ name: z.string().nullish(), email: z.string().nullish() });
const listSchema = z.object({
  notes: z.array(
    z.object({
      id: z.string().min(1),
      title: z.string().nullish(),
      created_at: z.string(),
      updated_at: z.string().nullish(),
      web_url: z.string().nullish(),
    }),
  ),
  hasMore: z.boolean(),
  cursor: z.string().nullish(),
});
const noteSchema = z.object({
  title: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  owner: person.nullish(),
  attendees: z.array(person).nullish(),
  calendar_event: z.object({ scheduled_start_time: z.string().nullish() }).nullish(),
  folder_membership: z.array(z.object({ name: z.string().nullish() })).nullish(),
  summary_markdown: z.string().nullish(),
  summary_text: z.string().nullish(),
  transcript: z
    .array(
      z.object({
        speaker: z.object({ source: z.string().nullish(), diarization_label: z.string().nullish() }).nullish(),
        text: z.string().nullish(),
      }),
    )
    .nullish(),
});
type Note = z.output<typeof noteSchema>;
const errorSchema = z.object({ message: z.string().optional(), error: z.string().optional() });
const checkpointSchema = z.object({ cursor: z.string() });

/** Meeting notes, each with its summary and transcript, over the public API (docs.granola.ai). */
export function createGranolaConnector({ apiUrl = "https://public-api.granola.ai/v1" } = {}): Connector {
  return {
    provider: "granola",
    title: "Granola",
    signIn: { kind: "credentials" },
    fields: z.object({
      apiKey: z.string("must be a Granola API key").trim().min(1, "must be a Granola API key"),
    }),
    secretFields: ["apiKey"],
    sync: { everyMinutes: null, absences: 1, readsAtOnce: 2 },

    async check(access) {
      const answer = await ask(access, `${apiUrl}/notes?page_size=1`, [400, 401, 403]);
      const { status } = answer;
      if (status !== 200)
        throw new AppError(
          "invalid",
          `Granola does not accept this API key (status ${status}).${quoteOf(access, answer)}`,
        );
      parseAnswer(answer, listSchema, "Granola");
      return { account: null };
    },

    changes: (access, checkpoint) =>
      list(access, apiUrl, checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint).cursor),

    async read(access, { id }) {
      const url = `${apiUrl}/notes/${encodeURIComponent(id)}?include=transcript`;
      // A refused note still exists: the key may have lost access to it.
      const answer = await ask(access, url, [404, 410]);
      if (answer.status !== 200) throw new ItemGone();
      return contentOf(parseAnswer(answer, noteSchema, "Granola"));
    },
  };
}

async function* list(access: SourceAccess, apiUrl: string, from: string | null): AsyncGenerator<ChangePage> {
  const seen = new Set(from === null ? [] : [from]);
  for (let cursor = from; ;) {
    const query = new URLSearchParams({ page_size: String(PAGE), ...(cursor !== null && { cursor }) });
    const answer = await ask(access, `${apiUrl}/notes?${query.toString()}`, cursor === null ? [] : [400]);
    if (answer.status !== 200) throw new CheckpointExpired();
    const page = parseAnswer(answer, listSchema, "Granola");
    const next = page.hasMore
      ? requireNewPage(page.cursor ?? null, seen, "Granola does not lead to a next page")
      : null;
    yield {
      kind: "listing",
      isFirst: cursor === null,
      isLast: next === null,
      items: page.notes.map(({ id, title, created_at, updated_at, web_url }) => ({
        kind: "upsert",
        item: { id, version: updated_at ?? created_at, title: title ?? null, address: web_url ?? null, path: null },
      })),
      checkpoint: next === null ? null : { cursor: next },
    };
    if (next === null) return;
    cursor = next;
  }
}

function ask({ request, secrets }: SourceAccess, url: string, accepts: readonly number[] = []): Promise<SourceAnswer> {
  const headers = { authorization: `Bearer ${secrets["apiKey"] ?? ""}`, accept: "application/json" };
  return request({ url, headers, isSigned: false, accepts });
}

/** The provider's own words, with the key removed should they repeat it. */
function quoteOf({ secrets }: SourceAccess, answer: SourceAnswer): string {
  const body = jsonOf(answer);
  const { message, error } = errorSchema.safeParse(body).data ?? {};
  const said = message ?? error ?? (body === null ? Buffer.from(answer.bytes).toString("utf8") : "");
  const text = said
    .replaceAll(secrets["apiKey"] || "\0", "…")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_QUOTE);
  return text === "" ? "" : ` Granola says: ${text}`;
}

function contentOf(note: Note): SourceContent {
  const { title, created_at, updated_at, owner, attendees, calendar_event, folder_membership } = note;
  const names = (attendees ?? []).flatMap((one) => nameOf(one) ?? []).slice(0, MOST_ATTENDEES);
  const folders = (folder_membership ?? []).flatMap(({ name }) => name ?? []);
  const ownerName = owner ? nameOf(owner) : null;
  const start = calendar_event?.scheduled_start_time;
  const heading = title ? `# ${title}\n\n` : "";
  const summary = (note.summary_markdown ?? note.summary_text ?? "").trim();
  const said = transcriptOf(note);
  return {
    content: `${heading}${summary}${said === "" ? "" : `\n\n## Transcript\n\n${said}`}\n`,
    mimeType: "text/markdown",
    fileName: null,
    type: "granola",
    title: title ?? null,
    changedAt: dateOf(updated_at ?? created_at),
    metadata: {
      attendees: names,
      meetingStart: dateOf(start ?? created_at) ?? created_at,
      ...(ownerName !== null && { owner: ownerName }),
      ...(folders.length > 0 && { folders }),
    },
  };
}

/** Consecutive remarks of one speaker form one paragraph. */
function transcriptOf({ transcript }: Note): string {
  const turns: { speaker: string; text: string }[] = [];
  for (const { speaker, text } of transcript ?? []) {
    const words = text?.trim() ?? "";
    if (words === "") continue;
    const name = speaker?.diarization_label ?? (speaker?.source === "microphone" ? "Me" : "Others");
    const last = turns.at(-1);
    if (last?.speaker === name) last.text += ` ${words}`;
    else turns.push({ speaker: name, text: words });
  }
  return turns.map(({ speaker, text }) => `**${speaker}:** ${text}`).join("\n\n");
}

function nameOf({ name, email }: z.output<typeof person>): string | null {
  if (name && email) return `${name} <${email}>`;
  return name || email || null;
}

function dateOf(text: string): string | null {
  const date = parseIso(text);
  return date && iso(date);
}
