import * as z from "zod";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { containerTagSchema, invalid, momentSchema, parseInput } from "../input.js";
import { USE_CASES } from "../access/authorization.js";
import { AUDIT_OUTCOMES, type AuditEntry } from "../types.js";
import { refuseUnknown } from "./known-actions.js";
import type { Page } from "../usage/requests.js";

/** Entries are kept this long … */
export const AUDIT_KEPT_MS = 365 * 24 * 60 * 60 * 1_000;
/** … and at most this many. */
export const AUDIT_KEPT = 1_000_000;

const MOST_OF_A_PAGE = 1_000;
const MAX_PAGE = 1_000_000_000;
const name = z.string("must be a string").min(1, "must not be empty").max(255, "must have at most 255 characters");

export const listAuditSchema = z.object({
  /** Id of the key that acted. */
  keyId: name.optional(),
  /** As named in entries, such as `local`; instead of a key. */
  actor: name.optional(),
  containerTag: containerTagSchema.optional(),
  action: name.optional(),
  outcome: z.enum([...AUDIT_OUTCOMES, "refused"], `must be refused, or one of ${AUDIT_OUTCOMES.join(", ")}`).optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  page: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MAX_PAGE, `must be at most ${MAX_PAGE}`)
    .default(1),
  limit: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MOST_OF_A_PAGE, `must be at most ${MOST_OF_A_PAGE}`)
    .default(100),
});

/** An entry with the current name of the key that acted; null for other actors. */
export interface ListedAuditEntry extends AuditEntry {
  readonly keyName: string | null;
}

/** Who did what, newest first. @throws AppError `invalid`, also for an unknown action */
export async function listAudit(
  { store, audit }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<Page<ListedAuditEntry>> {
  const { keyId, page, limit, actor: named, ...query } = parseInput(listAuditSchema, raw);
  if (keyId !== undefined && named !== undefined)
    throw invalid([{ path: ["keyId"], message: "name either keyId or actor" }]);
  refuseUnknown(USE_CASES, query.action);
  await audit.flush();
  const { organizationId } = actor;
  const who = keyId === undefined ? named : `key:${keyId}`;
  const { entries, total } = await store.audit.list(organizationId, {
    ...query,
    actor: who,
    limit,
    offset: (page - 1) * limit,
  });
  const names = new Map((await store.keys.list(organizationId)).map((key) => [`key:${key.id}`, key.name]));
  const items = entries.map((entry) => ({ ...entry, keyName: names.get(entry.actor) ?? null }));
  return { items, page, limit, total };
}
