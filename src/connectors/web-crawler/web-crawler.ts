import * as z from "zod";
import { ItemGone, ItemSkipped, readCheckpoint } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { Connector, SourceAccess, SourceContent } from "../../core/ports.js";
import { crawl, isLimit, startOf, territoryOf } from "./crawl.js";
import { frontierSchema } from "./frontier.js";
import { pageAddress } from "./page-address.js";
import { pageContentOf, describeReadPage, MOST_BYTES_OF_A_PAGE } from "./page-visit.js";
import { parseRobots, readRobots } from "./robots.js";

const MOST_PAGES = 10_000;
const USUAL_PAGES = 500;
const USUAL_DEPTH = 10;
const WEEK_MINUTES = 7 * 24 * 60;

const patterns = z
  .string()
  .max(2_000)
  .transform((text) =>
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .join(","),
  );
const wholeNumber = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(words).int(words).min(least, words).max(most, words);
};
const fieldsSchema = z.object({
  startUrl: z
    .url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" })
    .max(2_048),
  maxPages: wholeNumber(1, MOST_PAGES).default(USUAL_PAGES),
  maxDepth: wholeNumber(0, 100).default(USUAL_DEPTH),
  include: patterns.optional(),
  exclude: patterns.optional(),
  subdomains: z.boolean("must be true or false").default(false),
});

/** The pages of a site, breadth first from one of them; read one at a time, as its robots.txt allows. */
export function createWebCrawlerConnector(): Connector {
  return {
    provider: "web-crawler",
    title: "Website",
    signIn: { kind: "none" },
    fields: fieldsSchema,
    secretFields: [],
    sync: { everyMinutes: WEEK_MINUTES, absences: 2, readsAtOnce: 1, failsAlone: true },
    async check(access) {
      const address = startOf(access);
      const robots = parseRobots(new URL(address).origin, await readRobots(access, new URL(address).origin));
      if (!robots.isAllowed(address))
        throw new AppError(
          "forbidden",
          `The robots.txt of ${new URL(address).host} does not allow ${address} to be read.`,
        );
      await access.request({ url: address, maximumBytes: MOST_BYTES_OF_A_PAGE });
      return { account: null };
    },
    changes: (access, checkpoint) =>
      crawl(access, checkpoint === null ? null : readCheckpoint(frontierSchema, checkpoint)),
    read: (access, { id }) => readPage(access, id),
  };
}

async function readPage(access: SourceAccess, id: string): Promise<SourceContent> {
  const answer = await access
    .request({ url: id, maximumBytes: MOST_BYTES_OF_A_PAGE, accepts: [404, 410] })
    .catch((error: unknown) => {
      // One page that asks to wait is no reason to abandon all others.
      if (isLimit(error)) throw new AppError("unavailable", error.message, { cause: error });
      throw error;
    });
  if (answer.status !== 200) throw new ItemGone();
  const reached = pageAddress(answer.url);
  if (reached !== id) throw new AppError("not_found", `It now leads to another page: ${answer.url.slice(0, 300)}.`);
  const content = pageContentOf(answer, id);
  if (content === null) throw new ItemSkipped("It is neither a page nor a document.");
  const territory = territoryOf(access);
  const { version, detail } = await describeReadPage(answer, { asked: id, reached, content, territory });
  return { ...content, version, detail };
}
