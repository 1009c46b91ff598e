import { askUser, askSecrets, canAsk, requireAnswers } from "../ask.js";
import type { Cli } from "../cli.js";
import { UsageError } from "../failure.js";

/** Settings of a provider as given on the command line. */
export interface Fields {
  readonly set?: readonly string[];
  readonly ask?: readonly string[];
}

type Values = Readonly<Record<string, string | boolean>>;

interface NeededField {
  readonly question: string;
  readonly example: string;
  readonly isSecret?: boolean;
}

/** What a connection cannot do without, by provider and field; providers with a sign-in need nothing. */
export const NEEDED_FIELDS: Readonly<Record<string, Readonly<Record<string, NeededField>>>> = {
  imap: {
    host: { question: "Host of the mailbox, such as imap.example.com:", example: "imap.example.com" },
    user: { question: "User name, usually the email address:", example: "mia@example.com" },
    password: {
      question: "Password (an app password, if the provider has them; input is hidden):",
      example: "…",
      isSecret: true,
    },
  },
  s3: {
    bucket: { question: "Name of the bucket:", example: "papers" },
    region: { question: "Region, such as eu-central-1:", example: "eu-central-1" },
    accessKeyId: { question: "Access key id (input is hidden):", example: "…", isSecret: true },
    secretAccessKey: { question: "Secret access key (input is hidden):", example: "…", isSecret: true },
  },
  "web-crawler": {
    startUrl: {
      question: "Address to start at, such as https://docs.example.com/:",
      example: "https://docs.example.com/",
    },
  },
  granola: { apiKey: { question: "API key (input is hidden):", example: "…", isSecret: true } },
  folder: { path: { question: "Absolute path of the folder on the server:", example: "/srv/papers" } },
};

/** The values of `--set`, and the answers to `--ask`. @throws UsageError */
export async function askForFields(cli: Cli, { set = [], ask: asked = [] }: Fields): Promise<Values> {
  const given = givenFields(set);
  if (asked.length === 0) return given;
  const questions = asked.map((name) => `${name}:`);
  const answers = await askSecrets(cli, questions, `give ${asked.map((name) => `--set ${name}=…`).join(" ")}`);
  return { ...given, ...named(asked, answers) };
}

/**
 * As `askForFields`, but also asks for what a new connection to the provider lacks. @throws UsageError where nobody can be asked
 */
export async function readNeededFields(cli: Cli, provider: string, fields: Fields): Promise<Values> {
  const needed = NEEDED_FIELDS[provider] ?? {};
  const given = givenFields(fields.set ?? []);
  const isGiven = (name: string) => Object.hasOwn(given, name) || fields.ask?.includes(name) === true;
  const missing = Object.entries(needed).filter(([name]) => !isGiven(name));
  if (missing.length === 0) return askForFields(cli, fields);
  if (!canAsk(cli)) throw lacking(cli, provider, missing);
  const questions = missing.map(([, { question, isSecret = false }]) => ({ text: question, isSecret }));
  const others = (fields.ask ?? []).map((name) => ({ text: `${name}:`, isSecret: true }));
  const names = [...missing.map(([name]) => name), ...(fields.ask ?? [])];
  return { ...given, ...named(names, await askUser(cli, [...questions, ...others], "use --set")) };
}

function lacking(cli: Cli, provider: string, missing: readonly (readonly [string, NeededField])[]): UsageError {
  const names = missing.map(([name]) => name);
  const all = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join();
  const shown = missing
    .filter(([, { isSecret }]) => isSecret !== true)
    .map(([name, field]) => `${name}=${field.example}`);
  const hidden = missing.flatMap(([name, { isSecret }]) => (isSecret === true ? [name] : []));
  const options = [
    ...(shown.length > 0 ? [`--set ${shown.join(" ")}`] : []),
    ...(hidden.length > 0 ? [`--ask ${hidden.join(" ")}`] : []),
  ].join(" ");
  return new UsageError(
    `${provider} needs ${all}. Add ${options}, or run \`${cli.invocation} connections add ${provider}\` in a terminal, which asks for what is missing.`,
  );
}

function named(names: readonly string[], answers: readonly string[] | null): Values {
  const given = requireAnswers(answers);
  return Object.fromEntries(names.map((name, index) => [name, given[index] ?? ""]));
}

function givenFields(set: readonly string[]): Values {
  return Object.fromEntries(
    set.map((text) => {
      const [, name, value] = /^([A-Za-z]\w*)=([^]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--set ${JSON.stringify(text)} must look like name=value`);
      return [name, value === "true" ? true : value === "false" ? false : value] as const;
    }),
  );
}
