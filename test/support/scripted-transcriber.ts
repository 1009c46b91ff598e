import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { boundaryOf, type Part, readMultipart } from "../../src/lib/multipart.js";

async function readParts(request: IncomingMessage): Promise<(Omit<Part, "content"> & { bytes: Buffer })[]> {
  const parts = [];
  for await (const { content, ...part } of readMultipart(request, boundaryOf(request.headers["content-type"] ?? ""))) {
    const pieces = [];
    for await (const piece of content) pieces.push(piece);
    parts.push({ ...part, bytes: Buffer.concat(pieces) });
  }
  return parts;
}

/** A request to the transcriber. */
export interface SeenRecording {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ScriptedTranscriber {
  /** Base URL, without `/audio/transcriptions`. */
  readonly url: string;
  readonly recordings: SeenRecording[];
  /** Replies to the next recordings; the last one is repeated. */
  answers: ((recording: SeenRecording) => { status?: number; body: unknown } | "hang up")[];
  close(): Promise<void>;
}

/** A service with OpenAI's `/audio/transcriptions` on a real socket. */
export async function startScriptedTranscriber(): Promise<ScriptedTranscriber> {
  const recordings: SeenRecording[] = [];
  const scripted: ScriptedTranscriber = {
    url: "",
    recordings,
    answers: [() => ({ body: { text: "" } })],
    close: async () => undefined,
  };
  const server = createServer((request, response) => {
    void readParts(request).then((parts) => {
      const field = (name: string): string =>
        Buffer.from(parts.find((part) => part.name === name)?.bytes ?? []).toString();
      const file = parts.find((part) => part.name === "file");
      const recording = {
        authorization: request.headers.authorization,
        model: field("model"),
        name: file?.filename ?? "",
        bytes: Uint8Array.from(file?.bytes ?? []),
      };
      recordings.push(recording);
      const make = scripted.answers.length > 1 ? scripted.answers.shift() : scripted.answers[0];
      const answer = request.url === "/audio/transcriptions" ? make?.(recording) : { status: 404, body: {} };
      if (answer === "hang up" || answer === undefined) return void request.socket.destroy();
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(scripted, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
