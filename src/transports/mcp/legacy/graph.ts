import * as z from "zod";
import type { DocumentWithMemories } from "../../../core/index.js";
import { presentPagination } from "../../pagination.js";
import { NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { listPlaces } from "../places.js";
import { defineTool, type Tool, type ToolContext } from "../tool.js";
import { READ_ONLY } from "../tools/arguments.js";
import { containersToRead, paginationSchema, placeArguments, bothNamesSchema, presentBothNames } from "./arguments.js";

/** Items that a memory graph shows when no page is given. */
const FIRST_PAGE = 10;

const memorySchema = z.object({
  id: z.string(),
  memory: z.string(),
  spaceId: z.string(),
  isStatic: z.boolean(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
  forgetAfter: z.string().nullable(),
  forgetReason: z.string().nullable(),
  version: z.number(),
  parentMemoryId: z.string().nullable(),
  rootMemoryId: z.string().nullable(),
  memoryRelations: z.record(z.string(), z.enum(["updates", "extends", "derives"])),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const documentSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  type: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  memoryEntries: z.array(memorySchema),
});

function presentDocument({ document, memories }: DocumentWithMemories): z.output<typeof documentSchema> {
  const { id, title, summary, type, createdAt, updatedAt } = document;
  const memoryEntries = memories.map(({ memory, relations }) => ({
    id: memory.id,
    memory: memory.text,
    spaceId: memory.containerUid,
    isStatic: memory.isStatic,
    isLatest: memory.isLatest,
    isForgotten: memory.isForgotten,
    forgetAfter: memory.forgetAfter,
    forgetReason: memory.forgetReason,
    version: memory.version,
    parentMemoryId: memory.parentId,
    rootMemoryId: memory.rootId,
    memoryRelations: { ...relations },
    createdAt: memory.createdAt,
    updatedAt: memory.updatedAt,
  }));
  return { id, title, summary, type, createdAt, updatedAt, memoryEntries };
}

async function readGraph(
  { core, actor }: ToolContext,
  places: readonly string[],
  page: { page: number; limit: number },
) {
  const graph = await core.listDocumentsWithMemories({ actor }, { containerTags: [...places], ...page });
  const documents = graph.documents.map(presentDocument);
  const memories = documents.reduce((sum, { memoryEntries }) => sum + memoryEntries.length, 0);
  const text = `${count(documents.length, "document")} of ${graph.total} in ${listPlaces(places)}, with ${count(memories, "memory", "memories")}. They are in the structured part of this result.`;
  return { graph, documents, text };
}

const fetchGraphData = defineTool({
  name: "fetch-graph-data",
  title: "Read the memory graph",
  description:
    "Documents of a container with everything they state or stated, page by page, for a program that draws them.",
  input: z.object({
    page: z.int().min(1).max(10_000).default(1),
    limit: z.int().min(1).max(1_000).default(200),
    ...placeArguments,
  }),
  output: z.object({
    ...bothNamesSchema,
    documents: z.array(documentSchema),
    pagination: paginationSchema,
    notice: z.string(),
  }),
  annotations: READ_ONLY,
  async run(context, args) {
    const places = containersToRead(context, args);
    const { graph, documents, text } = await readGraph(context, places, { page: args.page, limit: args.limit });
    const pagination = presentPagination(graph);
    return { text, structured: { ...presentBothNames(listPlaces(places)), documents, pagination, notice: NOTICE } };
  },
});

const memoryGraph = defineTool({
  name: "memory-graph",
  title: "Show the memory graph",
  description: "The newest documents of a container with everything they state or stated.",
  input: z.object(placeArguments),
  output: z.object({
    ...bothNamesSchema,
    documents: z.array(documentSchema),
    totalCount: z.number(),
    notice: z.string(),
  }),
  annotations: READ_ONLY,
  async run(context, args) {
    const places = containersToRead(context, args);
    const { graph, documents, text } = await readGraph(context, places, { page: 1, limit: FIRST_PAGE });
    return {
      text,
      structured: { ...presentBothNames(listPlaces(places)), documents, totalCount: graph.total, notice: NOTICE },
    };
  },
});

/** What the vendor's graph view reads, for programs with a view of their own. */
export const graphTools: readonly Tool[] = [memoryGraph, fetchGraphData];
