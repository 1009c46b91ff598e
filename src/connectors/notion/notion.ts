import * as z from "zod";
import { CheckpointExpired, readCheckpoint } from "../../core/connections/connector-errors.js";
import type { ChangePage, Connector, SourceAccess } from "../../core/ports.js";
import { askNotion, listSchema, nextCursor, type NotionApi, PAGE_SIZE, parseNotion } from "./notion-api.js";
import { notionContentOf } from "./notion-content.js";
import { changesOfPages, detailSchema, earlyVersion } from "./notion-pages.js";

const fieldsSchema = z.object({ token: z.string().trim().min(1, "must be a Notion token").max(1_000).optional() });
const idSchema = z.object({ id: z.string() });
const userSchema = z.object({
  name: z.string().nullish(),
  bot: z.object({ workspace_name: z.string().nullish() }).nullish(),
});

/** First all pages are listed, then all data sources, then the rows of each, some of which the first list may lack. */
const checkpointSchema = z.object({
  step: z.enum(["pages", "sources", "rows"]),
  cursor: z.string().nullable(),
  /** Data sources whose rows are still to be listed. */
  sources: z.array(z.string()),
});
type Position = z.output<typeof checkpointSchema>;
const BEGINNING: Position = { step: "pages", cursor: null, sources: [] };

/**
 * The pages that a Notion integration has access to (developers.notion.com), and database rows, which are pages too. Notion has
 * no change feed: each run lists everything, newest first, and reads what was edited. The list lags, so a page counts as gone
 * only once it has been missing twice.
 */
export function createNotionConnector({ apiUrl = "https://api.notion.com" }: { readonly apiUrl?: string }): Connector {
  const apiOf = (access: SourceAccess): NotionApi => ({ url: apiUrl, access });
  return {
    provider: "notion",
    title: "Notion",
    signIn: {
      kind: "oauth",
      authorizeUrl: `${apiUrl}/v1/oauth/authorize`,
      tokenUrl: `${apiUrl}/v1/oauth/token`,
      scopes: [],
      parameters: { owner: "user" },
      clientAuthentication: "basic",
      asksInJson: true,
      application: "notion",
      tokenField: "token",
    },
    fields: fieldsSchema,
    secretFields: ["token"],
    // Three requests a second on average; beyond that, Notion demands a pause.
    sync: { everyMinutes: 240, absences: 2, readsAtOnce: 1 },
    async check(access) {
      const { name, bot } = parseNotion(await askNotion(apiOf(access), "/users/me"), userSchema);
      return { account: bot?.workspace_name ?? name ?? null };
    },
    changes: (access, checkpoint) =>
      listAll(apiOf(access), checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint)),
    async read(access, item) {
      const { edited, fields } = detailSchema.parse(item.detail);
      const { markdown, readAt } = await notionContentOf(apiOf(access), item.id);
      const head = [
        ...(item.title === null ? [] : [`# ${item.title}`]),
        ...(fields.length > 0 ? [fields.join("\n")] : []),
      ];
      const version = earlyVersion(edited, readAt);
      return {
        content: [...head, markdown].join("\n\n"),
        mimeType: "text/markdown",
        fileName: null,
        type: "notion_doc",
        title: item.title,
        changedAt: edited,
        metadata: item.address === null ? {} : { url: item.address },
        ...(version !== undefined && { version }),
      };
    },
  };
}

async function* listAll(api: NotionApi, from: Position | null): AsyncIterable<ChangePage> {
  let position = from ?? BEGINNING;
  let isFirst = from === null;
  // Separate sets, since a cursor means something different in each list.
  let seen = new Set<string>();
  for (;;) {
    const { step, sources } = position;
    const list = await listFrom(api, position);
    const cursor = list === null ? null : nextCursor(list, seen);
    const isNamingSources = step === "sources";
    const found = isNamingSources ? (list?.results ?? []).flatMap((one) => idSchema.safeParse(one).data?.id ?? []) : [];
    const waiting = [...new Set([...sources, ...found])];
    const next = cursor === null ? after(step, waiting) : { step, cursor, sources: waiting };
    if (cursor === null) seen = new Set();
    yield {
      kind: "listing",
      isFirst,
      isLast: next === null,
      items: isNamingSources ? [] : await changesOfPages(list?.results ?? [], api.access.known),
      checkpoint: next,
    };
    if (next === null) return;
    isFirst = false;
    position = next;
  }
}

/** What to list next. */
function after(step: Position["step"], sources: readonly string[]): Position | null {
  if (step === "pages") return { step: "sources", cursor: null, sources: [] };
  const left = step === "rows" ? sources.slice(1) : [...sources];
  return left.length === 0 ? null : { step: "rows", cursor: null, sources: left };
}

/** A page of a list; null for the rows of a data source that no longer exists. @throws CheckpointExpired */
async function listFrom(api: NotionApi, { step, cursor, sources }: Position) {
  const newest = { timestamp: "last_edited_time", direction: "descending" };
  const part = { page_size: PAGE_SIZE, ...(cursor !== null && { start_cursor: cursor }) };
  // Only a resumed list can have its cursor refused.
  const refusals = cursor === null ? [] : [400];
  const answer =
    step === "rows"
      ? await askNotion(api, `/data_sources/${encodeURIComponent(sources[0] ?? "")}/query`, {
          body: { ...part, sorts: [newest] },
          accepts: [...refusals, 404],
        })
      : await askNotion(api, "/search", {
          body: {
            ...part,
            filter: { property: "object", value: step === "pages" ? "page" : "data_source" },
            sort: newest,
          },
          accepts: refusals,
        });
  if (answer.status === 400) throw new CheckpointExpired("Notion no longer knows the position in its list.");
  return answer.status === 404 ? null : parseNotion(answer, listSchema);
}
