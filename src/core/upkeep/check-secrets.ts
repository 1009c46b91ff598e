import { count } from "../../lib/count.js";
import { countSecrets } from "../connections/key-proof.js";
import type { CoreContext } from "../context.js";
import type { Check } from "./doctor.js";

/** Opens everything that is encrypted: credentials of connections and secrets of apps. */
export async function checkSecrets(context: CoreContext): Promise<Omit<Check, "name">> {
  const { kept, unreadable } = await countSecrets(context);
  const detail = `${count(kept, "encrypted secret")}`;
  if (unreadable === 0) return { ok: true, detail };
  return {
    ok: false,
    detail: `${detail}, of which ${unreadable} cannot be read with the key of this service`,
    fix: "Set RECOLLECT_SECRET_KEY to the key that they were encrypted with, or unset it and restore secret.key in the data folder, and restart. If that key is lost, sign in to the connections again and set the secrets of apps again.",
  };
}
