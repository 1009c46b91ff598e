import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentReceipt } from "../../src/core/index.js";
import type { ReprocessAnswer } from "../../src/transports/cli/commands/reprocess.js";
import { type CommandOptions, parseAnswer, runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";
import { FETCHES_HERE, openWebServer, type WebServer } from "../support/web-server.js";

const PAGE = "<html><title>Harbour</title><body><p>Torvald leads the Harbour project.</p></body></html>";

let folder: string;
let data: string;
let web: WebServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-cli-"));
  data = join(folder, "data");
  web = await openWebServer((_request, response) => response.setHeader("content-type", "text/html").end(PAGE));
});

afterEach(async () => {
  await web.close();
  await rm(folder, { recursive: true, force: true });
});

const ONLINE: CommandOptions = {
  starters: { openDoor: () => openCore({ dataDirectory: data, settings: FETCHES_HERE }) },
};
const run = (argv: readonly string[], options?: CommandOptions) => runCommand(data, argv, options);

/** Adds a page that cannot be fetched because the service is offline. */
async function addPage(name: string, container = "home"): Promise<string> {
  const added = await run(["add", `${web.url}/${name}`, "-c", container, "--json"]);
  const { id, status } = parseAnswer<DocumentReceipt>(added);
  expect(status).toBe("failed");
  return id;
}

async function addDamagedFile(): Promise<string> {
  const whole = await readFile(join(import.meta.dirname, "../fixtures/extractors/small-latex.pdf"));
  const path = join(folder, "cut.pdf");
  await writeFile(path, whole.subarray(0, 900));
  const { id, status } = parseAnswer<DocumentReceipt>(await run(["add", path, "-c", "home", "--json"]));
  expect(status).toBe("failed");
  return id;
}

describe("recollect reprocess of a failed document", () => {
  test("waits until it is read, so that it is found immediately", async () => {
    const id = await addPage("harbour");
    const again = await run(["reprocess", id], ONLINE);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("reprocessed: 1 document that failed") });
    const found = await run(["search", "Who leads the Harbour project?", "-c", "home"]);
    expect(found.stdout).toContain("Torvald leads the Harbour project");
  });

  test("says why it fails again, and exits with 1", async () => {
    const page = await addPage("harbour");
    const file = await addDamagedFile();
    const again = await run(["reprocess", page, file]);
    expect(again.code).toBe(1);
    expect(again.stdout).not.toContain("reprocessed:");
    expect(again.stdout).toMatch(new RegExp(`^failed: ${page}: fetch: .*RECOLLECT_OFFLINE`, "m"));
    expect(again.stdout).toMatch(new RegExp(`^failed: ${file}: read: `, "m"));
    const answer = parseAnswer<ReprocessAnswer>(await run(["reprocess", page, "--json"]));
    expect(answer).toMatchObject({ documents: 1, failed: [{ id: page, reason: expect.stringContaining("OFFLINE") }] });
  });

  test("distinguishes documents that fail again from those that were read", async () => {
    const page = await addPage("harbour");
    const file = await addDamagedFile();
    const again = await run(["reprocess", page, file], ONLINE);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain("reprocessed: 2 documents that failed");
    expect(again.stdout).toMatch(new RegExp(`^failed: ${file}: read: `, "m"));
    expect(again.stdout).not.toContain(page);
  });

  test("does not wait with --no-wait", async () => {
    const again = await run(["reprocess", await addPage("harbour"), "--no-wait"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("reprocessed: 1 document") });
  });
});

test("recollect reprocess reports a document whose file cannot be read again, and leaves it unchanged", async () => {
  const path = join(import.meta.dirname, "../fixtures/extractors/encrypted-qpdf.pdf");
  const added = await run(["add", path, "--password-file", "-", "--json"], { stdin: "secret" });
  const { id } = parseAnswer<DocumentReceipt>(added);
  const again = await run(["reprocess", id]);
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(new RegExp(`^failed: ${id}: it was left as it was, .*The PDF is encrypted`));
});

describe("recollect reprocess --failed", () => {
  test("retries every failed document, and says so when there are none", async () => {
    await addPage("harbour");
    await addPage("quay", "work");
    const planned = await run(["reprocess", "--failed", "--dry-run"]);
    expect(planned.stdout).toBe("would reprocess 2 documents that failed or could not be read yet\n");
    expect(await run(["reprocess", "--failed"], ONLINE)).toMatchObject({
      code: 0,
      stdout: "reprocessed: 2 documents that failed or could not be read yet\n",
    });
    expect(await run(["reprocess", "--failed"], ONLINE)).toMatchObject({
      code: 0,
      stdout: "No documents have failed.\n",
    });
  });

  test("is suggested when all documents are read again, as that leaves out failed ones", async () => {
    await addPage("quay", "work");
    const all = await run(["reprocess", "--all"]);
    expect(all.code).toBe(0);
    expect(all.stdout).toMatch(
      /^left alone: 1 document whose processing failed\. To try again: .* reprocess --failed$/m,
    );
    const some = await run(["reprocess", "--container", "work"]);
    expect(some.stdout).toMatch(/reprocess --failed --container work$/m);
  });

  test("is limited to the given container", async () => {
    await addPage("harbour");
    await addPage("quay", "work");
    const answer = parseAnswer<ReprocessAnswer>(await run(["reprocess", "--failed", "-c", "work", "--json"], ONLINE));
    expect(answer).toMatchObject({ documents: 1, retried: 1, failed: [], waiting: 0 });
    expect((await run(["reprocess", "--failed", "-c", "nowhere"])).code).toBe(1);
  });

  test.each([[["some-id"]], [["--all"]], [["--outdated"]]])("cannot be combined with %j", async (others) => {
    expect(await run(["reprocess", "--failed", ...others])).toMatchObject({ code: 2, stdout: "" });
  });
});
