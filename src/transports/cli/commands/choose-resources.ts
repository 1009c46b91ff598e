import { AppError } from "../../../core/errors.js";
import type { FoundResources } from "../../../core/index.js";
import { type Access, type Cli, withCore } from "../cli.js";
import { printableLine } from "../style.js";
import { followRun, newestRun } from "./follow-run.js";

type Resource = FoundResources["resources"][number];

const PER_PAGE = 100;
/** How many pages are searched for a name. */
const MOST_PAGES = 100;

export interface ChooseOptions {
  readonly page?: number;
  readonly parent?: string;
  readonly wait: boolean;
}

/** Lists what a connection could bring in, or chooses from it by name or id. */
export async function chooseResources(
  cli: Cli,
  id: string,
  names: readonly string[],
  options: ChooseOptions,
): Promise<void> {
  await withCore(cli, async (access) => {
    if (names.length === 0) return listResources(cli, access, id, options);
    const { core, newWrite } = access;
    const resources = await findResources(access, id, names, options);
    const before = await newestRun(access, id);
    const { isSynced } = await core.configureConnection(newWrite(), { id, resources });
    if (!options.wait || !isSynced) return cli.output.answer({ id }, () => ["The choice was saved."]);
    await followRun(cli, access, id, before);
  });
}

async function listResources(
  cli: Cli,
  { core, read }: Access,
  id: string,
  { page = 1, parent }: ChooseOptions,
): Promise<void> {
  const found = await core.listConnectionResources(read, { id, page, perPage: PER_PAGE, parentId: parent });
  const { resources } = found;
  cli.output.answer(found, () =>
    resources.length > 0
      ? resources.map((resource) => `${resource.id}  ${printableLine(nameOf(resource))}${kindOf(resource)}`)
      : [page > 1 ? `There is nothing on page ${page}.` : "There is nothing to choose from."],
  );
  const inParent = parent === undefined ? "" : ` --parent ${parent}`;
  if (resources.length === PER_PAGE)
    cli.output.note(`There may be more: ${cli.invocation} connections choose ${id}${inParent} --page ${page + 1}`);
  const holder = resources.find(({ kind }) => kind === "folder" || kind === "drive");
  if (holder)
    cli.output.note(`To list what is in one: ${cli.invocation} connections choose ${id} --parent ${holder.id}`);
}

/** Resources already chosen are found by name too; anything else is looked for page by page. @throws AppError `not_found` */
async function findResources(
  { core, read }: Access,
  id: string,
  names: readonly string[],
  { page: first = 1, parent }: ChooseOptions,
): Promise<readonly Resource[]> {
  const known = [...(await core.findConnection(read, { id })).resources];
  const chosenBy = (name: string) =>
    known.findLast((resource) => [String(resource.id), nameOf(resource), resource.name].includes(name));
  for (let page = first; page < first + MOST_PAGES; page += 1) {
    const { resources } = await core.listConnectionResources(read, { id, page, perPage: PER_PAGE, parentId: parent });
    known.push(...resources);
    if (resources.length < PER_PAGE || names.every((name) => chosenBy(name) !== undefined)) break;
  }
  return names.map((name) => {
    const chosen = chosenBy(name);
    if (chosen) return chosen;
    const where = parent === undefined ? "" : ` in ${parent}`;
    throw new AppError(
      "not_found",
      `There is no ${name}${where} to choose. Without names, all are listed; --parent opens a folder.`,
    );
  });
}

function nameOf({ full_name: fullName, name }: Resource): string {
  return typeof fullName === "string" ? fullName : name;
}

function kindOf({ kind }: Resource): string {
  return typeof kind === "string" ? `  (${kind})` : "";
}
