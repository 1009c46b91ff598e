import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Diagnosis, DocumentReceipt, Status } from "../../src/core/index.js";
import { parseAnswer, type CommandResult, type FoundTexts } from "../support/command-line.js";
import {
  environmentFor,
  expectNothingLeft,
  PROGRAM,
  readService,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";
import { startScriptedModel } from "../support/scripted-model.js";
import { useSilentEmbedder } from "../support/slow-embedder.js";

/** A start takes half a second alone, and much longer beside other tests. */
vi.setConfig({ testTimeout: 60_000 });

interface Started {
  readonly result: Promise<CommandResult>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** The built program with captured streams. */
function start(data: string, argv: readonly string[], input = "", extra?: Readonly<Record<string, string>>): Started {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { env: environmentFor(data, extra) });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(input);
  const result = once(child, "close").then(([code]) => ({ code: Number(code ?? -1), stdout, stderr }));
  return { result, kill: (signal) => child.kill(signal) };
}

const run = (data: string, argv: readonly string[], input?: string) => start(data, argv, input).result;

test("commands explain themselves, and wrong usage exits with 2", async () => {
  await withDataDirectory(async (data) => {
    const names = ["serve", "mcp", "add"];
    const help = await Promise.all(names.map((name) => run(data, [name, "--help"])));
    expect(help.map(({ code, stderr }) => ({ code, stderr }))).toEqual(names.map(() => ({ code: 0, stderr: "" })));
    expect(help.map(({ stdout }) => /^Usage: recollect (\w+)/.exec(stdout)?.[1])).toEqual(names);
    expect(await run(data, ["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(await run(data, ["serch"])).toMatchObject({ code: 2, stdout: "" });
    expect(await run(data, ["search", "x", "--limit", "0"])).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(join(data, "recollect.db"))).toBe(false);
  });
});

test("what one command added from a pipe or a file, later commands find, forget and report", async () => {
  await withDataDirectory(async (data) => {
    const piped = await run(data, ["add", "-", "--json"], "I live in Lisbon. I prefer green tea to coffee.");
    const receipt = parseAnswer<DocumentReceipt>(piped);
    expect(receipt).toMatchObject({ status: "done", dreamingStatus: "done" });
    const file = join(data, "minutes.md");
    await writeFile(file, "# Minutes\n\nAna leads the Atlas project.\n");
    expect(await run(data, ["add", file])).toMatchObject({ code: 0, stdout: expect.stringContaining("added:") });

    const found = await run(data, ["search", "Who leads the Atlas project?"]);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining("“minutes.md”") });
    const memory = receipt.facts?.find(({ text }) => text.includes("Lisbon"));
    expect(await run(data, ["forget", memory?.id ?? ""])).toMatchObject({ code: 0 });
    const later = await run(data, ["search", "Where does the user live?", "--mode", "memories", "--json"]);
    expect(parseAnswer<FoundTexts>(later).results.map(({ id }) => id)).not.toContain(memory?.id);

    const key = parseAnswer<{ secret: string }>(await run(data, ["keys", "create", "--json"]));
    expect(key.secret).toMatch(/^sm_/);
    const status = parseAnswer<Status>(await run(data, ["status", "--json"]));
    expect(status).toMatchObject({ dataDirectory: data, store: { documents: 2 } });
    await expectNothingLeft(data);
  });
});

test("commands use a running service, and leave it running", async () => {
  await withDataDirectory(async (data) => {
    const service = await startServe(data);
    try {
      expect(await run(data, ["add", "I live in Lisbon."])).toMatchObject({ code: 0 });
      expect(await run(data, ["forget", "no-such-id"])).toMatchObject({ code: 1, stdout: "" });
      expect(await run(data, ["search", "Where does the user live?"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Lisbon"),
      });
      expect(readService(data)?.pid).toBe(service.child.pid);
      expect((await fetch(`${service.url}/health`)).status).toBe(200);
    } finally {
      await service.stop();
    }
    expect(service.child.exitCode).toBe(0);
    await expectNothingLeft(data);
  });
});

test("a command describes a failure itself, and logs it only on request", async () => {
  await withDataDirectory(async (data) => {
    const folder = join(data, "papers");
    await mkdir(folder);
    await writeFile(join(folder, "cut.pdf"), "%PDF-1.7 and no more");
    await writeFile(join(folder, "note.md"), "Ana leads Atlas.");
    const quiet = await run(data, ["add", folder]);
    expect(quiet).toMatchObject({ code: 1, stdout: expect.stringContaining("1 added, 1 failed") });
    expect(quiet.stderr).toContain("failed: ");
    expect(quiet.stderr).not.toMatch(/INFO|WARN|a job/);
    const asked = await start(data, ["add", folder], "", { RECOLLECT_LOG_LEVEL: "info" }).result;
    expect(asked.stderr).toMatch(/INFO {2}a job was given up /);
  });
});

test("files not added because of an interruption are counted, not called failed; a second run adds them", async () => {
  await withDataDirectory(async (data) => {
    const folder = join(data, "notes");
    await mkdir(folder);
    for (let number = 1; number <= 60; number += 1)
      await writeFile(join(folder, `n${number}.txt`), `Ana leads project ${number}.`);
    const child = spawn(process.execPath, [PROGRAM, "add", folder], { env: environmentFor(data) });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (stderr.includes("added: ")) child.kill("SIGINT");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(stderr).not.toContain("failed: ");
    const counts = /Interrupted \(SIGINT\)\. (\d+) of 60 files are kept, (\d+) not sent/.exec(stderr);
    expect(Number(counts?.[1]) + Number(counts?.[2])).toBe(60);
    const again = await run(data, ["add", folder]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ added, \d+ unchanged\n/) });
  });
});

