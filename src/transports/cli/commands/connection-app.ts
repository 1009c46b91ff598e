import { askUser, askSecrets, canAsk, requireAnswers } from "../ask.js";
import type { Access, Cli } from "../cli.js";

/** How to register one's own app with a provider, which signing in without a public address requires. */
interface AppGuide {
  /** Prefix of the settings that hold the app: `github` for `githubClientId`. */
  readonly prefix: string;
  readonly steps: readonly string[];
  /** The pattern of a client id. */
  readonly id: RegExp;
  readonly example: string;
  readonly hasSecret: boolean;
  /** Fields that replace signing in with an app. */
  readonly instead: readonly string[];
}

const google = (api: string): AppGuide => ({
  prefix: "googleDrive",
  steps: [
    "Open https://console.cloud.google.com/ and create a project, or choose one.",
    `Under “APIs & Services”, “Library”, enable the ${api}.`,
    "Under “OAuth consent screen”, choose “External”, or “Internal” in an organisation, and add yourself as a test user. While the app is in “Testing”, Google limits a sign-in to seven days; publish the app to avoid this.",
    "Under “Credentials”, create an OAuth client of type “Desktop app”.",
    "Enter its client id and client secret here.",
  ],
  id: /^[\w-]{1,200}\.apps\.googleusercontent\.com$/,
  example: "1234-abcd.apps.googleusercontent.com",
  hasSecret: true,
  instead: ["serviceAccountKey"],
});

export const APP_GUIDES: Readonly<Record<string, AppGuide>> = {
  "google-drive": google("Google Drive API"),
  gmail: google("Gmail API"),
  onedrive: {
    prefix: "onedrive",
    steps: [
      "Open https://entra.microsoft.com/, “App registrations”, and register an app for “Accounts in any organizational directory and personal Microsoft accounts”.",
      "Under “Authentication”, enable “Allow public client flows”.",
      "Under “API permissions”, add the delegated permissions Files.Read and offline_access of Microsoft Graph.",
      "Enter its application (client) id here.",
    ],
    id: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
    example: "11112222-bbbb-3333-cccc-4444dddd5555",
    hasSecret: false,
    instead: [],
  },
  github: {
    prefix: "github",
    steps: [
      "A personal access token is quicker: press Ctrl-C and start again with `--ask token`.",
      "Otherwise open https://github.com/settings/developers, “OAuth Apps”, and register an app; any callback URL will do.",
      "Tick “Enable Device Flow”, and enter its client id here.",
    ],
    id: /^[\w.-]{10,100}$/,
    example: "Iv23liExampleExample",
    hasSecret: false,
    instead: ["token"],
  },
};

export interface AppOptions {
  readonly clientId?: string;
  readonly clientSecret?: boolean;
}

/**
 * Stores the organisation's app at a provider: the one given, or, where one is needed and missing, the one that the person at
 * the terminal is guided to register. Whether it works shows at sign-in.
 * @throws UsageError when the input ends before everything was given
 */
export async function keepApp(
  cli: Cli,
  access: Access,
  provider: string,
  { clientId, clientSecret = false, given }: AppOptions & { readonly given: readonly string[] },
): Promise<void> {
  const guide = APP_GUIDES[provider];
  if (clientId !== undefined) {
    const prefix = guide?.prefix ?? provider;
    const [secret] = clientSecret
      ? requireAnswers(await askSecrets(cli, ["Client secret:"], "set it with PATCH /v3/settings"))
      : [];
    return keep(access, prefix, clientId, secret);
  }
  if (!guide || !canAsk(cli) || guide.instead.some((name) => given.includes(name))) return;
  const { settings } = await access.core.getSettings(access.read);
  if (Object.entries(settings).some(([name, value]) => name === `${guide.prefix}ClientId` && value)) return;
  const note = (line: string): void => cli.output.note(line);
  note(`To sign in to ${provider} from here, you need your own app there:`);
  for (const [index, step] of guide.steps.entries()) note(`  ${index + 1}. ${step}`);
  note(`See docs/connections/${provider}.md for details.`);
  const id = await askId(cli, guide);
  const question = { text: "Client secret (input is hidden):", isSecret: true };
  const [secret] = guide.hasSecret ? requireAnswers(await askUser(cli, [question], "use --client-secret")) : [];
  await keep(access, guide.prefix, id, secret);
}

async function askId(cli: Cli, { id, example }: AppGuide): Promise<string> {
  for (;;) {
    const [typed = ""] = requireAnswers(
      await askUser(cli, [{ text: "Client id:", isSecret: false }], "use --client-id"),
    );
    if (id.test(typed.trim())) return typed.trim();
    cli.output.note(`That is not a client id. It should look like ${example}.`);
  }
}

async function keep(
  { core, newWrite }: Access,
  prefix: string,
  clientId: string,
  secret: string | undefined,
): Promise<void> {
  await core.updateSettings(newWrite(), {
    [`${prefix}ClientId`]: clientId,
    ...(secret !== undefined && { [`${prefix}ClientSecret`]: secret }),
  });
}
