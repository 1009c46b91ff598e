import type { Command } from "commander";
import { AppError, type Issue } from "../../core/errors.js";

/** Options and arguments that are not called like the field they set. */
const OPTIONS: Readonly<Record<string, string>> = {
  documentDate: "--date",
  containerTag: "--container",
  containerTags: "--container",
  facts: "--fact",
  "facts.updates": "--updates",
  content: "--text",
  keyId: "--key",
  metadata: "--set",
  provider: "<provider>",
  q: "<query>",
};

/** The same error, with the options and arguments of the command that was typed in place of the fields that they set. */
export function inOptions(error: unknown, command: Command): unknown {
  if (!(error instanceof AppError) || error.issues.length === 0) return error;
  const options = command.options.filter((option) => !option.isBoolean()).map(({ long }) => long);
  const known = new Set([...options, ...command.registeredArguments.map((argument) => `<${argument.name()}>`)]);
  let isChanged = false;
  const described = error.issues.map(({ path, message }) => {
    const option = optionsOf(path).find((name) => known.has(name));
    if (option !== undefined) isChanged = true;
    const place = option === undefined ? path.join(".") : `${option}${within(option, path)}`;
    return [place, message].filter((part) => part !== "").join(": ");
  });
  if (!isChanged) return error;
  return new AppError(error.kind, described.join("; "), { cause: error, issues: error.issues });
}

/** The place within the value of an option that takes several, such as metadata. */
function within(option: string, path: Issue["path"]): string {
  const [, ...rest] = namesIn(path);
  const isWhole = rest.length === 0 || OPTIONS[namesIn(path).join(".")] === option;
  return isWhole ? "" : ` (${rest.join(".")})`;
}

function namesIn(path: Issue["path"]): string[] {
  return path.filter((part) => typeof part === "string");
}

/** Names that the option or argument for a field may have, the likeliest first. */
function optionsOf(path: Issue["path"]): string[] {
  const names = namesIn(path);
  return [names.join("."), names[0] ?? ""].flatMap((name) => [
    ...(Object.hasOwn(OPTIONS, name) ? [OPTIONS[name] ?? ""] : []),
    `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  ]);
}
