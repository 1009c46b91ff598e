import {
  type McpServer,
  type Resource as ResourceDescription,
  ResourceNotFoundError,
  ResourceTemplate,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { AppError } from "../../core/errors.js";
import { describeConnections } from "./connections.js";
import { describeSpaces, listSpaces } from "./legacy/spaces.js";
import { contextOf, protocolErrorOf, resultText } from "./reading.js";
import type { Caller } from "./server.js";
import { type Suggest, suggestContainers, suggestDocuments, suggestMemories, suggestTo } from "./suggestions.js";
import type { ToolContext } from "./tool.js";
import type { ToolSet } from "./tool-list.js";
import { fetchTool } from "./tools/fetch.js";
import { profileTool } from "./tools/profile.js";

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "text/plain" | "application/json";
}

/** A resource with its own address. */
interface Resource extends Described {
  readonly uri: string;
  readonly read: (context: ToolContext) => Promise<string>;
}

/** Many resources whose addresses differ in one part. */
interface Template extends Described {
  readonly uriTemplate: UriTemplate;
  /** The part that differs. */
  readonly variable: string;
  readonly suggest: Suggest;
  readonly read: (context: ToolContext, part: string) => Promise<string>;
}

const profile = {
  title: "Profile",
  description: "What is generally known in the default container: lasting facts and recent ones.",
  mimeType: "text/plain",
  read: (context: ToolContext) => readProfile(context),
} as const;
const containers = {
  title: "Containers",
  description: "The containers that you may use, with what they contain.",
  mimeType: "text/plain",
  read: async (context: ToolContext) => describeSpaces(await listSpaces(context)),
} as const;

const connections = {
  title: "Connections",
  description: "Where documents are imported from, and the state of each connection.",
  mimeType: "text/plain",
  read: (context: ToolContext) => describeConnections(context),
} as const;

const RESOURCES: readonly Resource[] = [
  { uri: "memory://profile", name: "profile", ...profile },
  { uri: "memory://containers", name: "containers", ...containers },
  { uri: "memory://connections", name: "connections", ...connections },
];

/** The names of earlier generations (contract 7.4, 7.6). */
const LEGACY_RESOURCES: readonly Resource[] = [
  { uri: "supermemory://profile", name: "User Profile", ...profile },
  { uri: "supermemory://spaces", name: "My Spaces", ...containers },
  {
    ...containers,
    uri: "supermemory://projects",
    name: "My Projects",
    mimeType: "application/json",
    read: async (context) =>
      JSON.stringify({ projects: (await listSpaces(context)).map(({ containerTag }) => containerTag) }),
  },
];

const TEMPLATES: readonly Template[] = [
  {
    uriTemplate: new UriTemplate("memory://profile/{containerTag}"),
    variable: "containerTag",
    suggest: suggestContainers,
    name: "profile-of",
    title: "Profile of a container",
    description: "What is generally known in a container: lasting facts and recent ones.",
    mimeType: "text/plain",
    read: readProfile,
  },
  {
    uriTemplate: new UriTemplate("memory://memories/{id}"),
    variable: "id",
    suggest: suggestMemories,
    name: "memory",
    title: "Memory",
    description: "One memory with the documents that state it.",
    mimeType: "text/plain",
    read: (context, id) => readById(context, "memory", id),
  },
  {
    uriTemplate: new UriTemplate("memory://documents/{id}"),
    variable: "id",
    suggest: suggestDocuments,
    name: "document",
    title: "Document",
    description: "One document with its text and the memories from it, by id or customId.",
    mimeType: "text/plain",
    read: (context, id) => readById(context, "document", id),
  },
];

/** Everything that can be read by its full address. */
export const ALL_RESOURCES: readonly Resource[] = [...RESOURCES, ...LEGACY_RESOURCES];

/** The resources that a client is shown. */
export function listResources(set: ToolSet): ResourceDescription[] {
  return (set === "all" ? ALL_RESOURCES : RESOURCES).map(({ read: _read, ...resource }) => resource);
}

export function registerResource(server: McpServer, resource: Resource, caller: Caller): void {
  const { name, uri, read, ...about } = resource;
  server.registerResource(name, uri, about, async () => answer(uri, about.mimeType, { caller, read }));
}

export function registerTemplates(server: McpServer, caller: Caller): void {
  for (const { name, uriTemplate, variable, suggest, read, ...about } of TEMPLATES) {
    const complete = { [variable]: suggestTo(caller, suggest) };
    const template = new ResourceTemplate(uriTemplate, { list: undefined, complete });
    server.registerResource(name, template, about, async ({ href }, variables) => {
      const part = decode(variables[variable]);
      if (part === undefined) throw new ResourceNotFoundError(href);
      return answer(href, about.mimeType, { caller, read: (context) => read(context, part) });
    });
  }
}

interface Reading {
  readonly caller: Caller;
  readonly read: Resource["read"];
}

async function answer(uri: string, mimeType: string, { caller, read }: Reading) {
  try {
    return { contents: [{ uri, mimeType, text: await read(await contextOf(caller)) }] };
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") throw new ResourceNotFoundError(uri);
    throw protocolErrorOf(error, caller, "resources/read");
  }
}

/** No id and no tag is longer. */
const LONGEST_PART = 255;

function decode(part: string | readonly string[] | undefined): string | undefined {
  if (typeof part !== "string") return undefined;
  try {
    const decoded = decodeURIComponent(part);
    return decoded.length > LONGEST_PART ? undefined : decoded;
  } catch {
    return undefined;
  }
}

async function readProfile(context: ToolContext, containerTag?: string): Promise<string> {
  return resultText(await profileTool.call(context, { containerTag }));
}

async function readById(context: ToolContext, kind: "memory" | "document", id: string): Promise<string> {
  const page = await fetchTool.call(context, { id });
  const { kind: found } = page.structuredContent as { readonly kind?: unknown };
  if (found !== kind) throw new AppError("not_found", `There is no ${kind} ${id}.`);
  return resultText(page);
}
