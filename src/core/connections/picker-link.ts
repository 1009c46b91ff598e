import { randomSecret, sha256 } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import type { Connection } from "../types.js";
import { changeSecrets } from "./secrets.js";

const PICKER_MS = 60 * 60_000;

/** A page where anyone with its address can choose what a connection imports. */
export interface OpenedPicker {
  readonly url: string;
  /** ISO date-time; it also expires as soon as something is chosen. */
  readonly expiresAt: string;
}

/** Creates the address of the page; the previous one becomes invalid. */
export async function beginPicking(
  context: CoreContext,
  connection: Pick<Connection, "organizationId" | "id">,
  { returnUrl, origin }: { readonly returnUrl: string | null; readonly origin: string },
): Promise<OpenedPicker> {
  const token = `${connection.id}.${randomSecret()}`;
  const expiresAt = iso(new Date(context.clock.now().getTime() + PICKER_MS));
  await changeSecrets(
    context,
    connection,
    (now) => now && { ...now, picker: { token: sha256(token), expiresAt, returnUrl } },
  );
  return { url: `${origin}/auth/pick?pick=${token}`, expiresAt };
}
