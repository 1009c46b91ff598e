import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import type { LanguageModel, Log } from "../../src/core/ports.js";

/** A model's reply: a text, a tool call with arguments, or a fault. */
export type Reply = string | { readonly tool: string; readonly input: object } | ModelFault;

export type ModelFault =
  | { readonly fault: "disconnect" }
  /** Sends headers and a first byte, then nothing more. */
  | { readonly fault: "stall" }
  | {
      readonly fault: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Default `{ error: { message } }` with the status. */
      readonly error?: Readonly<Record<string, unknown>>;
    }
  /** Answers 200 with this body. */
  | { readonly fault: "body"; readonly body: string }
  /** Ends in the middle, like a model that has reached its maximum output. */
  | { readonly fault: "cut off"; readonly text: string }
  | { readonly fault: "refusal"; readonly text: string };

export interface ModelRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** `messages` of chat completions, `input` and `instructions` of responses. */
  readonly body: {
    readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
    readonly input?: unknown;
    readonly instructions?: string | null;
    readonly tools?: readonly unknown[];
    readonly [name: string]: unknown;
  };
}

export interface ScriptedModel {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Questions for the title and summary of a document, which are recorded separately from all others. */
  readonly descriptions: readonly ModelRequest[];
  /** Replies to the next requests, in this order. */
  script(...replies: readonly Reply[]): void;
  /** Replies to requests for which nothing is scripted. */
  always(reply: (request: ModelRequest) => Reply): void;
  /** Holds all replies back until this has happened. */
  answerAfter(wait: () => Promise<unknown>): void;
  /** Replies to questions for title and summary; by default neither is returned. */
  describe(reply: (request: ModelRequest) => Reply): void;
  close(): Promise<void>;
}

/** A client of the scripted model, as the service would create it. */
export function scriptedLanguageModel({ url }: Pick<ScriptedModel, "url">, log: Log): LanguageModel {
  return createOpenAiModel({
    provider: "openai",
    baseUrl: url,
    apiKey: "sk-secret",
    model: "scripted",
    fastModel: "scripted-fast",
    settings: { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" },
    log,
    pauseMs: 1,
  });
}

/** Part of each question for a title and a summary, whatever answer format the endpoint uses. */
const DESCRIBING = "say what it is called and what it says in short";

/** An OpenAI-compatible model on a real socket that replies as the test says. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const replies: Reply[] = [];
  let waitBefore: () => Promise<unknown> = () => Promise.resolve();
  let fallback: (request: ModelRequest) => Reply = () => "Nothing more to say.";
  const descriptions: ModelRequest[] = [];
  let describing: (request: ModelRequest) => Reply = () => '{"title":"","summary":""}';
  const server = createServer((request, response) => {
    readText(request)
      .then((text) => {
        const { url: path = "", headers } = request;
        const seen = { path, headers, body: JSON.parse(text) as ModelRequest["body"] };
        if (text.includes(DESCRIBING)) {
          descriptions.push(seen);
          return send(response, seen, describing(seen), descriptions.length);
        }
        requests.push(seen);
        const reply = replies.shift() ?? fallback(seen);
        const number = requests.length;
        void waitBefore().then(() => send(response, seen, reply, number));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    descriptions,
    describe: (reply) => void (describing = reply),
    script: (...more) => void replies.push(...more),
    always: (reply) => void (fallback = reply),
    answerAfter: (wait) => void (waitBefore = wait),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function send(response: ServerResponse, { path }: ModelRequest, reply: Reply, number: number): void {
  const json = { "content-type": "application/json" };
  const fault = typeof reply === "object" && "fault" in reply ? reply.fault : undefined;
  if (fault === "disconnect") response.destroy();
  else if (fault === "stall") response.writeHead(200, json).write("{");
  else if (typeof reply === "object" && "status" in reply) {
    const error = reply.error ?? { message: `scripted ${reply.status}` };
    response.writeHead(reply.status, { ...json, ...reply.headers }).end(JSON.stringify({ error }));
  } else if (typeof reply === "object" && "body" in reply) response.writeHead(200, json).end(reply.body);
  else {
    const answer = path.endsWith("/responses") ? asResponse(reply) : asCompletion(reply, number);
    response.writeHead(200, json).end(JSON.stringify(answer));
  }
}

function asCompletion(reply: Reply, number: number): object {
  const { message, finish_reason } = choiceOf(reply, number);
  return {
    id: `completion_${number}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function choiceOf(reply: Reply, number: number): { message: object; finish_reason: string } {
  if (typeof reply === "string") return { message: { role: "assistant", content: reply }, finish_reason: "stop" };
  if ("tool" in reply) {
    const call = { name: reply.tool, arguments: JSON.stringify(reply.input) };
    const tool_calls = [{ id: `call_${number}`, type: "function", function: call }];
    return { message: { role: "assistant", content: null, tool_calls }, finish_reason: "tool_calls" };
  }
  const text = "text" in reply ? reply.text : "";
  if (reply.fault === "refusal")
    return { message: { role: "assistant", content: null, refusal: text }, finish_reason: "stop" };
  return { message: { role: "assistant", content: text }, finish_reason: "length" };
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
