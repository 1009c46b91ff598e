import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { defineTool, type CallerSession, type Tool } from "../tool.js";
import { READ_ONLY } from "../tools/arguments.js";
import { bothNamesSchema, presentBothNames } from "./arguments.js";

const spaceSchema = z.object({
  name: z.string(),
  ...bothNamesSchema,
  description: z.string().nullable(),
  visibility: z.string().nullable(),
  emoji: z.string().nullable(),
  documentCount: z.number(),
  memoryCount: z.number(),
  lastActivityAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
});
export type Space = z.output<typeof spaceSchema>;

/** The containers that the caller may see, most recently active first. */
export async function listSpaces({ core, actor }: CallerSession): Promise<Space[]> {
  // A scoped key may not list containers, but knows its own.
  if (actor.isScoped && actor.containers !== "all")
    return Promise.all(actor.containers.map((tag) => countSpace({ core, actor }, tag)));
  const { containers } = await core.listContainers({ actor });
  return containers.map(({ tag, name, description, visibility, emoji, ...container }) => ({
    name: name ?? tag,
    ...presentBothNames(tag),
    description,
    visibility,
    emoji,
    documentCount: container.documentCount,
    memoryCount: container.memoryCount,
    lastActivityAt: container.lastActivityAt,
    updatedAt: container.updatedAt,
  }));
}

async function countSpace({ core, actor }: CallerSession, tag: string): Promise<Space> {
  const only = { containerTags: [tag], limit: 1 };
  const [documents, memories] = await Promise.all([
    core.listDocuments({ actor }, { ...only, sort: "updatedAt" }),
    core.listMemories({ actor }, only),
  ]).catch((error: unknown) => {
    // A container that nobody has written to yet.
    if (error instanceof AppError && error.kind === "not_found") return [null, null];
    throw error;
  });
  const updatedAt = documents?.documents[0]?.updatedAt ?? null;
  return {
    name: tag,
    ...presentBothNames(tag),
    description: null,
    visibility: null,
    emoji: null,
    documentCount: documents?.total ?? 0,
    memoryCount: memories?.total ?? 0,
    lastActivityAt: updatedAt,
    updatedAt,
  };
}

/** Containers and their contents, one per line; names and tags were chosen by whoever created them. */
export function describeSpaces(spaces: readonly Space[]): string {
  if (spaces.length === 0) return "There are no containers yet.";
  const lines = spaces.map(
    ({ containerTag, name, documentCount, memoryCount }) =>
      `${containerTag}${name === containerTag ? "" : ` "${oneLine(name)}"`}: ${count(documentCount, "document")}, ${count(memoryCount, "memory", "memories")}`,
  );
  return `${count(spaces.length, "container")}.\n${fence(lines.join("\n"))}`;
}

const listTool = (name: string): Tool =>
  defineTool({
    name,
    title: "List spaces",
    description: "The containers that you may use, with what they contain.",
    input: z.object({}),
    output: z.object({ spaces: z.array(spaceSchema), count: z.number(), notice: z.string() }),
    annotations: READ_ONLY,
    async run(session) {
      const spaces = await listSpaces(session);
      return { text: describeSpaces(spaces), structured: { spaces, count: spaces.length, notice: NOTICE } };
    },
  });

const projectSchema = z.object({ id: z.string(), name: z.string(), ...bothNamesSchema });

const projectsTool = (name: string): Tool =>
  defineTool({
    name,
    title: "List projects",
    description: "The containers that you may use.",
    input: z.object({ refresh: z.boolean().optional() }),
    output: z.object({ projects: z.array(projectSchema), count: z.number(), notice: z.string() }),
    annotations: READ_ONLY,
    async run(session) {
      const spaces = await listSpaces(session);
      const projects = spaces.map((space) => ({
        id: space.containerTag,
        name: space.name,
        ...presentBothNames(space.containerTag),
      }));
      return { text: describeSpaces(spaces), structured: { projects, count: projects.length, notice: NOTICE } };
    },
  });

/** Containers under the names of four generations. */
export const spaceTools: readonly Tool[] = [
  listTool("list_spaces"),
  listTool("listSpaces"),
  projectsTool("listProjects"),
  projectsTool("getProjects"),
];
