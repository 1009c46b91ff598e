import { AppError } from "../../core/errors.js";
import { JsonLimitError } from "../../lib/limited-json.js";
import { readLimitedJson } from "../../lib/request-body.js";

/** More than clients send at once. */
const MOST_MESSAGES = 100;
/** Answers repeat a message's id, and errors the name of what it asked for. */
const LONGEST_NAME = 1_000;

/** No tool takes nearly as many; checking each one of more would hold up everybody else. */
const MOST_FIELDS = 1_000;
const MOST_FIELDS_TOGETHER = 5_000;

/** What a client posted. */
export interface PostedMessages {
  /** For the protocol library, which also refuses what is not JSON. */
  readonly request: Request;
  readonly body: unknown;
  readonly count: number;
}

/**
 * Reads the messages of a request: one, or a list.
 * @throws AppError `invalid` for more messages, more values in them, more fields or longer names than are accepted; BodyError
 */
export async function readPostedMessages(request: Request, maxBytes: number): Promise<PostedMessages> {
  if (request.method !== "POST") return { request, body: undefined, count: 1 };
  const body = await readJson(request, maxBytes);
  const messages = Array.isArray(body) ? (body as unknown[]) : [body];
  if (messages.length > MOST_MESSAGES)
    throw new AppError(
      "invalid",
      `The body has ${messages.length} messages, at most ${MOST_MESSAGES} are accepted. Send them in parts.`,
    );
  messages.forEach(requireShortNames);
  requireFewFields(messages);
  return { request: body === undefined ? withoutJson(request) : request, body, count: messages.length };
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  try {
    return await readLimitedJson(request, maxBytes);
  } catch (error) {
    if (error instanceof JsonLimitError)
      throw new AppError("invalid", `The message cannot be read: ${error.message}. Send it in parts.`, {
        cause: error,
      });
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function requireShortNames(message: unknown): void {
  const { id, method, params } = Object(message) as Record<string, unknown>;
  const { name, uri } = Object(params) as Record<string, unknown>;
  for (const [field, value] of Object.entries({ id, method, name, uri }))
    if (typeof value === "string" && value.length > LONGEST_NAME)
      throw new AppError("invalid", `${field}: has ${value.length} characters, at most ${LONGEST_NAME} are accepted.`);
}

/** Fields are counted where the protocol library reads them one by one. */
function requireFewFields(messages: readonly unknown[]): void {
  let together = 0;
  for (const message of messages) {
    const { params, result, error } = Object(message) as Record<string, unknown>;
    const { arguments: given, _meta, capabilities } = Object(params) as Record<string, unknown>;
    const { experimental } = Object(capabilities) as Record<string, unknown>;
    const read = { message, params, arguments: given, _meta, capabilities, experimental, result, error };
    for (const [field, value] of Object.entries(read)) {
      const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
      together += count;
      if (count > MOST_FIELDS)
        throw new AppError("invalid", `${field}: has ${count} fields, at most ${MOST_FIELDS} are accepted.`);
    }
  }
  if (together > MOST_FIELDS_TOGETHER)
    throw new AppError(
      "invalid",
      `The messages have ${together} fields, at most ${MOST_FIELDS_TOGETHER} are accepted. Send them in parts.`,
    );
}

/** The body has been consumed; the library gives the best answer to one that it cannot read. */
function withoutJson({ url, method, headers, signal }: Request): Request {
  return new Request(url, { method, headers, signal, body: "{" });
}
