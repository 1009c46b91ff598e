import { z } from "zod";
import { choice, setting } from "./setting.js";

const RULE =
  "must be the URL of a PostgreSQL database, such as postgres://user:password@host:5432/recollect, with special characters in the password percent-encoded (/ as %2F, # as %23, % as %25); unset it if it is meant for another program";

/** The setting for the location of the store. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: setting({
    schema: z.string().refine(isPostgresUrl, RULE),
    isSecret: true,
    description:
      "Keeps the record in a PostgreSQL database (15 or later) instead of the data folder: `postgres://user:password@host:5432/name`. The database must be empty or already contain Recollect's record.",
  }),
  RECOLLECT_NODES: setting({
    schema: choice(["one", "several"]),
    fallback: "one",
    description:
      "`several` lets any number of services use the database of `DATABASE_URL` at the same time, as [nodes](operation.md#several-nodes). `one` refuses a second service.",
  }),
};

interface NodeValues {
  readonly RECOLLECT_NODES: "one" | "several" | undefined;
  readonly DATABASE_URL: string | undefined;
  readonly RECOLLECT_BLOBS: object | undefined;
  readonly RECOLLECT_SECRET_KEY: string | undefined;
}

/** Missing settings that several nodes need to share, as sentences that name them. */
export function findNodeProblems(values: NodeValues): string[] {
  if (values.RECOLLECT_NODES !== "several") return [];
  return (["DATABASE_URL", "RECOLLECT_BLOBS", "RECOLLECT_SECRET_KEY"] as const)
    .filter((name) => values[name] === undefined)
    .map(
      (name) =>
        `RECOLLECT_NODES is "several", but ${name} is not set. Nodes share it: set it to the same value on all of them.`,
    );
}

/** Whether a text is the URL of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol) && !hasStrayPercent(text);
}

/** What the driver takes from the environment where the address of a database does not say it. */
export interface DatabaseDefaults {
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly database: string | undefined;
}

/** The address with the defaults that apply to it, so that it names the database that the driver would use. */
export function completeAddress(url: string, { host, port, database }: DatabaseDefaults): string {
  const complete = new URL(url);
  const { searchParams: parameters } = complete;
  if (host && complete.hostname === "" && !parameters.has("host")) parameters.set("host", host);
  if (port && complete.port === "" && !parameters.has("port")) parameters.set("port", port);
  if (database && complete.pathname.length <= 1) complete.pathname = `/${encodeURIComponent(database)}`;
  return complete.href === new URL(url).href ? url : complete.href;
}

/**
 * Whether the user, the password or the name of the database has a percent sign that begins no character code, and that the driver
 * does not take for itself either. In options it always does.
 */
export function hasStrayPercent(url: string): boolean {
  if (!url.includes("%")) return false;
  // Where a code is incomplete, the driver encodes the whole text once more, except for codes of two digits.
  const isEncodedAgain = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(url);
  const encoded = isEncodedAgain ? encodeURI(url).replace(/%25(\d\d)/g, "%$1") : url;
  if (!URL.canParse(encoded)) return true;
  const { username, password, pathname } = new URL(encoded);
  return [username, password, pathname].some((part) => decode(part) === null);
}

function decode(text: string): string | null {
  try {
    // Its value is used: the bundler drops a call of which only the error matters.
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
