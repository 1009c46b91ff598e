import * as z from "zod";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";

/** Services whose documents a connection would bring in (contract 1.14). */
export const PROVIDERS = [
  "notion",
  "google-drive",
  "onedrive",
  "gmail",
  "github",
  "web-crawler",
  "s3",
  "granola",
] as const;
type Provider = (typeof PROVIDERS)[number];

export const providerSchema = z.enum(PROVIDERS, `must be one of ${PROVIDERS.join(", ")}`);
const ofProviderSchema = z.object({
  provider: providerSchema,
  containerTags: z.array(containerTagSchema, "must be an array of container tags").max(100).optional(),
});
const byIdSchema = z.object({ id: customIdSchema });

/** Connections of the organisation. No connector exists in this version, so there are none. */
export async function listConnections(_context: CoreContext, call: AuthorizedCall): Promise<{ connections: [] }> {
  requireAllContainers(call.actor);
  return { connections: [] };
}

/** Documents that the connections of a provider brought in. */
export async function listConnectionDocuments(
  _context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ documents: [] }> {
  requireAllContainers(call.actor);
  parseInput(ofProviderSchema, raw);
  return { documents: [] };
}

/** @throws AppError `not_found` */
export async function findConnection(_context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<never> {
  requireAllContainers(call.actor);
  throw notFound("connection", parseInput(byIdSchema, raw).id);
}

/** @throws AppError `not_found` */
export async function findConnectionOf(_context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<never> {
  requireAllContainers(call.actor);
  const { provider, containerTags = [] } = parseInput(ofProviderSchema, raw);
  throw new AppError("not_found", `There is no connection to ${provider}${inContainers(containerTags)}.`);
}

/** @throws AppError `unsupported` */
export async function createConnection(_context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<never> {
  requireAllContainers(call.actor);
  throw noConnectors(parseInput(ofProviderSchema, raw).provider);
}

/** @throws AppError `invalid`, because there is nothing to sync */
export async function importConnections(_context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<never> {
  requireAllContainers(call.actor);
  const { provider, containerTags = [] } = parseInput(ofProviderSchema, raw);
  throw new AppError(
    "invalid",
    `There is nothing to sync: no connection to ${provider}${inContainers(containerTags)} exists, and this version has no connectors.`,
  );
}

/** Where a provider sends a browser after a sign-in. @throws AppError `invalid`, because none was begun here */
export async function finishConnection(_context: CoreContext, _call: AuthorizedCall, raw: unknown): Promise<never> {
  const { provider } = parseInput(ofProviderSchema, raw);
  throw new AppError("invalid", `No sign-in with ${provider} was begun here: this version has no connectors.`);
}

function noConnectors(provider: Provider): AppError {
  return new AppError(
    "unsupported",
    `This version cannot connect to ${provider}: it has no connectors. Send documents with POST /v3/documents instead.`,
  );
}

function inContainers(tags: readonly string[]): string {
  return tags.length === 0 ? "" : ` for ${tags.join(", ")}`;
}
