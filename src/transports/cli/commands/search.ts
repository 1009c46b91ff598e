import type { Command } from "commander";
import { Option } from "commander";
import type { SearchInput } from "../../../core/index.js";
import { examples, withCore, type Cli } from "../cli.js";
import { requireExistingContainer } from "../require-container.js";
import { json, numberBetween, wholeNumberOption } from "../options.js";
import { describeAnswer } from "../present.js";

interface SearchOptions {
  readonly container?: string;
  readonly limit?: number;
  readonly threshold?: number;
  readonly mode?: "hybrid" | "memories" | "documents";
  readonly filters?: unknown;
}

export function registerSearch(program: Command, cli: Cli): void {
  program
    .command("search")
    .description("Find memories and passages by meaning and by words.")
    .argument("<query...>", "what to look for, in plain words")
    .option("-c, --container <tag>", "search only this container (default: all)")
    .option("-n, --limit <number>", "maximum number of results (default: 10)", wholeNumberOption(1, 100))
    .option("-t, --threshold <number>", "leave out results that score below this, 0 to 1", numberBetween(0, 1))
    .addOption(
      new Option("--mode <mode>", "memories, passages of documents, or both (default: hybrid)").choices([
        "hybrid",
        "memories",
        "documents",
      ]),
    )
    .option("--filters <json>", "metadata filter", json)
    .addHelpText(
      "after",
      examples(cli, [
        '$ search "what do I drink in the morning?"',
        '$ search "release plan" --container work --limit 3',
        `$ search budget --filters '{"AND":[{"key":"project","value":"atlas"}]}' --json`,
      ]),
    )
    .action(async (words: readonly string[], options: SearchOptions) => search(cli, words.join(" "), options));
}

async function search(cli: Cli, query: string, options: SearchOptions): Promise<void> {
  const input: SearchInput = {
    q: query,
    ...(options.container !== undefined && { containerTags: [options.container] }),
    ...(options.limit !== undefined && { limit: options.limit }),
    ...(options.threshold !== undefined && { threshold: options.threshold }),
    ...(options.mode && { searchMode: options.mode }),
    ...(options.filters !== undefined && { filters: options.filters }),
  };
  const answer = await withCore(cli, async (access) => {
    if (options.container !== undefined) await requireExistingContainer(access, options.container);
    return access.core.search(access.read, input);
  });
  const { presentSearch } = await import("../../rest/search/present-search-result.js");
  cli.output.answer(presentSearch(answer, { documents: true }), () => describeAnswer(cli, answer, query));
}
