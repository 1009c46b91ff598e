import { createSourceClient } from "../../src/adapters/fetch/source-client.js";
import type { ChangePage, Connector, Resource, SourceAccess, SourceChange } from "../../src/core/ports.js";
import { NO_PLACES, readAllowedPlaces } from "../../src/lib/allowed-places.js";

/** A connection as seen by a connector, with a real client that may reach this machine. */
export function sourceAccess(
  connector: Connector,
  options: {
    readonly metadata?: Readonly<Record<string, string | number | boolean>>;
    readonly resources?: readonly Resource[];
    readonly token?: string;
    readonly known?: SourceAccess["known"];
    readonly maximumBytes?: number;
  } = {},
): SourceAccess {
  const {
    metadata = {},
    resources = [],
    token,
    known = () => Promise.resolve(null),
    maximumBytes = 50_000_000,
  } = options;
  const fields = connector.fields.parse(metadata) as Readonly<Record<string, string | number | boolean>>;
  const isSecret = (name: string) => connector.secretFields.includes(name);
  const { signal } = new AbortController();
  const client = createSourceClient({
    allowed: readAllowedPlaces(["127.0.0.1", "localhost"]) ?? NO_PLACES,
    isOffline: false,
    userAgent: "Recollect/test",
    maximumBytes,
  });
  const tokenField = connector.signIn.kind === "oauth" ? connector.signIn.tokenField : undefined;
  const given = token ?? (tokenField === undefined ? undefined : fields[tokenField]);
  return {
    settings: Object.fromEntries(Object.entries(fields).filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (isSecret(name) ? [[name, String(value)] as const] : [])),
    ),
    resources,
    request: (request) =>
      client.send(request, { authorization: given === undefined ? null : `Bearer ${given}`, signal }),
    resolveHost: (host, port) => client.resolveHost(host, port),
    known,
    knownIds: () => Promise.resolve([]),
    now: () => new Date(),
    maximumBytes,
    signal,
  };
}

/**
 * The pages of changes since a checkpoint. With `stops`, each page is requested anew from the previous checkpoint,
 * as after a kill; checkpoints pass through JSON, as in the record.
 */
export async function pagesOf(
  connector: Connector,
  access: SourceAccess,
  { checkpoint = null, stops = false }: { readonly checkpoint?: unknown; readonly stops?: boolean } = {},
): Promise<ChangePage[]> {
  const pages: ChangePage[] = [];
  for (let from = checkpoint; ;) {
    for await (const page of connector.changes(access, from)) {
      pages.push({ ...page, checkpoint: JSON.parse(JSON.stringify(page.checkpoint)) as unknown });
      if (page.isLast || stops) break;
    }
    const last = pages.at(-1);
    if (last === undefined || last.isLast) return pages;
    from = last.checkpoint;
  }
}

/** The contents of pages, by id; null for removed items. */
export function itemsOf(pages: readonly ChangePage[]): Map<string, Extract<SourceChange, { kind: "upsert" }> | null> {
  return new Map(
    pages
      .flatMap(({ items }) => items)
      .map((change) => (change.kind === "upsert" ? [change.item.id, change] : [change.id, null])),
  );
}
