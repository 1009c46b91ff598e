import { createSourceClient } from "../../src/adapters/fetch/source-client.js";
import type { Connector, Resource, SourceAccess } from "../../src/core/ports.js";
import { NO_PLACES, readAllowedPlaces } from "../../src/lib/allowed-places.js";

/** A connection as a connector sees it, over a real client that may reach this machine. */
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
    resolveHost: (host) => client.resolveHost(host),
    known,
    now: () => new Date(),
    maximumBytes,
    signal,
  };
}
