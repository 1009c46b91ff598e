import { expect, test, vi } from "vitest";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

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

const add = (content: string) => (service: ServeProcess) =>
  send(service, "POST", "/v3/documents", { content, customId: "note", containerTag: "a" });
const patch = (change: Record<string, unknown>) => (service: ServeProcess) =>
  send(service, "PATCH", "/v3/documents/note", change);
const talk =
  (...numbers: number[]) =>
  (service: ServeProcess) =>
    send(service, "POST", "/v4/conversations", {
      conversationId: "note",
      containerTags: ["a"],
      messages: numbers.map((number) => ({ role: "user", content: sentence(number) })),
    });

/** Killed at once after each of these is acknowledged, wherever the work on the ones before it is. */
const HISTORIES = [
  {
    name: "a text that goes on",
    steps: [add(sentences(1, 40)), add(sentences(1, 80)), add(sentences(1, 90))],
    content: sentences(1, 90),
    people: [1, 90],
  },
  {
    name: "texts that follow each other",
    steps: [add(sentences(1, 5)), add(sentences(6, 60)), add(sentences(61, 64))],
    content: sentences(61, 64),
    people: [1, 64],
  },
  {
    name: "a text that is replaced",
    steps: [add(sentences(1, 60)), patch({ content: sentences(61, 70) }), patch({ metadata: { k: 1 } })],
    content: sentences(61, 70),
    people: [61, 70],
  },
  {
    name: "a conversation",
    steps: [talk(1, 2, 3), talk(1, 2, 3, 4), talk(5, 6)],
    content: [1, 2, 3, 4, 5, 6].map((number) => `user: ${sentence(number)}`).join("\n\n"),
    people: [1, 6],
  },
] as const;

test.each(HISTORIES)(
  "$name is whole after every kill: newest text, all that was stated, each once",
  ({ steps, content, people: [first, last] }) =>
    withDataDirectory(async (data) => {
      let id: string | undefined;
      for (const step of steps) {
        const service = await startServe(data);
        const { status, body } = await step(service);
        await service.stop("SIGKILL");
        expect(status).toBe(200);
        expect(body.id).toBe((id ??= body.id));
      }
      const service = await startServe(data);
      try {
        expect((await send(service, "GET", "/v3/documents/note")).body).toMatchObject({ id, content });
        const document = await waitFor(async () => {
          const { body } = await send(service, "GET", "/v3/documents/note");
          return body.status === "done" && body.dreamingStatus === "done" ? body : null;
        }, "the end of the work");
        const remembered = document.memories.map(({ memory }: { memory: string }) => /Person\d+/.exec(memory)?.[0]);
        const expected = Array.from({ length: last - first + 1 }, (_, index) => `Person${first + index}`);
        expect(remembered.toSorted()).toEqual(expected.toSorted());
        const { body } = await send(service, "POST", "/v3/documents/list", { containerTags: ["a"] });
        expect(body.memories).toHaveLength(1);
        const chunks = (await send(service, "GET", "/v3/documents/note/chunks")).body.chunks as { content: string }[];
        expect(chunks.flatMap((chunk) => chunk.content.match(/Person\d+/g))).toEqual(content.match(/Person\d+/g));
      } finally {
        await service.stop();
      }
    }),
);
