import * as z from "zod";
import { dayIn } from "../../../lib/time-zone.js";
import type { MemoryEntry } from "../../../core/index.js";
import type { Memory } from "../../../core/types.js";
import { presentPagination } from "../../pagination.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { listPlaces } from "../places.js";
import { defineTool, type Tool } from "../tool.js";
import { READ_ONLY } from "../tools/arguments.js";
import {
  containersToRead,
  describePosition,
  pageArguments,
  paginationSchema,
  placeArguments,
  bothNamesSchema,
  presentBothNames,
} from "./arguments.js";

const version = z.object({
  id: z.string(),
  memory: z.string(),
  version: z.number(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
  parentMemoryId: z.string().nullable(),
  rootMemoryId: z.string().nullable(),
});

const entrySchema = version.omit({ parentMemoryId: true, rootMemoryId: true }).extend({
  isStatic: z.boolean(),
  isInference: z.boolean(),
  sourceCount: z.number(),
  documentIds: z.array(z.string()),
  history: z.array(version),
});

function presentVersion(memory: Memory): z.output<typeof version> {
  const { id, text, version: number, isLatest, isForgotten, createdAt, updatedAt, parentId, rootId } = memory;
  const place = { parentMemoryId: parentId, rootMemoryId: rootId };
  return { id, memory: text, version: number, isLatest, isForgotten, createdAt, updatedAt, ...place };
}

function presentEntry({ memory, documentIds, history }: MemoryEntry): z.output<typeof entrySchema> {
  const { isStatic, isInference, sourceCount } = memory;
  const { parentMemoryId: _parent, rootMemoryId: _root, ...newest } = presentVersion(memory);
  const beside = { isStatic, isInference, sourceCount, documentIds: [...documentIds] };
  return { ...newest, ...beside, history: history.map(presentVersion) };
}

const input = z.object({ ...pageArguments, ...placeArguments });
const output = z.object({
  ...bothNamesSchema,
  memoryEntries: z.array(entrySchema),
  pagination: paginationSchema,
  notice: z.string(),
});

const listTool = (name: string): Tool =>
  defineTool({
    name,
    title: "List memories",
    description:
      "The memories of a container, newest first, with their older versions and the documents that state them.",
    input,
    output,
    annotations: READ_ONLY,
    async run(context, args) {
      const places = containersToRead(context, args);
      const container = listPlaces(places);
      const { page, limit } = args;
      const listed = await context.core.listMemories(
        { actor: context.actor },
        { containerTags: [...places], page, limit },
      );
      const lines = listed.entries.map(
        ({ memory }) =>
          `[${memory.id}] (${dayIn(memory.createdAt, listed.timeZone)}, version ${memory.version}) ${oneLine(memory.text)}`,
      );
      return {
        text: [
          describePosition(listed, `memories of ${container}`),
          ...(lines.length > 0 ? [fence(lines.join("\n"))] : []),
        ].join("\n"),
        structured: {
          ...presentBothNames(container),
          memoryEntries: listed.entries.map(presentEntry),
          pagination: presentPagination(listed),
          notice: NOTICE,
        },
      };
    },
  });

/** Memories under the names of two generations. */
export const memoryTools: readonly Tool[] = [listTool("list_memories"), listTool("listMemories")];
