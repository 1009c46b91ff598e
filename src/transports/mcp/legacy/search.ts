import * as z from "zod";
import { markedText, type Profile, type SearchAnswer } from "../../../core/index.js";
import { describeGaps, describeHits, presentHit } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { listPlaces } from "../places.js";
import { profileOf } from "../profile-of.js";
import { defineTool, type Tool, type ToolContext } from "../tool.js";
import { READ_ONLY } from "../tools/arguments.js";
import { containersToRead, placeArguments, bothNamesSchema, presentBothNames } from "./arguments.js";

const query = z.string().min(1).max(1_000).describe("What you want to know");
const includeProfile = z.boolean().default(true).describe("Whether to include the profile of the container");
const profileSchema = z.object({ static: z.array(z.string()), dynamic: z.array(z.string()) });

const found = z.object({
  query: z.string(),
  ...bothNamesSchema,
  profile: profileSchema.optional(),
  results: z.array(
    z.object({ id: z.string(), text: z.string(), similarity: z.number(), title: z.string().optional() }),
  ),
  total: z.number(),
  timing: z.number(),
  notice: z.string(),
});

type Known = Pick<Profile, "static" | "dynamic">;

interface Question {
  readonly query: string;
  readonly places: readonly string[];
  readonly withProfile: boolean;
}

async function answer({ core, actor }: ToolContext, { query: q, places, withProfile }: Question) {
  const container = listPlaces(places);
  const call = { actor };
  const [search, profile] = await Promise.all([
    core.search(call, { q, containerTags: [...places], searchMode: "hybrid", limit: 10, rerank: true }),
    withProfile ? profileOf({ core, actor }, places) : null,
  ]);
  return {
    text: describe(search, profile, container),
    structured: {
      query: q,
      ...presentBothNames(container),
      ...(profile && { profile: presentProfile(profile) }),
      results: search.results
        .map(presentHit)
        .map(({ id, text, similarity, title }) => ({ id, text, similarity, title })),
      total: search.results.length,
      timing: search.timing,
      notice: NOTICE,
    },
  };
}

function describe(search: SearchAnswer, profile: Known | null, container: string): string {
  const known = profile ? describeProfile(profile) : "";
  const parts = [known, describeHits(search)].filter((part) => part !== "");
  return [
    search.results.length > 0
      ? `${count(search.results.length, "result")} in ${container}, best first.`
      : `Nothing in ${container} is similar enough.`,
    ...(parts.length > 0 ? [fence(parts.join("\n\n"))] : []),
    ...describeGaps(search),
  ].join("\n");
}

function presentProfile(profile: Known): z.output<typeof profileSchema> {
  const texts = (facts: Profile["static"]) => (facts ?? []).map(markedText);
  return { static: texts(profile.static), dynamic: texts(profile.dynamic) };
}

/** The profile in lines; empty when nothing is known. */
function describeProfile(profile: Known): string {
  const { static: lasting, dynamic } = presentProfile(profile);
  const lines = (facts: readonly string[]) => facts.map((fact) => `- ${oneLine(fact)}`);
  return [
    ...(lasting.length > 0 ? ["Lasting:", ...lines(lasting)] : []),
    ...(dynamic.length > 0 ? ["Recent:", ...lines(dynamic)] : []),
  ].join("\n");
}

const inWords = {
  title: "Search memory",
  description: "Searches what is remembered, and returns the profile of the container with it.",
  input: z.object({ query, includeProfile, ...placeArguments }),
  output: found,
  annotations: READ_ONLY,
};

const run = (context: ToolContext, args: z.output<typeof inWords.input>) =>
  answer(context, { query: args.query, places: containersToRead(context, args), withProfile: args.includeProfile });

const getProfile = defineTool({
  name: "get_profile",
  title: "Get the profile",
  description: "What is generally known in a container: lasting facts and recent ones.",
  input: z.object(placeArguments),
  output: z.object({ ...bothNamesSchema, profile: profileSchema, notice: z.string() }),
  annotations: READ_ONLY,
  async run(context, args) {
    const places = containersToRead(context, args);
    const container = listPlaces(places);
    const profile = await profileOf(context, places);
    const known = describeProfile(profile);
    return {
      text: known === "" ? `Nothing is known in ${container} yet.` : `Profile of ${container}.\n${fence(known)}`,
      structured: { ...presentBothNames(container), profile: presentProfile(profile), notice: NOTICE },
    };
  },
});

const searchSupermemory = defineTool({
  ...inWords,
  name: "searchSupermemory",
  description: "Searches what is remembered.",
  input: z.object({
    informationToGet: query,
    ...placeArguments,
    projectId: placeArguments.containerTag.describe("Same as containerTag"),
  }),
  run: (context, args) =>
    answer(context, { query: args.informationToGet, places: containersToRead(context, args), withProfile: false }),
});

/** Searching and profiles, from `search_memory` of today back to `searchSupermemory` of the first generation. */
export const searchTools: readonly Tool[] = [
  defineTool({ ...inWords, name: "search_memory", run }),
  getProfile,
  defineTool({ ...inWords, name: "recall", run }),
  searchSupermemory,
];
