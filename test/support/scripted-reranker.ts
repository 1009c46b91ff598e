import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The field names of a service. */
export type RerankStyle = "cohere" | "voyage" | "tei";

/** A reply in place of scores. */
export type RerankFault =
  | { readonly kind: "disconnect" }
  /** Sends headers and a first byte, then nothing more. */
  | { readonly kind: "stall" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly text?: string;
    }
  /** Answers 200 with this body. */
  | { readonly kind: "body"; readonly body: string }
  /** Never ends. */
  | { readonly kind: "endless" };

export interface SeenRerank {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ScriptedReranker {
  /** Base URL, without `/rerank`. */
  readonly url: string;
  readonly requests: readonly SeenRerank[];
  /** Scores by text; by default longer texts score higher. */
  score(judge: (text: string, query: string) => number): void;
  /** Makes the next requests fail. */
  fail(...faults: readonly RerankFault[]): void;
  /** Makes requests fail whose query contains the word. */
  failFor(word: string, fault: RerankFault): void;
  close(): Promise<void>;
}

/** A rerank service on a real socket, in the style of one of several vendors. */
export async function startScriptedReranker(style: RerankStyle = "cohere"): Promise<ScriptedReranker> {
  const requests: SeenRerank[] = [];
  const faults: RerankFault[] = [];
  const byWord = new Map<string, RerankFault>();
  let judge = (text: string, _query: string): number => text.length / 10_000;
  const server = createServer((request, response) => {
    readText(request)
      .then((text) => {
        const body = JSON.parse(text) as SeenRerank["body"];
        requests.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
        const word = [...byWord.keys()].find((one) => String(body["query"]).includes(one));
        const fault = word === undefined ? faults.shift() : byWord.get(word);
        if (fault) fail(response, fault);
        else if (request.url !== "/rerank") send(response, 404, { error: "no such path" });
        else answer(response, body, style, judge);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    score: (by) => void (judge = by),
    failFor: (word, fault) => void byWord.set(word, fault),
    fail: (...more) => void faults.push(...more),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answer(
  response: ServerResponse,
  body: SeenRerank["body"],
  style: RerankStyle,
  judge: (text: string, query: string) => number,
): void {
  const name = style === "tei" ? "texts" : "documents";
  const texts = body[name];
  if (!Array.isArray(texts)) {
    send(response, 422, `Failed to deserialize the JSON body into the target type: missing field \`${name}\``);
    return;
  }
  // As Voyage and others do.
  const known = style === "tei" ? ["query", "texts", "model"] : ["query", "documents", "model"];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown) {
    send(response, 400, { detail: `Argument '${unknown}' is not supported by our API` });
    return;
  }
  const judged = texts
    .map((text: string, index) => ({ index, score: judge(text, String(body["query"])) }))
    .sort((one, other) => other.score - one.score);
  if (style === "tei") send(response, 200, judged);
  else {
    const list = judged.map(({ index, score }) => ({ index, relevance_score: score }));
    send(response, 200, style === "voyage" ? { object: "list", data: list } : { id: "1", results: list, meta: {} });
  }
}

function fail(response: ServerResponse, fault: RerankFault): void {
  if (fault.kind === "disconnect") response.destroy();
  else if (fault.kind === "stall") response.writeHead(200, { "content-type": "application/json" }).write("{");
  else if (fault.kind === "body") response.writeHead(200, { "content-type": "application/json" }).end(fault.body);
  else if (fault.kind === "status")
    response.writeHead(fault.status, fault.headers).end(fault.text ?? `{"message":"scripted ${fault.status}"}`);
  else pour(response);
}

function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, "1");
  response.writeHead(200, { "content-type": "application/json" });
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
