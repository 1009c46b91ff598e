import { readApiFailure } from "../../lib/api-failure.js";

/** What a model at an endpoint is known to support of the API. */
export interface Dialect {
  /** How the form of the answer is requested. */
  readonly format: "schema" | "json" | "text";
  /** Name of the parameter that limits the answer's length, null when there is none. */
  readonly limit: "max_completion_tokens" | "max_tokens" | null;
  readonly hasTemperature: boolean;
}

/** The most to hope for. OpenAI's own models take one set of parameters, most others the older one. */
export function firstDialect(baseUrl: string): Dialect {
  const isOpenAi = new URL(baseUrl).hostname.endsWith("openai.com");
  return {
    format: "schema",
    limit: isOpenAi ? "max_completion_tokens" : "max_tokens",
    hasTemperature: !isOpenAi,
  };
}

/**
 * A simpler dialect after a refusal that concerns the form of a request rather than its content; undefined when there was
 * another reason, or nothing is left to do without.
 */
export function humbler(dialect: Dialect, error: unknown): Dialect | undefined {
  const failure = readApiFailure(error);
  if (!failure || ![400, 415, 422, 501].includes(failure.status)) return undefined;
  const text = `${failure.code ?? ""} ${failure.text ?? ""}`;
  if (dialect.hasTemperature && /temperature/i.test(text)) return { ...dialect, hasTemperature: false };
  if (dialect.limit !== null && /max_(?:completion_)?tokens/i.test(text))
    return { ...dialect, limit: dialect.limit === "max_tokens" ? "max_completion_tokens" : null };
  if (dialect.format !== "text" && /response[ _]?format|json|schema|structured|grammar/i.test(text))
    return { ...dialect, format: dialect.format === "schema" ? "json" : "text" };
  return undefined;
}

/** True when the service itself discarded its model's answer because it did not match the request. */
export function isUnusableAnswer(error: unknown): boolean {
  const failure = readApiFailure(error);
  return (
    failure?.status === 400 && /json_validate_failed|failed to generate json/i.test(`${failure.code} ${failure.text}`)
  );
}
