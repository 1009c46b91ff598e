import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAnswer, runCommand } from "../support/command-line.js";
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

const run = (argv: readonly string[]) => runCommand(data, argv);

async function documents() {
  const opened = await openCore({ dataDirectory: data });
  try {
    const { documents: found } = await opened.core.listDocuments({ actor: opened.actor }, { includeContent: true });
    return found;
  } finally {
    await opened.close();
  }
}

describe("recollect add treats file names and addresses as such, never as text", () => {
  test.each([
    [["nofile.pdf", "other.pdf"], 1, "There are no files nofile.pdf and other.pdf."],
    [["a.pdf", "b.pdf", "c.pdf"], 1, "There are no files a.pdf, b.pdf and c.pdf."],
    [["notes/"], 1, "There is no file notes/."],
    [["notes/plan"], 1, "There is no file notes/plan."],
    [["notes/", "journal/"], 1, "There are no files notes/ and journal/."],
    [["www.example.org/handbook"], 2, "for the web page, write https://www.example.org/handbook"],
    [["www.example.org", "https://example.org/"], 2, "for the web page, write https://www.example.org"],
    [["ftp://example.org/x"], 2, "ftp://example.org/x is not fetched: only http:// and https:// addresses are"],
    [["file:///tmp/handbook.pdf"], 2, "To add a file, give its path"],
    [["data:image/png;base64,iVBORw0KGgo="], 2, "save the content to a file"],
    [["https://example.org/", "s3://bucket/x"], 2, "s3://bucket/x is not fetched"],
  ])("%j stores nothing", async (words, code, sentence) => {
    const result = await run(["add", ...words]);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(sentence) });
    expect(result.stderr).toContain("--text");
    expect(await documents()).toEqual([]);
  });

  test("adds each of several addresses as a page, with files among them", async () => {
    const [one, two] = ["http://127.0.0.1:9/y", "http://127.0.0.1:9/z"];
    const file = join(folder, "notes.md");
    await writeFile(file, "Ana leads Atlas.");
    const result = await run(["add", one, file, two, "--json"]);
    expect(result.code).toBe(1);
    expect(parseAnswer(result)).toMatchObject({
      added: 1,
      failed: 2,
      files: [
        { path: file, outcome: "added" },
        { path: one, outcome: "failed", reason: expect.stringContaining("fetch") },
        { path: two, outcome: "failed", reason: expect.stringContaining("fetch") },
      ],
    });
    expect(new Set((await documents()).map(({ customId }) => customId))).toEqual(new Set([`file:${file}`, one, two]));
  });

  test("unless they are marked with --text, or stand among other words", async () => {
    for (const words of [
      ["--text", "notes/"],
      ["--text", "ftp://example.org/x"],
      ["see", "https://example.org/"],
    ])
      expect((await run(["add", ...words])).code).toBe(0);
    expect(new Set((await documents()).map(({ content }) => content))).toEqual(
      new Set(["notes/", "ftp://example.org/x", "see https://example.org/"]),
    );
  });
});
