import * as z from "zod";
import { dayIn, type TimeZone } from "../../../lib/time-zone.js";
import { describeGaps, describeHits, factSchema, hitSchema, presentFact, presentHit, sourceMark } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { listPlaces, readingPlaces } from "../places.js";
import { profileOf } from "../profile-of.js";
import { defineTool } from "../tool.js";
import { containerTag, READ_ONLY } from "./arguments.js";

const input = z.object({
  containerTag,
  q: z.string().min(1).max(1_000_000).optional().describe("A question to search for at the same time"),
});

const output = z.object({
  containerTag: z.string(),
  static: z.array(factSchema).describe("What rarely changes"),
  dynamic: z.array(factSchema).describe("What else is known, newest first"),
  results: z.array(hitSchema).describe("What search finds for q"),
  waiting: z.number().nullable().describe("Documents not yet searchable or not yet read for facts; only with q"),
  degraded: z.array(z.string()),
  notice: z.string(),
});

export const profileTool = defineTool({
  name: "profile",
  title: "Show the profile",
  description:
    "Returns what is generally known about the user or the project of a container: lasting facts and recent ones. Useful at the " +
    "start of a conversation or task.",
  input,
  output,
  annotations: READ_ONLY,
  async run({ core, actor, defaultContainer }, args) {
    const places = readingPlaces({ actor, defaultContainer }, args.containerTag);
    const container = listPlaces(places);
    const profile = await profileOf({ core, actor }, places, args.q);
    const structured = {
      containerTag: container,
      static: (profile.static ?? []).map(presentFact),
      dynamic: (profile.dynamic ?? []).map(presentFact),
      results: (profile.search?.results ?? []).map(presentHit),
      waiting: profile.search?.waiting ?? null,
      degraded: [...(profile.search?.degraded ?? [])],
      notice: NOTICE,
    };
    const parts = [
      ...describeFacts("Lasting:", structured.static, profile.timeZone),
      ...describeFacts("Recent:", structured.dynamic, profile.timeZone),
      ...(profile.search && profile.search.results.length > 0
        ? [`For the question:\n${describeHits(profile.search)}`]
        : []),
    ];
    const text = [
      parts.length > 0
        ? `Profile of ${container}.\n${fence(parts.join("\n\n"))}`
        : `Nothing is known in ${container} yet.`,
      ...(profile.search && profile.search.results.length === 0 ? ["Nothing was found for the question."] : []),
      ...(profile.search ? describeGaps(profile.search) : []),
    ].join("\n");
    return { text, structured };
  },
});

/** Facts under a heading; nothing where there are none. */
export function describeFacts(
  heading: string,
  facts: readonly z.output<typeof factSchema>[],
  timeZone: TimeZone,
): string[] {
  if (facts.length === 0) return [];
  return [
    [
      heading,
      ...facts.map(
        ({ id, text, date, origin, isUnreviewed }) =>
          `[${id}] (${dayIn(date, timeZone)}${sourceMark(origin)}${isUnreviewed ? ", waits for review" : ""}) ${oneLine(text)}`,
      ),
    ].join("\n"),
  ];
}
