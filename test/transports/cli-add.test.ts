import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentReceipt } from "../../src/core/index.js";
import { parseAnswer, runCommand, type CommandOptions } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";

let folder: string;
let data: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-cli-"));
  data = join(folder, "data");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const run = (argv: readonly string[], options?: CommandOptions) => runCommand(data, argv, options);

async function documents() {
  const opened = await openCore({ dataDirectory: data });
  try {
    const { documents: found } = await opened.core.listDocuments({ actor: opened.actor }, { includeContent: true });
    return found;
  } finally {
    await opened.close();
  }
}

describe("recollect add", () => {
  test("stores text, waits until it is processed and prints the facts with their ids", async () => {
    const result = await run(["add", "I live in Lisbon. I prefer green tea to coffee."]);
    expect(result.code).toBe(0);
    // Progress messages follow, unless processing ends first.
    expect(result.stderr).toMatch(/^adding\n((queued|extracting|chunking|embedding|indexing|finding facts)\n)*$/);
    expect(result.stdout).toMatch(/^added: \w{22} in sm_project_default\n2 facts:\n/);
    expect(result.stdout).toMatch(/- User lives in Lisbon {2}\[\w{22}\]/);
  });

  test("prints the receipt as one line of JSON and nothing on standard error", async () => {
    const result = await run(["add", "I live in Lisbon.", "--json"]);
    expect(result.stderr).toBe("");
    const receipt = parseAnswer<DocumentReceipt>(result);
    expect(receipt).toMatchObject({ status: "done", dreamingStatus: "done", facts: [{ outcome: "added" }] });
  });

  test("stores a text until a given time", async () => {
    expect((await run(["add", "I live in Lisbon.", "--forget-after", "2099-01-01T00:00:00Z"])).code).toBe(0);
    expect(await documents()).toMatchObject([{ forgetAfter: "2099-01-01T00:00:00.000Z" }]);
    const refused = await run(["add", "I live in Lisbon.", "--forget-after", "soon"]);
    expect([refused.code, refused.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("--forget-after: must be"),
    ]);
    expect(refused.code).not.toBe(0);
  });

  test("remembers a note as it is when no rule finds a fact in it", async () => {
    const result = await run(["add", "blue-green deployments on Tuesdays only"]);
    expect(result.stdout).toContain("1 fact:\n  - blue-green deployments on Tuesdays only");
  });

  test("adds a file by its path, with its name as the title", async () => {
    const file = join(folder, "notes.md");
    await writeFile(file, "# Plan\n\nAna leads the Atlas project.\n");
    expect((await run(["add", file])).code).toBe(0);
    expect(await documents()).toMatchObject([
      { title: "notes.md", content: "# Plan\n\nAna leads the Atlas project.\n" },
    ]);
  });

  test("reads standard input for -, and stores the path itself as text with --text", async () => {
    const file = join(folder, "notes.md");
    await writeFile(file, "from the file");
    expect((await run(["add", "-"], { stdin: "from the pipe: naïve ☕" })).code).toBe(0);
    expect((await run(["add", "--text", file])).code).toBe(0);
    const contents = (await documents()).map(({ content }) => content);
    expect(new Set(contents)).toEqual(new Set([file, "from the pipe: naïve ☕"]));
  });

  test("accepts text that begins with a dash after --", async () => {
    expect((await run(["add", "--", "--json is an option of every command"])).code).toBe(0);
    expect(await documents()).toMatchObject([{ content: "--json is an option of every command" }]);
  });

  test("passes on container, id, title, metadata, date and facts", async () => {
    const result = await run([
      "add",
      "The release was moved.",
      "--container=work",
      "--custom-id=release-1",
      "--title=Release",
      "--metadata=project=atlas",
      '-m{"priority":2,"done":false,"project":"borealis"}',
      "--date=2025-06-01",
      "--fact=Release 2 is on 4 July 2025",
      "--fact=Ana leads release 2",
      "--json",
    ]);
    const receipt = parseAnswer<DocumentReceipt>(result);
    expect(receipt.facts?.map(({ text }) => text)).toEqual(["Release 2 is on 4 July 2025", "Ana leads release 2"]);
    expect(await documents()).toMatchObject([
      {
        containerTags: ["work"],
        customId: "release-1",
        title: "Release",
        documentDate: "2025-06-01",
        metadata: { project: "borealis", priority: 2, done: false },
      },
    ]);
  });

  test.each(["__proto__=x", '{"__proto__":"x","k":"v"}'])(
    "refuses the metadata %s instead of dropping its key",
    async (metadata) => {
      const refused = await run(["add", "The tide is out.", "--metadata", metadata]);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain("--metadata (__proto__): is not a possible key");
      expect(await documents()).toEqual([]);
    },
  );

  test("uses the configured container when none is named", async () => {
    await run(["add", "I live in Lisbon."], { io: { defaultContainer: "home" } });
    expect(await documents()).toMatchObject([{ containerTags: ["home"] }]);
  });

  test("stores facts alone, and replaces a memory by its id", async () => {
    const first = parseAnswer<DocumentReceipt>(await run(["add", "--fact", "User lives in Lisbon", "--json"]));
    const id = first.facts?.[0]?.id ?? "";
    const second = parseAnswer<DocumentReceipt>(await run(["add", "User lives in Porto", "--updates", id, "--json"]));
    expect(second.facts).toMatchObject([{ text: "User lives in Porto", outcome: "updated", replaced: id }]);
    const both = ["add", "an x", "--updates", id, "--fact", "a", "--fact", "b"];
    expect(await run(both)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--updates can be used with one --fact"),
    });
  });

  test("returns immediately with --no-wait, and says that the text is not searchable yet", async () => {
    const result = await run(["add", "I live in Lisbon.", "--no-wait"]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toMatch(/^kept: \w{22} in sm_project_default, not searchable yet\n/);
    expect(await documents()).toHaveLength(1);
  });

  test("shows a spinner while it waits on a terminal, and clears it", async () => {
    const { stderr, stdout } = await run(["add", "I live in Lisbon."], { io: { isTerminal: true } });
    expect(stderr.startsWith("\r\u001b[2K⠋ adding")).toBe(true);
    expect(stderr.endsWith("\r\u001b[2K")).toBe(true);
    expect(stdout).toContain("\u001b[32madded:\u001b[39m");
    const plain = await run(["add", "I live in Porto."], { io: { isTerminal: true, useColor: false } });
    expect(plain.stdout).not.toContain("\u001b");
  });
});

