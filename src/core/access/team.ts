import { iso } from "../../lib/time.js";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";

/** The members of the organisation: only one. */
export interface Team {
  readonly owner: { readonly joinedAt: string };
}

/** The members of the organisation: its owner, since the first key was created. */
export async function getTeam({ store, clock }: CoreContext, call: AuthorizedCall): Promise<Team> {
  requireAllContainers(call.actor);
  const [first] = await store.keys.list(call.actor.organizationId);
  return { owner: { joinedAt: first?.createdAt ?? iso(clock.now()) } };
}

/** @throws AppError `forbidden` always: nobody can be invited, changed or removed */
export async function changeTeam(_context: CoreContext, call: AuthorizedCall): Promise<never> {
  requireAllContainers(call.actor);
  throw new AppError(
    "forbidden",
    "This server has one owner and no team: members cannot be invited, changed or removed. Create a key for anyone who may use it.",
  );
}

/** @throws AppError `forbidden` always: nothing is billed */
export async function changeBilling(_context: CoreContext, call: AuthorizedCall): Promise<never> {
  requireAllContainers(call.actor);
  throw new AppError("forbidden", "This server belongs to its owner: nothing is billed, so nothing can be topped up.");
}
