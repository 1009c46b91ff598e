import * as z from "zod";
import { requireNewPage } from "../../core/connections/require-new-page.js";
import type { SourceChange, SourceContent } from "../../core/ports.js";
import { containedMarkdown } from "../../lib/contained-markdown.js";
import type { GithubApi } from "./github-api.js";
import type { GithubRepository } from "./repository-files.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** GitHub does not report issues and discussions that were deleted or moved away, so all of them are listed this often. */
const LIST_EVERY_MS = 24 * 3_600_000;

/** What is known of a repository's issues or discussions. */
export const threadsSchema = z.object({
  /** Time of the newest change that was brought in. */
  until: z.string().nullable(),
  /** When all of them were last listed. */
  listedAt: z.string().nullable(),
  /** An unfinished full listing: where it resumes, and what it has found. */
  listing: z.object({ position: z.string(), until: z.string().nullable(), seen: z.array(z.number()) }).nullable(),
});
export type KnownThreads = z.output<typeof threadsSchema>;
export const NO_THREADS: KnownThreads = { until: null, listedAt: null, listing: null };

export interface ThreadPage {
  readonly threads: readonly { readonly number: number; readonly change: SourceChange }[];
  /** Time of the newest change on the page. */
  readonly until: string | null;
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
  /** Differs from page to page, unless GitHub returns the same page again. */
  readonly mark: string;
}

/** Issues or discussions. */
export interface ThreadSource {
  /** Part of their item ids. */
  readonly kind: "issue" | "discussion";
  /** All of them, oldest change first: whatever changes meanwhile moves to the end, so nothing is left out. */
  list(api: GithubApi, repository: GithubRepository, position: string | null): Promise<ThreadPage>;
  /** What has changed since a time, inclusive. */
  changed(
    api: GithubApi,
    repository: GithubRepository,
    from: { since: string; position: string | null },
  ): Promise<ThreadPage>;
}

export interface ThreadChanges {
  readonly changes: readonly SourceChange[];
  readonly known: KnownThreads;
}

/** The id of one; with "" the prefix of all ids. */
export function idOfThread(
  repository: Pick<GithubRepository, "id">,
  kind: ThreadSource["kind"],
  number: number | "",
): string {
  return `github:${repository.id}:${kind}:${number}`;
}

export function isIdOfThread(repository: Pick<GithubRepository, "id">, id: string): boolean {
  return (["issue", "discussion"] as const).some((kind) => id.startsWith(idOfThread(repository, kind, "")));
}

/** Their changes, page by page; once a day also which of them are gone. @throws AppError */
export async function* followThreads(
  api: GithubApi,
  repository: GithubRepository,
  source: ThreadSource,
  known: KnownThreads,
): AsyncIterable<ThreadChanges> {
  const now = api.access.now();
  const { until, listedAt, listing } = known;
  const isListed = listedAt !== null && now.getTime() - Date.parse(listedAt) < LIST_EVERY_MS;
  if (until !== null && listing === null && isListed) yield* changedThreads(api, repository, source, known);
  else yield* allThreads(api, repository, source, known);
}

async function* allThreads(
  api: GithubApi,
  repository: GithubRepository,
  source: ThreadSource,
  known: KnownThreads,
): AsyncIterable<ThreadChanges> {
  let position = known.listing?.position ?? null;
  let until = known.listing?.until ?? null;
  const seen = new Set(known.listing?.seen);
  const marks = new Set<string>();
  for (;;) {
    const page = await source.list(api, repository, position);
    refuseSame(page, marks);
    for (const { number } of page.threads) seen.add(number);
    until = later(until, page.until);
    const changes = page.threads.map(({ change }) => change);
    if (page.next === null) {
      const there = new Set([...seen].map((number) => idOfThread(repository, source.kind, number)));
      const before = await api.access.knownIds(idOfThread(repository, source.kind, ""));
      const removals = before.flatMap((id) => (there.has(id) ? [] : { kind: "remove" as const, id }));
      const listedAt = api.access.now().toISOString();
      yield { changes: [...removals, ...changes], known: { until, listedAt, listing: null } };
      return;
    }
    position = page.next;
    yield { changes, known: { ...known, listing: { position, until, seen: [...seen] } } };
  }
}

async function* changedThreads(
  api: GithubApi,
  repository: GithubRepository,
  source: ThreadSource,
  known: KnownThreads,
): AsyncIterable<ThreadChanges> {
  const since = known.until ?? "";
  let { until } = known;
  let position: string | null = null;
  const marks = new Set<string>();
  for (;;) {
    const page = await source.changed(api, repository, { since, position });
    refuseSame(page, marks);
    until = later(until, page.until);
    position = page.next;
    // The time counts as reached once all pages have been read, in whatever order they come.
    const reached = { ...known, ...(position === null && { until }) };
    yield { changes: page.threads.map(({ change }) => change), known: reached };
    if (position === null) return;
  }
}

/** @throws AppError `unavailable` for a page that is returned again */
function refuseSame({ mark, next }: ThreadPage, marks: Set<string>): void {
  if (next !== null) requireNewPage(mark, marks, "GitHub does not lead to a next page of a list");
}

function later(one: string | null, other: string | null): string | null {
  return one !== null && (other === null || one > other) ? one : other;
}

function oneLine(text: string): string {
  return singleSpaced(text);
}

export interface Contribution {
  readonly author: string | undefined;
  readonly at: string | null;
  readonly body: string | null | undefined;
}

/** An issue or discussion with all its comments, as Markdown. */
export function threadContent({
  title,
  parts,
  ...rest
}: {
  readonly title: string;
  readonly parts: readonly Contribution[];
  readonly changedAt: string;
  readonly metadata: SourceContent["metadata"];
}): SourceContent {
  const said = parts.filter(({ body }) => (body ?? "").trim() !== "");
  const texts = said.map(({ author = "somebody", at, ...part }, index) => {
    const when = at === null ? "" : ` on ${at.slice(0, 10)}`;
    const body = containedMarkdown(part.body ?? "");
    return index === 0 && at === null ? `${author} wrote:\n\n${body}` : `## ${author}${when}\n\n${body}`;
  });
  return {
    ...rest,
    content: [`# ${oneLine(title)}`, ...texts].join("\n\n"),
    mimeType: "text/markdown",
    fileName: null,
    type: null,
    title,
  };
}
