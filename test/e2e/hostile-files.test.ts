import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { hostile, type HostileFile } from "../support/hostile/hostile-file.js";
import { HOSTILE_SET } from "../support/hostile/hostile-set.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

/** Files are sent one after the other, so that measurements belong to one file; none may take longer than this. */
const LONGEST_SECONDS = 40;
const MOST_TEXT = 20_000;
const SETTINGS = {
  RECOLLECT_LLM: "off",
  RECOLLECT_RATE_LIMIT: "0",
  RECOLLECT_READ_TIMEOUT_SECONDS: "3",
  RECOLLECT_READ_MEMORY_MEGABYTES: "128",
  // Stored content may take memory, since it is searched.
  RECOLLECT_READ_MAX_TEXT_BYTES: String(MOST_TEXT),
  RECOLLECT_READ_MAX_UNPACKED_BYTES: "64000000",
};
/** Some 50 of it remain; the rest is garbage that was not collected yet. */
const MOST_GROWTH_MEGABYTES = 100;

/** What these unpack to, define or lead to is the harm: nothing of them may be read. */
const NEVER_READ = /^(?:bomb|elements|encrypted|external|huge|inside|laughs|method|overlap|program)\.(?!xml$)/;

const GOOD = hostile("a good file", "harbour.docx", () => extractorFixture("harbour.docx"));

interface Ending {
  readonly status: string;
  readonly reason: string;
  readonly text: string;
}

/** The outcome of a file sent to a service: refused, failed, or done. */
async function send({ url }: ServeProcess, file: HostileFile): Promise<Ending> {
  const form = new FormData();
  form.set("file", new File([Uint8Array.from(file.bytes())], file.name, { type: file.type }));
  form.set("taskType", "superrag");
  const answer = await fetch(`${url}/v3/documents/file`, { method: "POST", body: form });
  const body: any = await answer.json();
  if (!answer.ok) return { status: String(answer.status), reason: String(body.error), text: "" };
  return waitFor(
    async () => {
      const document: any = await (await fetch(`${url}/v3/documents/${body.id}`)).json();
      const { status, processingMetadata, content } = document;
      if (status !== "done" && status !== "failed") return null;
      const reason = String(processingMetadata?.error ?? processingMetadata?.steps?.at(-1)?.error ?? "");
      return { status, reason, text: String(content ?? "") };
    },
    `the end of ${file.name} (${file.what})`,
    LONGEST_SECONDS,
  );
}

/** A good file is read; on a busy machine possibly only when it is sent again. */
async function expectGoodIsRead(service: ServeProcess, when: string): Promise<void> {
  let ending: Ending | undefined;
  for (let attempt = 1; ending?.status !== "done" && attempt <= 10; attempt += 1)
    ending = await send(service, { ...GOOD, name: `${when}-${attempt}.docx` });
  expect(ending).toMatchObject({ status: "done" });
}

/** Resident memory of a service in MB. */
function memoryOf({ child }: ServeProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

test.skipIf(process.platform !== "linux")(
  `${HOSTILE_SET.length} hostile files are read within the limits or refused for a reason, and do not harm the service`,
  { timeout: 900_000 },
  async () => {
    expect(HOSTILE_SET.length).toBeGreaterThanOrEqual(60);
    await withDataDirectory(async (dataDirectory) => {
      const service = await startServe(dataDirectory, SETTINGS);
      await expectGoodIsRead(service, "before");
      const before = memoryOf(service);
      for (const file of HOSTILE_SET) {
        const { status, reason, text } = await send(service, file);
        expect.soft(status, `${file.name}: ${reason}`).toMatch(/^(?:done|failed|400|413|415)$/);
        if (status === "done") {
          expect.soft(file.name).not.toMatch(NEVER_READ);
          // What separates the parts of a text is not counted.
          expect.soft(Buffer.byteLength(text), file.name).toBeLessThan(2 * MOST_TEXT);
          expect.soft(text, file.name).not.toContain("root:");
        } else {
          expect.soft(reason, file.name).toMatch(/(?:\S+\s+){3}\S/);
          expect.soft(reason, file.name).not.toMatch(/unexpectedly/);
        }
      }
      await expectGoodIsRead(service, "after");
      let after = memoryOf(service);
      for (let waited = 0; after > before + MOST_GROWTH_MEGABYTES && waited < 60; waited += 1) {
        await sleep(1_000);
        after = memoryOf(service);
      }
      expect(after - before).toBeLessThan(MOST_GROWTH_MEGABYTES);
      await service.stop();
    });
  },
);
