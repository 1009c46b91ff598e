import * as z from "zod";
import { describeGaps, describeHits, hitSchema, presentHit } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { describeNothing, listPlaces, readingPlaces } from "../places.js";
import { defineTool } from "../tool.js";
import { containerTag, READ_ONLY } from "./arguments.js";

const input = z.object({
  query: z.string().min(1).max(1_000_000).describe("A question or keywords"),
  containerTag,
  limit: z.int().min(1).max(50).default(10),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Minimum similarity, 0 to 1 (default 0.5); lower it if too little is found"),
  mode: z
    .enum(["memories", "hybrid", "documents"])
    .default("hybrid")
    .describe("memories: facts; documents: passages of what was added; hybrid: both"),
  filters: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .optional()
    .describe(
      'Metadata conditions: {"AND":[{"key":"topic","value":"travel"}]}; AND and OR nest; a condition may have filterType ' +
        "(metadata, numeric, array_contains, string_contains), numericOperator, negate, ignoreCase",
    ),
  rerank: z.boolean().default(true).describe("false: faster, in a less careful order"),
});

const output = z.object({
  results: z.array(hitSchema),
  waiting: z.number().describe("Documents of the container not yet searchable or not yet read for facts"),
  degraded: z.array(z.string()).describe("What did not work, so the results are worse than usual"),
  notice: z.string(),
});

export const searchTool = defineTool({
  name: "search",
  title: "Search memory",
  description:
    "Finds what is remembered, by meaning and by words. Call it before answering anything that may depend on earlier " +
    "conversations, preferences, people, projects or decisions. Results have ids for fetch, forget and updates.",
  input,
  output,
  annotations: READ_ONLY,
  async run(context, args) {
    const { core, actor, defaultContainer } = context;
    const places = readingPlaces({ actor, defaultContainer }, args.containerTag);
    const container = listPlaces(places);
    const answer = await core.search(
      { actor },
      {
        q: args.query,
        containerTags: [...places],
        searchMode: args.mode,
        limit: args.limit,
        rerank: args.rerank,
        ...(args.threshold !== undefined && { threshold: args.threshold }),
        ...(args.filters !== undefined && { filters: args.filters }),
      },
    );
    const { results, waiting, degraded } = answer;
    const text = [
      results.length > 0
        ? `${count(results.length, "result")} in ${container}, best first.\n${fence(describeHits(answer))}`
        : await describeNothing(context, places, { isFiltered: args.filters !== undefined }),
      ...describeGaps(answer),
    ].join("\n");
    return { text, structured: { results: results.map(presentHit), waiting, degraded: [...degraded], notice: NOTICE } };
  },
});
