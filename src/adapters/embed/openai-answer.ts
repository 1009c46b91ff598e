import { AppError } from "../../core/errors.js";
import { REFUSED_PAUSE } from "./openai-errors.js";

export interface AnswerRules {
  /** Size that every vector must have, once known. */
  readonly expectedSize: number | undefined;
  /** True when that size was requested, false when it is that of earlier answers. */
  readonly wasRequested: boolean;
  readonly baseUrl: string;
}

/**
 * The vectors of an answer, in the order of the texts, each scaled to length 1.
 * @throws AppError `unavailable` for anything but `count` finite vectors of one size, `invalid` when the service ignores the
 *   requested size
 */
export function readVectors(answer: unknown, count: number, rules: AnswerRules): Float32Array[] {
  const reject = (what: string): AppError =>
    new AppError("unavailable", `The embedding service at ${rules.baseUrl} ${what}`, { retryAfter: REFUSED_PAUSE });
  const entries = listOf(typeof answer === "string" ? parseJson(answer) : answer);
  if (!entries)
    throw reject("answered with something that is not a list of embeddings. Check RECOLLECT_EMBEDDING_BASE_URL.");
  if (entries.length !== count)
    throw reject(`answered with ${entries.length} vectors for ${count} texts. None of them was used.`);

  const vectors = Array.from({ length: count }, (): Float32Array | undefined => undefined);
  for (const [position, entry] of entries.entries()) {
    const index = indexOf(entry, position);
    if (index === undefined || index >= count || vectors[index])
      throw reject("numbered its vectors in a way that does not match the texts. None of them was used.");
    const numbers = numbersOf(entry);
    if (!numbers || numbers.length === 0) throw reject("answered with a vector that is not a list of finite numbers.");
    vectors[index] = numbers;
  }
  return vectors.map((vector, index) => {
    if (!vector) throw reject(`left out the vector of text ${index + 1}.`);
    checkSize(vector.length, rules.expectedSize ?? vectors[0]?.length ?? vector.length, rules, reject);
    const unit = toLengthOne(vector);
    if (!unit) throw reject("answered with a vector that has no direction (all zero, or too large to measure).");
    return unit;
  });
}

function checkSize(size: number, expected: number, rules: AnswerRules, reject: (what: string) => AppError): void {
  if (size === expected) return;
  if (rules.wasRequested)
    throw new AppError(
      "invalid",
      `The embedding service at ${rules.baseUrl} answered with vectors of ${size} numbers although ${expected} were requested. Remove RECOLLECT_EMBEDDING_DIMENSIONS, or set it to ${size}.`,
    );
  throw reject(`answered with a vector of ${size} numbers among others of ${expected}. None of them was used.`);
}

/** A gateway may serve JSON under another content type. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf(answer: unknown): readonly unknown[] | undefined {
  if (typeof answer !== "object" || answer === null || !("data" in answer)) return undefined;
  return Array.isArray(answer.data) ? answer.data : undefined;
}

function indexOf(entry: unknown, position: number): number | undefined {
  if (typeof entry !== "object" || entry === null || !("index" in entry)) return position;
  return typeof entry.index === "number" && Number.isInteger(entry.index) && entry.index >= 0 ? entry.index : undefined;
}

function numbersOf(entry: unknown): Float32Array | undefined {
  if (typeof entry !== "object" || entry === null || !("embedding" in entry)) return undefined;
  const list: unknown = entry.embedding;
  if (!Array.isArray(list)) return undefined;
  const numbers = new Float32Array(list.length);
  for (const [position, value] of list.entries()) {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    numbers[position] = value;
  }
  return numbers;
}

function toLengthOne(vector: Float32Array): Float32Array | undefined {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
}
