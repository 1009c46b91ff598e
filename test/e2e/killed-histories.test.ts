import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ServeProcess, startServe, waitFor } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 60_000 });

const sentence = (number: number): string => `Person${number} keeps bees in town${number}.`;
const sentences = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => sentence(from + index)).join(" ");

interface Answer {
  readonly status: number;
  readonly body: any;
}

async function send(service: ServeProcess, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** A request about a document in its own container. */
type Step = (service: ServeProcess, note: string) => Promise<Answer>;

const add =
  (content: string): Step =>
  (service, note) =>
    send(service, "POST", "/v3/documents", { content, customId: note, containerTag: note });
const patch =
  (change: Record<string, unknown>): Step =>
  (service, note) =>
    send(service, "PATCH", `/v3/documents/${note}`, change);
const talk =
  (...numbers: number[]): Step =>
  (service, note) =>
    send(service, "POST", "/v4/conversations", {
      conversationId: note,
      containerTags: [note],
      messages: numbers.map((number) => ({ role: "user", content: sentence(number) })),
    });

interface History {
  readonly note: string;
  readonly steps: readonly [Step, Step, Step];
  readonly content: string;
  readonly people: readonly [first: number, last: number];
}

const HISTORIES: readonly History[] = [
  {
    note: "a-text-that-goes-on",
    steps: [add(sentences(1, 40)), add(sentences(1, 80)), add(sentences(1, 90))],
    content: sentences(1, 90),
    people: [1, 90],
  },
  {
    note: "texts-that-follow-each-other",
    steps: [add(sentences(1, 5)), add(sentences(6, 60)), add(sentences(61, 64))],
    content: sentences(61, 64),
    people: [1, 64],
  },
  {
    note: "a-text-that-is-replaced",
    steps: [add(sentences(1, 60)), patch({ content: sentences(61, 70) }), patch({ metadata: { k: 1 } })],
    content: sentences(61, 70),
    people: [61, 70],
  },
  {
    note: "a-conversation",
    steps: [talk(1, 2, 3), talk(1, 2, 3, 4), talk(5, 6)],
    content: [1, 2, 3, 4, 5, 6].map((number) => `user: ${sentence(number)}`).join("\n\n"),
    people: [1, 6],
  },
];

/** All histories share a service, which is killed each time that one step of every history is acknowledged. */
describe("after every kill", () => {
  let data: string;
  let service: ServeProcess;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "recollect-e2e-"));
    for (const at of [0, 1, 2] as const) {
      service = await startServe(data);
      const answers = await Promise.all(HISTORIES.map(({ steps, note }) => steps[at](service, note)));
      await service.stop("SIGKILL");
      for (const [index, { status, body }] of answers.entries()) {
        const { note = "" } = HISTORIES[index] ?? {};
        expect([note, status]).toEqual([note, 200]);
        expect(body.id).toBe(ids.get(note) ?? body.id);
        ids.set(note, body.id);
      }
    }
    service = await startServe(data);
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });

  test.each(HISTORIES)(
    "$note is complete: the newest text, and each stated fact once",
    async ({ note, content, people: [first, last] }) => {
      const path = `/v3/documents/${note}`;
      expect((await send(service, "GET", path)).body).toMatchObject({ id: ids.get(note), content });
      const document = await waitFor(async () => {
        const { body } = await send(service, "GET", path);
        return body.status === "done" && body.dreamingStatus === "done" ? body : null;
      }, "the end of the work");
      const remembered = document.memories.map(({ memory }: { memory: string }) => /Person\d+/.exec(memory)?.[0]);
      const expected = Array.from({ length: last - first + 1 }, (_, index) => `Person${first + index}`);
      expect(remembered.toSorted()).toEqual(expected.toSorted());
      const { body } = await send(service, "POST", "/v3/documents/list", { containerTags: [note] });
      expect(body.memories).toHaveLength(1);
      const chunks = (await send(service, "GET", `${path}/chunks`)).body.chunks as { content: string }[];
      expect(chunks.flatMap((chunk) => chunk.content.match(/Person\d+/g))).toEqual(content.match(/Person\d+/g));
    },
  );
});
