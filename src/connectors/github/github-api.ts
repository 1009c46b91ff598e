import * as z from "zod";
import { jsonOf, parseAnswer } from "../../core/connections/json-answer.js";
import { AppError } from "../../core/errors.js";
import type { SourceAccess, SourceAnswer, SourceRequest } from "../../core/ports.js";

const VERSION = "2022-11-28";
const USUAL_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3_600;
const MOST_PAGES = 100;
export const PER_PAGE = 100;

/** The API address of GitHub, or of an enterprise edition. */
export interface GithubApi {
  readonly url: string;
  readonly access: SourceAccess;
}

type GithubRequest = Pick<SourceRequest, "method" | "accepts" | "body" | "maximumBytes"> & { readonly accept?: string };

/**
 * Calls the REST API (docs.github.com/rest).
 * @throws AppError `rate_limited` for the primary and the secondary limit, which arrive as 403 and 429
 */
export async function askGithub(
  { url, access }: GithubApi,
  path: string,
  request: GithubRequest = {},
): Promise<SourceAnswer> {
  const { accept = "application/vnd.github+json", accepts = [], ...rest } = request;
  const answer = await access.request({
    ...rest,
    url: `${url}${path}`,
    headers: { accept, "x-github-api-version": VERSION },
    accepts: [...accepts, 403, 429],
  });
  if (answer.status !== 403 && answer.status !== 429) return answer;
  const { "retry-after": retryAfter, "x-ratelimit-remaining": left } = answer.headers;
  const isLimit =
    answer.status === 429 || retryAfter !== undefined || left === "0" || /rate limit/i.test(messageOf(answer));
  if (isLimit) throw askedTooOften(access, answer);
  if (accepts.includes(403)) return answer;
  const place = path.split("?", 1)[0];
  throw new AppError(
    "forbidden",
    answer.headers["x-github-sso"] === undefined
      ? `GitHub does not give this account access to ${place}.`
      : `GitHub does not give this token access to ${place}: its organisation requires it to be authorized for single sign-on.`,
  );
}

function askedTooOften({ now }: Pick<SourceAccess, "now">, { headers }: SourceAnswer): AppError {
  const { "retry-after": retryAfter, "x-ratelimit-remaining": left, "x-ratelimit-reset": reset } = headers;
  // By GitHub's clock, since this one may be wrong.
  const here = Date.parse(headers["date"] ?? "") || now().getTime();
  const wait = retryAfter ?? (left === "0" ? Number(reset) - here / 1_000 : USUAL_PAUSE_SECONDS);
  const seconds = Number.isFinite(Number(wait)) ? Math.ceil(Number(wait)) : USUAL_PAUSE_SECONDS;
  return new AppError("rate_limited", "GitHub asks for fewer requests.", {
    retryAfter: Math.min(Math.max(seconds, 1), LONGEST_PAUSE_SECONDS),
  });
}

export async function readGithub<T>(
  api: GithubApi,
  path: string,
  schema: z.ZodType<T>,
  request: GithubRequest = {},
): Promise<T> {
  return parseGithub(await askGithub(api, path, request), schema);
}

/** The content of an answer. @throws AppError `unavailable` for an answer that is not the expected JSON */
export function parseGithub<T>(answer: SourceAnswer, schema: z.ZodType<T>): T {
  return parseAnswer(answer, schema, "GitHub");
}

/** All pages of a list in pages of 100. */
export async function readAllGithub<T>(api: GithubApi, path: string, item: z.ZodType<T>): Promise<T[]> {
  const found: T[] = [];
  const sign = path.includes("?") ? "&" : "?";
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const some = await readGithub(api, `${path}${sign}per_page=${PER_PAGE}&page=${page}`, z.array(item));
    found.push(...some);
    if (some.length < PER_PAGE) break;
  }
  return found;
}

const graphSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().optional() })).default([]),
});
const CLOSED: ReadonlySet<string | undefined> = new Set(["FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_SCOPES"]);

/**
 * Calls the GraphQL API, the only one with discussions. It reports errors with status 200.
 * @returns null for what does not exist
 * @throws as `askGithub`; AppError `unavailable` where GitHub did not complete the query
 */
export async function askGraph<T>(
  api: GithubApi,
  query: string,
  { variables, schema }: { readonly variables: Readonly<Record<string, unknown>>; readonly schema: z.ZodType<T> },
): Promise<T | null> {
  // An enterprise edition has it next to the version of its REST API.
  const url = api.url.replace(/\/v3$/, "");
  const answer = await askGithub({ ...api, url }, "/graphql", { body: { query, variables } });
  const { data, errors } = parseGithub(answer, graphSchema);
  const read = schema.safeParse(data);
  if (errors.length === 0 && read.success) return read.data;
  const types = errors.map(({ type }) => type);
  if (types.includes("RATE_LIMITED")) throw askedTooOften(api.access, answer);
  if (types.length > 0 && types.every((type) => type === "NOT_FOUND")) return null;
  if (types.some((type) => CLOSED.has(type)))
    throw new AppError(
      "forbidden",
      "GitHub does not give this account access to the discussions. Give the token permission to read discussions, or leave them out.",
    );
  throw new AppError("unavailable", "GitHub could not answer the query for discussions.");
}

function messageOf(answer: SourceAnswer): string {
  return z.object({ message: z.string() }).safeParse(jsonOf(answer)).data?.message ?? "";
}
