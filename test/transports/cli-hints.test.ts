import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommand } from "../support/command-line.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect hints-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const NOW = "2099-01-01T00:00:00.000Z";

async function announcement(argv: readonly string[]): Promise<string> {
  const { stderr } = await runCommand(join(folder, "usual"), ["serve", ...argv], {
    starters: {
      serve: () =>
        Promise.resolve({
          url: "http://127.0.0.1:6767",
          dataDirectory: folder,
          isNew: false,
          firstKey: "sm_x",
          isOwner: true,
          status: () => Promise.reject(new Error(`no status at ${NOW}`)),
          ended: Promise.resolve(),
        }),
    },
  });
  return stderr;
}

describe("a hint names the data folder given on the command line", () => {
  test("in serve, quoted for the shell, however it was given", async () => {
    for (const argv of [[`--data-dir=${folder}`], ["--data-dir", folder]]) {
      const shown = await announcement(argv);
      expect(shown).toContain(`recollect --data-dir '${folder}' add "I prefer green tea to coffee"`);
      expect(shown).toContain(`recollect --data-dir '${folder}' search`);
      expect(shown).toContain(`recollect --data-dir '${folder}' keys create`);
    }
    expect(await announcement([])).toContain('recollect add "I prefer');
  });

  test("in other commands, but not in the examples of help, nor for text after --", async () => {
    const data = join(folder, "data");
    const added = await runCommand(data, ["add", "I live in Lisbon.", "--data-dir", data, "--json"]);
    const id = (JSON.parse(added.stdout) as { facts: { id: string }[] }).facts[0]?.id ?? "";
    const forgotten = await runCommand(folder, ["forget", id, "--data-dir", data]);
    expect(forgotten.stdout).toContain(`To undo this: recollect --data-dir '${data}' undo `);
    expect((await runCommand(folder, ["add", "--help", "--data-dir", data])).stdout).toContain("  recollect add ");
    const kept = await runCommand(data, ["add", "--no-wait", "--", "--data-dir", "elsewhere"]);
    expect(kept.stdout).not.toContain("recollect --data-dir");
  });
});
