import type { Command } from "commander";
import { type DocumentPage, type MemoryPage, documentSource } from "../../../core/index.js";
import { dayIn } from "../../../lib/time-zone.js";
import { examples, withCore, type Access, type Cli } from "../cli.js";
import { presentPagination } from "../../pagination.js";
import { wholeNumberOption } from "../options.js";
import { describeSource } from "../document-source.js";
import { requireExistingContainer } from "../require-container.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

interface ListOptions {
  readonly container?: string;
  readonly documents?: true;
  readonly limit: number;
  readonly page: number;
}

const MOST_PAGES = 1_000_000;

export function registerList(program: Command, cli: Cli): void {
  program
    .command("list")
    .description("List the memories in a container, newest first, or the documents that they come from.")
    .option("-c, --container <tag>", "the container (default: RECOLLECT_CONTAINER, or sm_project_default)")
    .option("--documents", "list documents instead of memories")
    .option("-n, --limit <number>", "entries per page, at most 100", wholeNumberOption(1, 100), 20)
    .option("--page <number>", "page number", wholeNumberOption(1, MOST_PAGES), 1)
    .addHelpText("after", examples(cli, ["$ list", "$ list --container work --documents", "$ list --page 2 --json"]))
    .action(async (options: ListOptions) => (options.documents ? listDocuments(cli, options) : list(cli, options)));
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const { page, organizationId } = await withCore(cli, async (access) => ({
    page: await access.core.listMemories(access.read, await pageOf(cli, access, options)),
    organizationId: access.read.actor.organizationId,
  }));
  const { presentMemoryEntry } = await import("../../rest/memories/present-memory.js");
  const memoryEntries = page.entries.map((entry) => presentMemoryEntry(entry, organizationId));
  cli.output.answer({ memoryEntries, pagination: presentPagination(page) }, () => describe(cli, page));
}

async function listDocuments(cli: Cli, options: ListOptions): Promise<void> {
  const page = await withCore(cli, async (access) =>
    access.core.listDocuments(access.read, await pageOf(cli, access, options)),
  );
  const { presentListedDocument } = await import("../../rest/documents/present-document.js");
  // Only the service creates links to files.
  const memories = page.documents.map((document) => presentListedDocument(document, ""));
  cli.output.answer({ memories, pagination: presentPagination(page) }, () => describeDocuments(cli, page));
}

/** A container that is named must exist; the default one may be new. */
async function pageOf(cli: Cli, access: Access, { container, limit, page }: ListOptions) {
  if (container !== undefined) await requireExistingContainer(access, container);
  return { containerTags: [container ?? (await cli.defaultContainer())], limit, page };
}

function describe(cli: Cli, page: MemoryPage): string[] {
  const { dim } = cli.output.style;
  const lines = page.entries.map(
    ({ memory: { text, id, createdAt, isInference } }) =>
      `- ${printableLine(text)}  ${dim(`${dayIn(createdAt, page.timeZone)} · ${id}${isInference ? " · waits for review" : ""}`)}`,
  );
  return [
    ...(lines.length > 0 || page.total > 0 ? lines : ["Nothing is remembered here."]),
    ...rest(page, "memory", "memories"),
  ];
}

function describeDocuments(cli: Cli, page: DocumentPage): string[] {
  const { dim } = cli.output.style;
  const lines = page.documents.map((document) => {
    const { id, createdAt, status } = document;
    const state = status === "done" ? "" : ` · ${status}`;
    return `- ${describeSource({ ...document, source: documentSource(document) })}  ${dim(`${dayIn(createdAt, page.timeZone)}${state} · ${id}`)}`;
  });
  return [
    ...(lines.length > 0 || page.total > 0 ? lines : ["There are no documents here."]),
    ...rest(page, "document", "documents"),
  ];
}

function rest(
  { page, limit, total }: Pick<MemoryPage, "page" | "limit" | "total">,
  noun: string,
  plural: string,
): string[] {
  const pages = Math.ceil(total / limit);
  if (total > 0 && page > pages)
    return [`There is no page ${page}: ${count(total, noun, plural)} in all are on ${count(pages, "page")}.`];
  if (pages <= 1) return [];
  return [
    `Page ${page} of ${pages}, ${count(total, noun, plural)} in all.${page < pages ? ` Next: --page ${page + 1}` : ""}`,
  ];
}
