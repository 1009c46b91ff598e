import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What a model answers: a text, or calls of tools with their arguments. */
export type Reply = string | { readonly tool: string; readonly input: object };

export interface ModelRequest {
  readonly path: string;
  /** `messages` of chat completions, `input` and `instructions` of responses. */
  readonly body: {
    readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
    readonly input?: unknown;
    readonly instructions?: string | null;
    readonly tools?: readonly unknown[];
  };
}

export interface ScriptedModel {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** What the next requests are answered with, in this order. */
  script(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible model on a real socket that says what the test tells it to. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const replies: Reply[] = [];
  const server = createServer((request, response) => {
    readText(request)
      .then((text) => {
        const path = request.url ?? "";
        requests.push({ path, body: JSON.parse(text) as ModelRequest["body"] });
        const reply = replies.shift() ?? "Nothing more to say.";
        const answer = path.endsWith("/responses") ? asResponse(reply) : asCompletion(reply, requests.length);
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (...more) => void replies.push(...more),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function asCompletion(reply: Reply, number: number): object {
  const message =
    typeof reply === "string"
      ? { role: "assistant", content: reply }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `call_${number}`,
              type: "function",
              function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
            },
          ],
        };
  const finish_reason = typeof reply === "string" ? "stop" : "tool_calls";
  return {
    id: `completion_${number}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function asResponse(reply: Reply): object {
  const text = typeof reply === "string" ? reply : "";
  return {
    id: "response_1",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    model: "scripted",
    output: [
      {
        id: "message_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
