import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import type { FetchedFile } from "../../../core/ports.js";
import { iso } from "../../../lib/time.js";
import { type AskPlace, fileJson, type KnownPlace } from "./known-place.js";

const HOST = /^(?:(?:www|mobile)\.)?(?:x|twitter)\.com$/;
const POST = /^\/(?:i\/web|i|\w{1,15})\/status(?:es)?\/(\d{1,20})(?:\/(?:photo|video)\/\d)?\/?$/;
/** Answers have a few KB. */
const LARGEST_ANSWER = 1024 * 1024;

/**
 * Posts on X, by the public embedding endpoint (developer.x.com, "GET statuses/oembed"): the pages themselves are programs
 * without text.
 */
export const x: KnownPlace = {
  find({ hostname, pathname }) {
    const [, id] = HOST.test(hostname) ? (POST.exec(pathname) ?? []) : [];
    return id === undefined ? null : (ask) => fetchPost(ask, id);
  },
};

const answerSchema = z.object({
  html: z.string().max(200_000),
  author_name: z.string().max(200).catch(""),
  author_url: z.string().max(500).catch(""),
});

async function fetchPost(ask: AskPlace, id: string): Promise<FetchedFile> {
  const answer = await askForPost(ask, id);
  const post = answerSchema.safeParse(fileJson(answer)).data;
  const paragraph = post && paragraphOf(post.html);
  if (!post || !paragraph)
    throw new AppError(
      "invalid",
      "The post was not fetched: X answered with something other than a post. Send its text.",
    );
  return {
    bytes: new TextEncoder().encode(`<!doctype html><html><body><article>${paragraph}</article></body></html>`),
    name: null,
    mimeType: "text/html",
    charset: "utf-8",
    url: `https://x.com/i/status/${id}`,
    modifiedAt: null,
    told: { type: "tweet", author: authorOf(post), date: dateOf(id) },
  };
}

async function askForPost(ask: AskPlace, id: string): Promise<FetchedFile> {
  const question = new URLSearchParams({
    url: `https://twitter.com/i/status/${id}`,
    omit_script: "true",
    hide_thread: "true",
    dnt: "true",
  });
  const wishes = { accept: "application/json", maximumBytes: LARGEST_ANSWER };
  try {
    return await ask(`https://publish.twitter.com/oembed?${question.toString()}`, wishes);
  } catch (error) {
    if (error instanceof AppError && (error.kind === "not_found" || error.kind === "forbidden"))
      throw new AppError(
        error.kind,
        "The post was not fetched: X shows it only to signed-in users, or it was deleted. Send its text.",
        { cause: error },
      );
    throw error;
  }
}

/** The text of the post; its author and date follow. */
function paragraphOf(html: string): string | null {
  const start = html.indexOf("<p");
  const end = html.indexOf("</p>", start);
  return start === -1 || end === -1 ? null : html.slice(start, end + "</p>".length);
}

function authorOf({ author_name: name, author_url: url }: z.infer<typeof answerSchema>): string | null {
  const handle = /^https:\/\/(?:x|twitter)\.com\/(\w{1,15})$/.exec(url)?.[1];
  const author = [name.trim(), ...(handle === undefined ? [] : [`(@${handle})`])].join(" ").trim();
  return author === "" ? null : author;
}

/** Ids of posts since November 2010 contain the time in milliseconds. */
const FIRST_DATED = 29_700_859_247n;
const EPOCH_MS = 1_288_834_974_657n;

function dateOf(id: string): string | null {
  const number = BigInt(id);
  if (number < FIRST_DATED) return null;
  const date = new Date(Number((number >> 22n) + EPOCH_MS));
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : iso(date);
}
