import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createFolderConnector } from "../../../src/connectors/folder.js";
import type { FollowedProvider } from "../followed-source.js";

/** A folder on this machine. Its disk may be missing for a while; there are no network requests. */
export const FOLDER: FollowedProvider = {
  provider: "folder",
  nameOf: (count) => `shelf ${count % 3}/note ${count}.md`,
  async start() {
    const root = await mkdtemp(join(tmpdir(), "recollect-followed-"));
    const [folder, away] = [join(root, "notes"), join(root, "away")];
    await mkdir(folder);
    let isAway = false;
    let isGoing = Promise.resolve();
    const come = async (): Promise<void> => {
      await isGoing;
      if (isAway) await rename(away, folder);
      isAway = false;
    };
    const put = async (name: string, text: string): Promise<string> => {
      await come();
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
      return name;
    };
    const remove = async (name: string): Promise<void> => {
      await come();
      await rm(join(folder, name));
    };
    return {
      connector: createFolderConnector({ roots: [root] }),
      metadata: { path: folder },
      put,
      async edit({ id, texts: [text = ""] }, next) {
        // As editors do: the new file replaces the old one.
        await put(`${id}~`, next.padEnd(text.length));
        await rename(join(folder, `${id}~`), join(folder, id));
        return id;
      },
      async rename({ id }, name) {
        await come();
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await rename(join(folder, id), join(folder, name));
        return name;
      },
      remove: ({ id }) => remove(id),
      restore: async ({ id, texts: [text = ""] }) => (await put(id, text)) === id,
      titleOf: ({ id }) => basename(id),
      fail() {
        if (isAway) return;
        isAway = true;
        isGoing = rename(folder, away);
      },
      async heal() {
        await come();
      },
      requests: () => 0,
      least: () => 0,
      close: () => rm(root, { recursive: true, force: true }),
    };
  },
};
