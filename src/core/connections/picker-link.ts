import { randomSecret, sha256 } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import type { Connection } from "../types.js";
import { changeSecrets } from "./secrets.js";

const PICKER_MS = 60 * 60_000;

/** A page where whoever has the address chooses what a connection brings in. */
export interface OpenedPicker {
  readonly url: string;
  /** ISO date-time; once something was chosen, it is over at once. */
  readonly expiresAt: string;
}

/** Makes the address of the page; the former one is over. */
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