describe("recollect add joins unquoted words", () => {
  test("unless one of them is a file", async () => {
    expect((await run(["add", "I", "live", "in", "Lisbon."])).stdout).toContain("- User lives in Lisbon");
    const file = join(folder, "notes.md");
    await writeFile(file, "text");
    const refused = await run(["add", "read", file]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} is a file: add it alone`) });
    expect((await run(["add", "--text", "read", file])).code).toBe(0);
  });

  test("and accepts a single word in another script, or one marked with --text", async () => {
    expect((await run(["add", "我住在里斯本"])).code).toBe(0);
    expect((await run(["add", "--text", "README"])).code).toBe(0);
    expect((await documents()).map(({ content }) => content)).toEqual(
      expect.arrayContaining(["README", "我住在里斯本"]),
    );
  });
});

describe("recollect add stores nothing and refuses", () => {
  async function refused(argv: readonly string[], options?: CommandOptions) {
    const result = await run(argv, options);
    expect(result.stdout).toBe("");
    expect(await documents()).toEqual([]);
    return result;
  }

  test("an empty folder", async () => {
    await mkdir(join(folder, "notes"));
    expect(await refused(["add", join(folder, "notes")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There are no files to add in ${join(folder, "notes")}.`),
    });
  });

  test.each(["README", "notes.md", "./notes", "/no/such/file", "../x.txt"])(
    "the path %s of a missing file",
    async (path) => {
      const result = await refused(["add", path]);
      expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no file ${path}.`) });
      expect(result.stderr).toContain("--text");
    },
  );

  test("binary data, naming the file", async () => {
    const cases: readonly (readonly [string, Buffer, string])[] = [
      [
        "engine.bin",
        Buffer.from([0x89, 0x50, 0x4e, 0x41, 0, 1, 2]),
        "is not text: it contains a NUL byte at position 4",
      ],
    ];
    for (const [name, bytes, message] of cases) {
      const file = join(folder, name);
      await writeFile(file, bytes);
      const result = await refused(["add", file]);
      expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} ${message}`) });
    }
    const piped = await refused(["add", "-"], { stdin: Buffer.from([0x61, 0]) });
    expect(piped.stderr).toMatch(/standard input is not text: .* to add a PDF or another file, give its path/);
    const wide = await refused(["add", "-"], { stdin: Buffer.from("\ufeffhello", "utf16le") });
    expect(wide.stderr).toContain("standard input is in UTF-16");
  });

  test("a NUL byte beyond the start of a large file, naming its position", async () => {
    const file = join(folder, "large.txt");
    await writeFile(file, Buffer.concat([Buffer.alloc(200_000, "a"), Buffer.from([0])]));
    expect((await refused(["add", file])).stderr).toContain("NUL byte at position 200000");
  });

  test.each([
    [["add"], "there is nothing to add"],
    [["add", ""], "content: must not be empty"],
    [["add", " \n "], "content: must not be empty"],
    [["add", "an x", "--metadata", "novalue"], "--metadata must be key=value or a JSON object"],
    [["add", "an x", "--metadata", "{"], "--metadata is not JSON"],
    [["add", "an x", "--metadata", '{"a":{"b":1}}'], "--metadata (a): must be a string"],
    [["add", "an x", "--date", "yesterday"], "error: --date: must be an ISO 8601 date"],
    [["add", "an x", "--forget-after", "null"], "error: --forget-after: must be an ISO 8601 date"],
    [["add", "an x", "--container", "not allowed"], "error: --container: must contain only letters"],
    [["add", "an x", "--custom-id", "a\u0007b"], "error: --custom-id: must not contain control characters"],
    [["add", "an x", "--updates", "nothing"], "error: --updates: there is no memory nothing"],
    [["add", "-"], "content: must not be empty"],
  ])("%j as a usage error", async (argv, message) => {
    const result = await refused(argv, { stdin: "" });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(result.stderr).toContain("Run `recollect add --help`");
  });

  test("a text over the configured limit, naming the limit", async () => {
    const result = await refused(["add", "-"], { stdin: "long ".repeat(2_200_000) });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("RECOLLECT_MAX_TEXT_BYTES") });
  });
});
