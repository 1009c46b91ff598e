import { CheckpointExpired, ItemGone, ItemSkipped } from "../../src/core/connections/connector-errors.js";
import type { ChangePage, Connector, SourceAccess, SourceContent, SourceItem } from "../../src/core/ports.js";

interface Mirrored {
  readonly item: SourceItem;
  readonly content: SourceContent | null;
}

/** What a connector imports, stored as simply as possible; checkpoints pass through JSON, as in a database. */
export interface MirroredSource {
  readonly documents: ReadonlyMap<string, Mirrored>;
  readonly skipped: ReadonlyMap<string, string>;
  /** Ids, in the order in which they were read. */
  readonly reads: readonly string[];
  readonly pages: readonly ChangePage[];
  /** An item as known to the connection. */
  readonly known: SourceAccess["known"];
  /** One complete run. With `stopAfter`, it ends after this many pages, as if killed. @returns whether it completed */
  sync(options?: { readonly stopAfter?: number }): Promise<boolean>;
  /** The documents' texts by title. */
  texts(): Record<string, string>;
}

export function mirrorSource(
  connector: Connector,
  accessWith: (known: SourceAccess["known"]) => SourceAccess,
): MirroredSource {
  const documents = new Map<string, Mirrored>();
  const skipped = new Map<string, string>();
  const reads: string[] = [];
  const pages: ChangePage[] = [];
  const named = new Set<string>();
  let kept: string | null = null;
  const known: SourceAccess["known"] = (id) => Promise.resolve(documents.get(id)?.item ?? null);
  const knownIds: SourceAccess["knownIds"] = (prefix) =>
    Promise.resolve([...documents.keys()].filter((id) => id.startsWith(prefix)));
  const access = Object.assign(accessWith(known), { knownIds });

  async function take(item: SourceItem): Promise<void> {
    const before = documents.get(item.id);
    if (before?.item.version === item.version) {
      documents.set(item.id, { ...before, item });
      return;
    }
    reads.push(item.id);
    try {
      const content = await connector.read(access, item);
      const { version = item.version, detail = item.detail } = content;
      documents.set(item.id, { item: { ...item, version, detail }, content });
    } catch (error) {
      if (error instanceof ItemGone) documents.delete(item.id);
      else if (error instanceof ItemSkipped) {
        skipped.set(item.id, error.message);
        documents.set(item.id, { item, content: null });
      } else throw error;
    }
  }

  async function bringIn(page: ChangePage): Promise<void> {
    pages.push(page);
    if (page.isFirst) named.clear();
    for (const change of page.items) {
      if (change.kind === "remove") documents.delete(change.id);
      else {
        named.add(change.item.id);
        await take(change.item);
      }
    }
    if (page.kind === "listing" && page.isLast && page.cutShort === undefined)
      for (const id of documents.keys()) if (!named.has(id)) documents.delete(id);
    kept = JSON.stringify(page.checkpoint);
  }

  return {
    documents,
    skipped,
    reads,
    pages,
    known,
    async sync({ stopAfter = Number.POSITIVE_INFINITY } = {}) {
      let count = 0;
      try {
        for await (const page of connector.changes(access, kept === null ? null : JSON.parse(kept))) {
          await bringIn(page);
          if (page.isLast) return true;
          count += 1;
          if (count >= stopAfter) return false;
        }
      } catch (error) {
        if (!(error instanceof CheckpointExpired) || kept === null) throw error;
        kept = null;
        for await (const page of connector.changes(access, null)) await bringIn(page);
        return true;
      }
      return false;
    },
    texts: () =>
      Object.fromEntries(
        [...documents.values()].flatMap(({ item, content }) =>
          content === null ? [] : [[item.title ?? item.id, textOf(content)] as const],
        ),
      ),
  };
}

function textOf({ content }: SourceContent): string {
  return typeof content === "string" ? content : Buffer.from(content).toString("utf8");
}
