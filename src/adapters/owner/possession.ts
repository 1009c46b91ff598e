import { join, resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import { identityAt } from "../../lib/file-identity.js";
import type { ServiceAddress } from "./service-file.js";
import { STORE_FILE } from "../../lib/store-file.js";

export const possessionSchema = z.object({
  path: z.string(),
  folder: z.string(),
  lock: z.string(),
  store: z.string(),
  nonce: z.string(),
});

/** What an owner says about its data folder, so that a client can check that it is its own. */
export type Possession = z.output<typeof possessionSchema>;

/**
 * Notes which folder this process owns, which must be complete by then.
 * @param nonce what `service.json` contains, and nobody else knows
 * @returns a function that states it on request; without the folder's identity once its path holds another folder, or none
 */
export function takePossession(dataDirectory: string, nonce: string): () => Possession {
  const held = identify(dataDirectory);
  const path = resolve(dataDirectory);
  return () => ({ ...held, path, nonce, folder: identityAt(dataDirectory) === held.folder ? held.folder : "" });
}

/**
 * Makes sure that the service behind an address owns this very folder: a copied, moved or restored folder contains the address
 * of another one's owner. The lock file alone may have been removed and recreated.
 * @throws AppError `conflict` naming both folders
 */
export function requirePossession(
  dataDirectory: string,
  address: ServiceAddress,
  possession: Possession | undefined,
): void {
  if (possession === undefined) throw unproven(dataDirectory, address);
  const mine = identify(dataDirectory);
  const isSame = (what: keyof typeof mine): boolean => mine[what] !== "" && mine[what] === possession[what];
  const knowsNonce = address.nonce !== "" && address.nonce === possession.nonce;
  if (knowsNonce && isSame("folder") && (isSame("lock") || isSame("store"))) return;
  throw refuseForeign(dataDirectory, address, possession);
}

function identify(dataDirectory: string) {
  return {
    folder: identityAt(dataDirectory),
    lock: identityAt(join(dataDirectory, "owner.lock")),
    store: identityAt(join(dataDirectory, STORE_FILE)),
  };
}

function refuseForeign(dataDirectory: string, { pid }: ServiceAddress, { path }: Possession): AppError {
  const here = resolve(dataDirectory);
  const addressFile = join(here, "service.json");
  return new AppError(
    "conflict",
    here === path
      ? `Nothing was done: the data folder ${here} was replaced or restored while process ${pid} served the previous one (${path}). End that process, then try again.`
      : `Nothing was done: the data folder ${here} was copied or moved while process ${pid} served ${path}, and its service.json still points there. To use ${path}, name it with --data-dir. To use ${here} by itself, remove ${addressFile}; if it was moved, end process ${pid} first.`,
    { paths: [addressFile, here, path] },
  );
}

function unproven(dataDirectory: string, { pid, version }: ServiceAddress): AppError {
  return new AppError(
    "conflict",
    `Nothing was done: process ${pid} (version ${version}) does not say which data folder it serves, so it may not be ${resolve(dataDirectory)}. End that process, and start it again with this version.`,
    { paths: [resolve(dataDirectory)] },
  );
}
