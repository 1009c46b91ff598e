import { createContext, runInContext } from "node:vm";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type { SourceAccess } from "../../core/ports.js";
import { yieldTurn } from "../../lib/time.js";

/** How much of a key a pattern is matched against. */
const LONGEST_MATCHED = 1_024;
/** Keys matched against a pattern in one turn. */
const KEYS_OF_A_TURN = 100;
/** For all keys of a turn together; sound patterns take a thousandth of it. */
const PATTERN_MS = 100;

/**
 * The containers that keys name by the group `userId`; null for the connection's own.
 * @throws AppError `invalid` for a pattern that takes too long
 */
export async function containerTagsOf(
  { settings }: SourceAccess,
  files: readonly { readonly key: string }[],
): Promise<(string | null)[]> {
  const source = settings["containerTagRegex"];
  if (typeof source !== "string") return [];
  const pattern = new RegExp(source, "u");
  const tags: (string | null)[] = [];
  for (let from = 0; from < files.length; from += KEYS_OF_A_TURN) {
    const keys = files.slice(from, from + KEYS_OF_A_TURN).map(({ key }) => key.slice(0, LONGEST_MATCHED));
    // Tried twice, since the machine may simply have been busy that long.
    const found = userIdsIn(pattern, keys) ?? userIdsIn(pattern, keys);
    if (found === null)
      throw new AppError(
        "invalid",
        "The bucket was not listed: containerTagRegex takes too long on its keys. Use fewer repetitions and alternatives in it.",
      );
    tags.push(...found.map((tag) => (tag !== null && /^[A-Za-z0-9_:.-]{1,100}$/.test(tag) ? tag : null)));
    await yieldTurn();
  }
  return tags;
}

/** What the group `userId` matches in each key; null where it takes too long. */
function userIdsIn(pattern: RegExp, keys: readonly string[]): (string | null)[] | null {
  const context = createContext({ pattern, keys });
  try {
    // Only a timeout stops a pattern that backtracks.
    const found: unknown = runInContext("keys.map((key) => pattern.exec(key)?.groups?.userId ?? null)", context, {
      timeout: PATTERN_MS,
    });
    return z.array(z.string().nullable()).parse(found);
  } catch {
    return null;
  }
}
