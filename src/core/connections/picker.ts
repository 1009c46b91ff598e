import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import type { Connector, FoundResources, Resource } from "../ports.js";
import type { Connection } from "../types.js";
import { configure, nothingToChoose, requireSignedIn, resourcesOf } from "./change-connection.js";
import { webUrlSchema } from "./create-connection.js";
import { connectionNameSchema, requireConnection, requireConnector } from "./find-connections.js";
import { changeSecrets, readableSecrets } from "./secrets.js";
import { beginPicking, type OpenedPicker } from "./picker-link.js";

const PER_PAGE = 100;
const MOST_PAGES = 100_000;

const openSchema = connectionNameSchema.extend({
  /** Where the browser goes once something has been chosen. */
  returnUrl: webUrlSchema.nullish(),
  /** Base address of this server as the browser reaches it. */
  origin: z.string(),
});

/** @throws AppError `not_found`, `not_implemented` if nothing can be chosen, `invalid` before somebody has signed in */
export async function openPicker(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<OpenedPicker> {
  const { id, returnUrl = null, origin } = parseInput(openSchema, raw);
  const connection = await requireConnection(context, call, id);
  const connector = requireConnector(context, connection.provider);
  if (!connector.listResources) throw nothingToChoose(connector.title);
  requireSignedIn(connection);
  return beginPicking(context, connection, { returnUrl, origin });
}

const tokenSchema = z.object({ token: z.string().max(1_000) });
const showSchema = tokenSchema.extend({
  page: z.int().min(1).max(MOST_PAGES).default(1),
  parentId: z.string().max(2_000).nullish(),
});

/** What can be chosen, and what has been. */
export interface ShownPicker extends FoundResources {
  readonly title: string;
  readonly account: string | null;
  readonly chosen: readonly Resource[];
  /** True: there may be more on the next page. */
  readonly hasMore: boolean;
  readonly returnUrl: string | null;
}

/** @throws AppError `not_found` for an expired or unknown address */
export async function showPicker(context: CoreContext, _call: AuthorizedCall, raw: unknown): Promise<ShownPicker> {
  const { token, page, parentId = null } = parseInput(showSchema, raw);
  const { connection, connector, returnUrl } = await requirePicker(context, token);
  const found = await resourcesOf(context, connection, { page, perPage: PER_PAGE, parentId });
  const { account, resources: chosen } = connection;
  const hasMore = found.total === undefined ? found.resources.length === PER_PAGE : found.total > page * PER_PAGE;
  return { ...found, title: connector.title, account, chosen, hasMore, returnUrl };
}

const chooseSchema = tokenSchema.extend({ resources: z.array(z.record(z.string(), z.unknown())).max(500) });

export interface Picked {
  readonly title: string;
  readonly count: number;
  readonly returnUrl: string | null;
}

/** Chooses, and closes the page. @throws AppError `not_found` as `showPicker`; `invalid` for what cannot be chosen */
export async function choosePicked(context: CoreContext, _call: AuthorizedCall, raw: unknown): Promise<Picked> {
  const { token, resources } = parseInput(chooseSchema, raw);
  const { connection, connector, returnUrl } = await requirePicker(context, token);
  // Taken before it is used, so that only one of several concurrent calls chooses.
  const taken = await changeSecrets(context, connection, (now) =>
    now?.picker?.token === sha256(token) ? { ...now, picker: null } : null,
  );
  if (taken === null) throw overPage();
  try {
    await configure(context, connection, { resources });
  } catch (error) {
    const { picker } = taken;
    await changeSecrets(context, connection, (now) => (now?.picker === null ? { ...now, picker } : null));
    throw error;
  }
  return { title: connector.title, count: resources.length, returnUrl };
}

interface FoundPicker {
  readonly connection: Connection;
  readonly connector: Connector;
  readonly returnUrl: string | null;
}

async function requirePicker(context: CoreContext, token: string): Promise<FoundPicker> {
  const { store, clock } = context;
  const id = customIdSchema.safeParse(token.split(".", 1)[0]);
  const connection = id.success ? await store.connections.byId(store.organizationId, id.data) : null;
  const isKept = connection !== null && connection.state !== "removing";
  const picker = isKept && (await readableSecrets(context, connection))?.picker;
  if (!isKept || !picker || picker.token !== sha256(token) || picker.expiresAt <= iso(clock.now())) throw overPage();
  return { connection, connector: requireConnector(context, connection.provider), returnUrl: picker.returnUrl };
}

function overPage(): AppError {
  return new AppError(
    "not_found",
    "This page has expired: something was already chosen on it, or its hour has passed.",
  );
}
