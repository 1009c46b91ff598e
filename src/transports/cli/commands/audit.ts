import { type Command, InvalidArgumentError } from "commander";
import type { ListedAuditEntry } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const SHOWN_NAMES = 3;

export function registerAudit(program: Command, cli: Cli): void {
  program
    .command("audit")
    .description(
      "Show who did what, newest first: what was changed, who signed in and who was refused. Never shows content.",
    )
    .option("--key <id>", "only what this key did")
    .option("--container <tag>", "only what concerned this container")
    .option("--action <name>", "only this action, such as createKey, purge or signIn")
    .option("--refused", "only what did not succeed")
    .option("--since <when>", "only entries since then: 30m, 12h, 7d, 4w, or a date", (text) => readSince(cli, text))
    .option("--limit <count>", "maximum number of entries, 1 to 1000", Number)
    .addHelpText("after", examples(cli, ["$ audit", "$ audit --since 7d --action signIn", "$ audit --refused --json"]))
    .action(async (options: AuditOptions) => {
      const { key, container, action, refused, since, limit } = options;
      const wanted = {
        ...(key !== undefined && { keyId: key }),
        ...(container !== undefined && { containerTag: container }),
        ...(action !== undefined && { action }),
        ...(refused === true && { outcome: "refused" }),
        ...(since !== undefined && { from: since }),
        ...(limit !== undefined && { limit }),
      };
      const page = await withCore(cli, ({ core, read }) => core.listAudit(read, wanted));
      cli.output.answer(page, () => describePage(cli, page));
    });
}

interface AuditOptions {
  readonly key?: string;
  readonly container?: string;
  readonly action?: string;
  readonly refused?: boolean;
  readonly since?: string;
  readonly limit?: number;
}

/** A time span back from now, or a date in the time zone of the entries shown. */
function readSince(cli: Cli, text: string): string {
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined)
    return new Date(Date.now() - Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS]).toISOString();
  const moment = cli.momentOf(text);
  if (moment) return moment.toISOString();
  throw new InvalidArgumentError("It must be 30m, 12h, 7d or 4w, or a date such as 2024-05-06.");
}

function describePage(
  cli: Cli,
  page: { readonly items: readonly ListedAuditEntry[]; readonly total: number },
): string[] {
  const { items, total } = page;
  if (items.length === 0) return ["There are no such entries. Entries are kept for a year."];
  const rows = items.map((entry) => columnsOf(cli, entry));
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row, index) => {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    return items[index]?.outcome === "ok" ? line.trimEnd() : cli.output.style.red(line.trimEnd());
  });
  if (total > items.length)
    lines.push("", `${count(total - items.length, "older entry", "older entries")}: --limit, --since`);
  return lines;
}

function columnsOf(cli: Cli, entry: ListedAuditEntry): string[] {
  const { at, action, outcome, containerTags, subjectIds, face, address, client } = entry;
  return [
    cli.localTime(at).slice(0, 19).replace("T", " "),
    describeActor(entry),
    entry.count > 1 ? `${action} ×${entry.count}` : action,
    outcome,
    shorten(containerTags),
    shorten(subjectIds),
    [face, address, client].filter((part) => part !== null).join(" "),
  ];
}

function describeActor({ actor, keyName }: ListedAuditEntry): string {
  return printableLine(keyName === null ? actor : `${actor} (${keyName})`);
}

function shorten(names: readonly string[]): string {
  if (names.length === 0) return "-";
  const more = names.length > SHOWN_NAMES ? ` +${names.length - SHOWN_NAMES}` : "";
  return names.slice(0, SHOWN_NAMES).join(",") + more;
}
