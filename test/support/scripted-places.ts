import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import type { FileFetcher } from "../../src/core/ports.js";
import { readAllowedPlaces } from "../../src/lib/allowed-places.js";
import { openWebServer } from "./web-server.js";

/** Origins at which the known places are requested. */
const ORIGINS = [
  "https://github.com",
  "https://raw.githubusercontent.com",
  "https://media.githubusercontent.com",
  "https://gist.githubusercontent.com",
  "https://gist.github.com",
  "https://api.github.com",
  "https://arxiv.org",
  "https://www.youtube.com",
  "https://youtu.be",
  "https://publish.twitter.com",
  "https://x.com",
];

export interface PlaceAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string | Uint8Array;
}

export interface ScriptedPlaces {
  readonly fetcher: FileFetcher;
  /** Responses by host and path, such as `arxiv.org/abs/1706.03762`, with the query if there is one; otherwise 404. */
  readonly answers: Map<string, PlaceAnswer>;
  /** Requests in order, in the same form. */
  readonly asked: string[];
  /** Prefix for redirects, such as `/arxiv.org/pdf/1706.03762`. */
  readonly url: string;
  close(): Promise<void>;
}

/** All known places as one web server on this machine, and a client that uses it in their place. */
export async function openScriptedPlaces(maximumBytes = 20_000_000): Promise<ScriptedPlaces> {
  const answers = new Map<string, PlaceAnswer>();
  const asked: string[] = [];
  const server = await openWebServer(({ url = "" }, response) => {
    const name = url.slice(1);
    asked.push(name);
    const answer = answers.get(name) ?? answers.get(name.split("?")[0] ?? "") ?? { status: 404, body: "Not found" };
    const { status = answer.location === undefined ? 200 : 302, type = "text/html", location, body = "" } = answer;
    response.writeHead(status, { "content-type": type, ...(location !== undefined && { location }) });
    response.end(body);
  });
  const allowed = readAllowedPlaces(["127.0.0.1/32"]);
  if (!allowed) throw new Error("The test allows what is no place");
  const mirrors = Object.fromEntries(ORIGINS.map((origin) => [origin, `${server.url}/${new URL(origin).host}`]));
  const fetcher = createGuardedFetch({
    allowed,
    isOffline: false,
    userAgent: "Recollect/0",
    maximumBytes,
    timeoutMs: 5_000,
    stallMs: 2_000,
    mirrors,
  });
  return { fetcher, answers, asked, url: server.url, close: () => server.close() };
}

interface VideoPage {
  readonly title?: string;
  readonly author?: string;
  readonly publishDate?: string;
  readonly status?: string;
  readonly tracks?: readonly Readonly<Record<string, unknown>>[];
}

/** The page of a video in YouTube's form: a script that contains its data. */
export function videoPage({ title, author, publishDate, status = "OK", tracks }: VideoPage): string {
  const player = {
    playabilityStatus: { status },
    videoDetails: { title, author, lengthSeconds: "61", shortDescription: 'A {brace} and a "quote" in it }; var x' },
    microformat: { playerMicroformatRenderer: { publishDate } },
    ...(tracks && { captions: { playerCaptionsTracklistRenderer: { captionTracks: tracks } } }),
  };
  return `<!DOCTYPE html><html><head><title>YouTube</title></head><body><script>var ytInitialPlayerResponse = ${JSON.stringify(
    player,
  )};var meta = document.createElement('meta');</script></body></html>`;
}

/** An abstract page in arXiv's form, as far as it is read. */
export function abstractPage(meta: readonly (readonly [name: string, content: string])[]): string {
  const head = meta.map(([name, content]) => `<meta name="${name}" content="${content}" />`).join("\n");
  return `<!DOCTYPE html><html lang="en"><head>${head}</head><body><h1>Title:A paper</h1>
    <blockquote class="abstract">Abstract: We measure how far the light of Arkona is seen from the sea at night.</blockquote>
    </body></html>`;
}

/** A response of the endpoint for pages that embed posts. */
export function embeddedPost(paragraph: string, more: Readonly<Record<string, unknown>> = {}): PlaceAnswer {
  const html = `<blockquote class="twitter-tweet"><p lang="en" dir="ltr">${paragraph}</p>&mdash; Ada Keeper (@adakeeper) <a href="https://twitter.com/adakeeper/status/1">June 1, 2024</a></blockquote>\n`;
  const answer = {
    author_name: "Ada Keeper",
    author_url: "https://twitter.com/adakeeper",
    html,
    type: "rich",
    ...more,
  };
  return { type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}
