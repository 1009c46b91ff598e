import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CheckpointExpired, ItemGone, ItemSkipped } from "../../src/core/connections/connector-errors.js";
import type { Connector, SourceItem } from "../../src/core/ports.js";
import { createFolderConnector } from "../../src/connectors/folder.js";
import { sleep } from "../../src/lib/time.js";
import { useCleanups } from "../support/cleanups.js";
import { connect } from "../support/connection.js";
import { pagesOf, sourceAccess } from "../support/source-access.js";
import { makePipe } from "../support/named-pipe.js";

/* A folder that others change while it is read. */

const cleanups = useCleanups();

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "recollect-folder-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

const itemOf = (id: string): SourceItem => ({ id, version: "1", title: id, address: null, path: id });

/** Replaces a file with one thing after another as fast as possible, in a separate process. */
const SWAP = `const fs = require("node:fs");
const { path, secret, pipe, large } = JSON.parse(process.argv[1]);
const others = [() => fs.symlinkSync(secret, path + ".new"), () => fs.linkSync(pipe, path + ".new"), () => fs.linkSync(large, path + ".new")];
for (let turn = 0; ; turn += 1) {
  fs.writeFileSync(path + ".own", "It is harmless.");
  fs.renameSync(path + ".own", path);
  others[turn % others.length]();
  fs.renameSync(path + ".new", path);
}`;

const MOST_BYTES = 1_000_000;
const READ_MS = 3_000;
/** A read that waits for a writer of a pipe would wait forever. */
const SURELY_STUCK_MS = 5_000;

test.skipIf(process.platform === "win32")(
  "does not read a link, a pipe or a file too large that replaces a listed file",
  async () => {
    const [root, outside] = [await folder(), await folder()];
    const places = {
      path: join(root, "note.txt"),
      secret: join(outside, "secret.txt"),
      pipe: join(root, ".pipe"),
      large: join(root, ".large"),
    };
    await writeFile(places.path, "It is harmless.");
    await writeFile(places.secret, "The password is swordfish.");
    makePipe(places.pipe);
    await writeFile(places.large, "");
    await truncate(places.large, MOST_BYTES + 1);
    const swapping = spawn(process.execPath, ["-e", SWAP, JSON.stringify(places)], { stdio: "ignore" });
    cleanups.push(() => Promise.resolve(swapping.kill("SIGKILL")));
    const connector = createFolderConnector({ roots: [root] });
    const access = sourceAccess(connector, { metadata: { path: root }, maximumBytes: MOST_BYTES });
    const outcomes = new Set<string>();
    const readOnce = async (): Promise<string> => {
      try {
        return Buffer.from((await connector.read(access, itemOf("note.txt"))).content)
          .toString()
          .slice(0, 100);
      } catch (error) {
        if (error instanceof ItemGone || error instanceof ItemSkipped) return error.name;
        throw error;
      }
    };
    for (const end = Date.now() + READ_MS; Date.now() < end && !outcomes.has("stuck");)
      outcomes.add(await Promise.race([readOnce(), sleep(SURELY_STUCK_MS, { unref: true }).then(() => "stuck")]));
    for (const skipped of ["ItemSkipped", "ItemTooLarge"]) outcomes.delete(skipped);
    expect([...outcomes].toSorted()).toEqual(["It is harmless.", "ItemGone"]);
  },
);

test("a drive that disappears while its files are read removes nothing", async () => {
  const root = await folder();
  const place = join(root, "drive");
  await mkdir(place);
  for (let at = 0; at < 20; at += 1) await writeFile(join(place, `${at}.md`), `Person ${at} plants trees.`);
  const connector = createFolderConnector({ roots: [root] });
  let isToGo = false;
  const pulled: Connector = {
    ...connector,
    async read(access, item) {
      if (isToGo) {
        isToGo = false;
        await rename(place, join(root, "away"));
        await mkdir(place);
      }
      return connector.read(access, item);
    },
  };
  const connected = await connect({ provider: "folder", metadata: { path: place }, connectors: [pulled] });
  cleanups.push(() => connected.close());
  for (let at = 0; at < 3; at += 1) await writeFile(join(place, `${at}.md`), `Person ${at} has sold the trees.`);
  isToGo = true;
  expect(await connected.sync()).toMatchObject({ removed: 0, failed: 3 });
  expect(Object.keys(await connected.texts())).toHaveLength(20);
});

/** A connected folder of three pages. */
async function longFolder() {
  const root = await folder();
  const place = join(root, "drive");
  await mkdir(place);
  for (let at = 0; at < 450; at += 1) await writeFile(join(place, `${at}.txt`), `File ${at}.`);
  const connector = createFolderConnector({ roots: [root] });
  const replace = async () => {
    await rename(place, join(root, "away"));
    await mkdir(place);
  };
  return { connector, access: () => sourceAccess(connector, { metadata: { path: place } }), replace };
}

test("a listing does not continue in another folder than it began in", async () => {
  const { connector, access, replace } = await longFolder();
  const pages = connector.changes(access(), null)[Symbol.asyncIterator]();
  await pages.next();
  await replace();
  await expect(pages.next()).rejects.toMatchObject({ kind: "unavailable" });
});

test("an interrupted listing does not resume in another folder", async () => {
  const { connector, access, replace } = await longFolder();
  const first = await connector.changes(access(), null)[Symbol.asyncIterator]().next();
  const { checkpoint } = first.value as { readonly checkpoint: unknown };
  await replace();
  await expect(pagesOf(connector, access(), { checkpoint })).rejects.toBeInstanceOf(CheckpointExpired);
});
