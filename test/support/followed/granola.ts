import { createGranolaConnector } from "../../../src/connectors/granola.js";
import type { FollowedProvider } from "../followed-source.js";
import { GRANOLA_KEY, startGranola } from "../scripted-granola.js";

const PAGE = 3;

/** Meeting notes; deleted ones cannot be restored. */
export const GRANOLA: FollowedProvider = {
  provider: "granola",
  nameOf: (count) => `Meeting ${count}`,
  async start() {
    const granola = await startGranola(PAGE);
    const closed = new Set<string>();
    return {
      connector: createGranolaConnector({ apiUrl: granola.url }),
      metadata: { apiKey: GRANOLA_KEY },
      put: (name, text) => granola.put(name, text),
      async edit({ id }, text) {
        await granola.edit(id, text);
        return id;
      },
      async rename({ id }, name) {
        await granola.rename(id, name);
        return id;
      },
      remove: ({ id }) => granola.remove(id),
      titleOf: ({ name }) => name,
      // The key belongs to the account, so no single note is inaccessible; this one fails temporarily.
      forbid({ id }) {
        closed.add(id);
        granola.broken.add(id);
      },
      fail(fault, after) {
        granola.fail({ kind: "pass" }, after);
        granola.fail(fault, 1);
      },
      expire: () => granola.fail({ kind: "expired" }, 1),
      heal() {
        granola.heal();
        for (const id of closed) granola.broken.delete(id);
      },
      requests: () => granola.requests(),
      // There is no change feed: all notes are listed.
      least: (count) => Math.max(1, Math.ceil(count / PAGE)),
      close: () => granola.close(),
    };
  },
};
