import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { OAuthSignIn } from "../ports.js";
import { openSecrets, readSettings } from "../upkeep/settings.js";

/** The organisation's app at a provider. */
export interface Application {
  readonly clientId: string;
  /** Null for an app without one, such as a desktop app with PKCE. */
  readonly clientSecret: string | null;
}

/** @throws AppError `invalid` if the organisation has registered none, with what to do */
export async function applicationOf(
  context: Pick<CoreContext, "store" | "secretBox" | "log">,
  organizationId: string,
  { application }: OAuthSignIn,
): Promise<Application> {
  const settings = await openSecrets(context, await readSettings(context.store, organizationId, null));
  const clientId = settings[`${application}ClientId`];
  if (!clientId)
    throw new AppError(
      "invalid",
      `There is no app to sign in with yet. Register one with the provider and put its id and secret in the settings ${application}ClientId and ${application}ClientSecret (PATCH /v3/settings, or \`recollect connections add --client-id\`), or connect with a token.`,
    );
  return { clientId, clientSecret: settings[`${application}ClientSecret`] ?? null };
}
