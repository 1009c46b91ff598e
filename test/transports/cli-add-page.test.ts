import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ExplainedReceipt } from "../../src/core/index.js";
import { parseAnswer, runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";
import { FETCHES_HERE, openWebServer, type WebServer } from "../support/web-server.js";

let data: string;
let web: WebServer;
let says: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
  says = "Torvald leads the Harbour project.";
  web = await openWebServer((_request, response) =>
    response
      .setHeader("content-type", "text/html")
      .end(`<html><title>Harbour</title><body><p>${says}</p></body></html>`),
  );
});

afterEach(async () => {
  await web.close();
  await rm(data, { recursive: true, force: true });
});

const add = (...options: readonly string[]) =>
  runCommand(data, ["add", `${web.url}/harbour`, ...options], {
    starters: { openDoor: () => openCore({ dataDirectory: data, settings: FETCHES_HERE }) },
  });

test("a page that is added again with the same content is unchanged and keeps its facts", async () => {
  const first = await add();
  expect(first.stdout).toMatch(/^added: .*\n1 fact:\n/);
  const again = await add();
  expect(again).toMatchObject({ code: 0, stdout: first.stdout.replace("added:", "unchanged:") });
  expect(parseAnswer<ExplainedReceipt>(await add("--json"))).toMatchObject({ facts: [{}], isUnchanged: true });
  expect(web.asked).toHaveLength(3);
});

test("a page with a new title or new content is updated", async () => {
  await add();
  expect((await add("--title", "The quay")).stdout).toMatch(/^updated: .*\n1 fact:\n/);
  says = "Torvald leads the Harbour project. Mia leads the Quay project.";
  const changed = await add();
  expect(changed.stdout).toMatch(/^updated: .*\n1 fact:\n.*Mia leads the Quay project/);
});
