import type { Argument, Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What may come at one position of a command line, by the command names before it. */
interface Place {
  /** Names of commands, separated by spaces; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly options: readonly ShownOption[];
}

interface Word {
  readonly name: string;
  readonly description: string;
}

interface ShownOption {
  /** As typed: `--mode`, and `-c` where there is a short form. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/**
 * The script with which a shell completes a command line, generated from a program's commands, options and fixed values:
 * pressing the tab key starts no program and reads nothing but file names.
 */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  if (shell === "fish") return fishScript(program.name(), places);
  const bash = bashScript(program.name(), places);
  return shell === "bash" ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const commands = command.createHelp().visibleCommands(command);
  const options = command.createHelp().visibleOptions(command);
  const shared = path.length === 0 ? [] : command.createHelp().visibleGlobalOptions(command);
  const place = {
    path: path.join(" "),
    words: [...commands.map(wordOf), ...command.registeredArguments.flatMap(choicesOf)],
    options: [...options, ...shared].map(shownOption),
  };
  return [place, ...command.commands.flatMap((next) => placesOf(next, [...path, next.name()]))];
}

function wordOf(command: Command): Word {
  return { name: command.name(), description: firstSentence(command.description()) };
}

function choicesOf({ argChoices }: Argument): Word[] {
  return (argChoices ?? []).map((name) => ({ name, description: "" }));
}

function shownOption({ short, long, description, required, optional, argChoices }: Option): ShownOption {
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    description: firstSentence(description),
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}

function firstSentence(text: string): string {
  return /^[^.;:(]*/.exec(text)?.[0].trim() ?? "";
}

/** The script's words only ever appear between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bashScript(name: string, places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === "" ? [] : quoted(path)));
  const values = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ flags, choices }) => flags.map((flag) => bashCase(`${path}|${flag}`, choices))),
  );
  const words = places.map(({ path, words: next, options }) =>
    bashCase(path, [...next.map((word) => word.name), ...options.flatMap(({ flags }) => flags)]),
  );
  return `# Completion of ${name}; made by \`${name} completion\`.
_${name}_completion() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${place:+$place }\${COMP_WORDS[index]}" in
      ${paths.join("|")}) place="\${place:+$place }\${COMP_WORDS[index]}" ;;
    esac
  done
  local found=
  case "$place|$before" in
${values.join("\n")}
    *)
      case "$place" in
${words.map((line) => `    ${line}`).join("\n")}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o default -F _${name}_completion ${name}
`;
}

function bashCase(pattern: string, words: readonly string[]): string {
  return `    ${quoted(pattern)}) found=${quoted(words.join(" "))} ;;`;
}

function fishScript(name: string, places: readonly Place[]): string {
  const top = places.find(({ path }) => path === "");
  const commands = new Set(top?.words.map((word) => word.name));
  const lines = places.flatMap(({ path, words, options }) => {
    const condition = fishCondition(path, words, commands);
    return [
      ...words.map((word) => fishLine(name, condition, [`-a ${quoted(word.name)}`, described(word.description)])),
      ...options.map(({ flags, description, takesValue, choices }) =>
        fishLine(name, conditionOf(path), [
          ...flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
          ...(takesValue ? ["-r"] : []),
          ...(choices.length > 0 ? [`-f -a ${quoted(choices.join(" "))}`] : []),
          described(description),
        ]),
      ),
    ];
  });
  return `# Completion of ${name}; made by \`${name} completion\`.\n${lines.join("\n")}\n`;
}

/** Where a word comes next in its command: after the names before it, and before another of its kind. */
function fishCondition(path: string, words: readonly Word[], commands: ReadonlySet<string>): string {
  const others = words.map((word) => word.name).join(" ");
  if (path === "") return `not __fish_seen_subcommand_from ${[...commands].join(" ")}`;
  return `${conditionOf(path)}; and not __fish_seen_subcommand_from ${others}`;
}

function conditionOf(path: string): string {
  if (path === "") return "true";
  return path
    .split(" ")
    .map((part) => `__fish_seen_subcommand_from ${part}`)
    .join("; and ");
}

function fishLine(name: string, condition: string, parts: readonly string[]): string {
  return [`complete -c ${name} -n ${quoted(condition)}`, ...parts.filter(Boolean)].join(" ");
}

function described(text: string): string {
  return text === "" ? "" : `-d ${quoted(text)}`;
}