test("only commands that start a memory create one in an empty folder, and they say so", async () => {
  await withDataDirectory(async (data) => {
    const folder = join(data, "tpyo");
    for (const command of [["status"], ["search", "x"], ["keys", "create"], ["login"], ["doctor"]]) {
      const { code, stdout, stderr } = await run(data, ["--data-dir", folder, ...command]);
      const said =
        command.join(" ") === "login"
          ? /No service is running for this data folder/
          : /There is no memory in .*tpyo\. .*add/;
      expect([command, code, stdout]).toEqual([command, 1, ""]);
      expect(stderr).toMatch(said);
      expect(existsSync(folder)).toBe(false);
    }
    const add = ["--data-dir", folder, "add", "I live in Lisbon."];
    expect(await run(data, add)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Created a new memory in ${folder}.`),
    });
    expect((await run(data, add)).stderr).not.toContain("Created");
    expect(await run(data, ["--data-dir", folder, "status"])).toMatchObject({ code: 0 });
  });
});

test("doctor's exit code reflects its findings", async () => {
  await withDataDirectory(async (data) => {
    expect((await run(data, ["add", "I live in Lisbon."])).code).toBe(0);
    const { result } = start(data, ["doctor", "--json"], "", { RECOLLECT_VECTORS: "exact" });
    const { code, ...rest } = await result;
    const diagnosis = parseAnswer<Diagnosis>({ code, ...rest });
    expect(diagnosis.checks).not.toEqual([]);
    expect(diagnosis.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
    await writeFile(join(data, "recollect.db"), "this is no database, but it has been one once".repeat(100));
    expect(await run(data, ["doctor"])).toMatchObject({ code: 1, stderr: expect.stringContaining("recollect.db") });
  });
});

test("try demonstrates everything and leaves no files", async () => {
  await withDataDirectory(async (data) => {
    const result = await run(data, ["try", "--json"]);
    expect(result.code).toBe(0);
    expect(parseAnswer<{ ok: boolean }>(result).ok).toBe(true);
    expect(existsSync(join(data, "recollect.db"))).toBe(false);
  });
});

test("add that is interrupted while waiting keeps the document and cleans up", async () => {
  await withDataDirectory(async (data) => {
    const embedder = await useSilentEmbedder(data);
    try {
      const adding = start(data, ["add", "I live in Lisbon."], "");
      await waitFor(() => embedder.visits() > 0, "the request for an embedding").finally(() => adding.kill("SIGINT"));
      expect(await adding.result).toMatchObject({ code: 1, stderr: expect.stringContaining("Interrupted (SIGINT)") });
      await expectNothingLeft(data);
      const status = parseAnswer<Status>(await run(data, ["status", "--json"]));
      expect(status.store.documents).toBe(1);
    } finally {
      await embedder.close();
    }
  });
}, 60_000);

test("doctor exits at the first signal even when the language model does not answer", async () => {
  const model = await startScriptedModel();
  model.always(() => ({ fault: "stall" }));
  const asking = { RECOLLECT_LLM_BASE_URL: model.url, RECOLLECT_LLM_MODEL: "silent" };
  try {
    await withDataDirectory(async (data) => {
      await run(data, ["add", "I live in Lisbon."]);
      const diagnosing = start(data, ["doctor"], "", asking);
      await waitFor(() => model.requests.length > 0, "a question").finally(() => diagnosing.kill("SIGTERM"));
      const asked = model.requests.length;
      expect(await diagnosing.result).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("Interrupted (SIGTERM)"),
      });
      expect(model.requests.length - asked).toBeLessThan(2);
      await expectNothingLeft(data);
    });
  } finally {
    await model.close();
  }
});
