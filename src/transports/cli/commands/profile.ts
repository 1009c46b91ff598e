import type { Command } from "commander";
import type { Profile } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { indent } from "../style.js";
import { describeAnswer, describeMemories } from "../present.js";

interface ProfileOptions {
  readonly container?: string;
  readonly q?: string;
}

export function registerProfile(program: Command, cli: Cli): void {
  program
    .command("profile")
    .description("Show what is known about the subject of a container: lasting and recent facts.")
    .option("-c, --container <tag>", "the container (default: RECOLLECT_CONTAINER, or sm_project_default)")
    .option("-q, --q <query>", "also search for something")
    .addHelpText(
      "after",
      examples(cli, ["$ profile", '$ profile --container work --q "open questions"', "$ profile --json"]),
    )
    .action(async (options: ProfileOptions) => showProfile(cli, options));
}

async function showProfile(cli: Cli, { q, ...options }: ProfileOptions): Promise<void> {
  const container = options.container ?? (await cli.defaultContainer());
  const profile = await withCore(cli, ({ core, read }) =>
    core.profile(read, { containerTag: container, ...(q !== undefined && { q }) }),
  );
  cli.output.answer(profile, () => describeProfile(cli, profile, container, q));
}

function describeProfile(cli: Cli, profile: Profile, container: string, query: string | undefined): string[] {
  const { bold } = cli.output.style;
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["Lasting facts", describeMemories(profile.static ?? []).map((line) => indent(line, 2))],
    ["Recent facts", describeMemories(profile.dynamic ?? []).map((line) => indent(line, 2))],
    ["Search", profile.search ? describeAnswer(cli, profile.search, query ?? "") : []],
  ];
  const isEmpty = !profile.static?.length && !profile.dynamic?.length;
  return [
    ...(isEmpty ? [`Nothing is known in ${container} yet.`] : []),
    ...parts.flatMap(([name, lines]) => (lines.length > 0 ? [bold(name), ...lines] : [])),
  ];
}
