import type Provider from "oidc-provider";
import { errors } from "oidc-provider";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type { Core } from "../../core/index.js";
import { MEMORY_SCOPES } from "../auth.js";
import { choiceFields, readChoice } from "../pages/choice.js";
import { csrfField, type FormFields, readPageForm, requireCsrf } from "../pages/forms.js";
import { type Html, html, shown } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import type { Owner } from "../pages/session.js";
import { toNode } from "./bridge.js";
import { clientHostOf } from "./clients.js";
import { ACCOUNT } from "./provider.js";
import { OPENID_SCOPES, resourceOf, WRITE_SCOPE } from "./scopes.js";

/** A grant that never ends, for a library in which all grants expire. */
const FOREVER_SECONDS = 100 * 365 * 86_400;

const paramsSchema = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string().default(""),
});

/** What an app asks of the owner. */
interface Question {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientHost: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

export interface ConsentOptions {
  readonly provider: Provider;
  readonly core: Core;
  readonly owner: Owner;
}

/** The page on which the owner grants or refuses an app access, and the answer to its form. */
export async function answerConsent(request: Request, options: ConsentOptions): Promise<Response> {
  const { owner } = options;
  const question = await readQuestion(request, options.provider);
  if (!question) return overAnswer();
  if (request.method === "GET") return askOwner(question, options);
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const fields = await readPageForm(request);
  requireCsrf(fields, owner);
  if (fields.text("answer") !== "allow") {
    const reason = "The owner of this server declined.";
    return goOn(request, options.provider, { error: "access_denied", error_description: reason });
  }
  try {
    return await letIn({ request, question, fields }, options);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    return askOwner(question, options, { message: error.message, fields });
  }
}

interface Allowed {
  readonly request: Request;
  readonly question: Question;
  readonly fields: FormFields;
}

async function letIn({ request, question, fields }: Allowed, options: ConsentOptions): Promise<Response> {
  const { grants, permission, expiresInDays } = readChoice(fields);
  const grant = await options.core.allowApp(
    { actor: options.owner.actor },
    {
      issuer: options.provider.issuer,
      clientId: question.clientId,
      clientName: question.clientName,
      clientHost: question.clientHost,
      containerTags: grants?.map(({ containerTag }) => containerTag),
      permission: asksToWrite(question) ? permission : "read",
      expiresInDays,
    },
  );
  await keepGrant(
    options.provider,
    { id: grant.id, expiresAt: grant.expiresAt, permission: grant.permission },
    question,
  );
  return goOn(request, options.provider, {
    login: { accountId: ACCOUNT, remember: false },
    consent: { grantId: grant.id },
  });
}

async function readQuestion(request: Request, provider: Provider): Promise<Question | null> {
  const { incoming, outgoing } = toNode(request, "");
  try {
    const { params } = await provider.interactionDetails(incoming, outgoing);
    const { client_id: clientId, redirect_uri: redirectUri, scope } = paramsSchema.parse(params);
    const client = await provider.Client.find(clientId);
    if (!client) return null;
    const clientHost = shown(clientHostOf(clientId, redirectUri), 200);
    const clientName = shown(client.clientName ?? clientHost, 100) || clientHost;
    return { clientId, clientName, clientHost, redirectUri, scopes: scope.split(" ") };
  } catch (error) {
    if (error instanceof errors.SessionNotFound || error instanceof errors.InvalidClient) return null;
    throw error;
  }
}

function asksToWrite({ scopes }: Question): boolean {
  return scopes.includes(WRITE_SCOPE);
}

/** What is wrong with an answer. */
interface Problem {
  readonly message: string;
  readonly fields: FormFields;
}

async function askOwner(question: Question, { core, owner }: ConsentOptions, problem?: Problem): Promise<Response> {
  const { containers } = await core.listContainers({ actor: owner.actor });
  const { clientName, clientHost, redirectUri } = question;
  const tags = containers.map(({ tag }) => tag);
  const body = html`${problem && html`<p class="warning" role="alert">${problem.message}</p>`}
    <p><strong>${clientName}</strong> asks to use the memory on this server.</p>
    ${aboutApp(question)}
    ${!asksToWrite(question) && html`<p>It asks only to read, so that is all it may do, whatever you choose.</p>`}
    <form method="post">
      ${csrfField(owner.csrf)} ${choiceFields({ containers: tags, chosen: problem?.fields })}
      <div class="actions">
        <button type="submit" name="answer" value="allow" class="main">Allow</button>
        <button type="submit" name="answer" value="decline">Decline</button>
      </div>
    </form>`;
  return pageAnswer({
    title: `Give ${clientHost === "this machine" ? clientName : `${clientName} (${clientHost})`} access?`,
    body,
    formTargets: [formTarget(redirectUri)],
    ...(problem && { status: 400 }),
  });
}

function aboutApp({ clientId, clientHost, redirectUri }: Question): Html {
  const isDocumented = clientId.startsWith("https://");
  return html`<dl>
    <dt>Who it is</dt>
    <dd>
      ${
        isDocumented
          ? html`The app of <strong>${clientHost}</strong>, according to that host.`
          : "It gave itself this name, which is not verified."
      }
    </dd>
    <dt>Where you will be sent back to</dt>
    <dd>${shown(redirectUri, 200)}</dd>
  </dl>`;
}

/** Browsers follow a redirect after a form only to where the page's policy allows. */
function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === "http:" || protocol === "https:" ? origin : protocol;
}

interface KeptGrant {
  readonly id: string;
  readonly expiresAt: string | null;
  readonly permission: "read" | "write";
}

async function keepGrant(
  provider: Provider,
  { id, expiresAt, permission }: KeptGrant,
  question: Question,
): Promise<void> {
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId: question.clientId });
  grant.jti = id;
  const now = Math.floor(Date.now() / 1_000);
  grant.exp = expiresAt === null ? now + FOREVER_SECONDS : Math.floor(Date.parse(expiresAt) / 1_000);
  const isGranted = (scope: string) =>
    question.scopes.includes(scope) && (permission === "write" || scope !== WRITE_SCOPE);
  grant.addOIDCScope(OPENID_SCOPES.filter(isGranted));
  for (const resource of [
    resourceOf(provider.issuer),
    provider.issuer,
    `${provider.issuer}/`,
    `${provider.issuer}/mcp/`,
  ])
    grant.addResourceScope(resource, MEMORY_SCOPES.filter(isGranted));
  await grant.save();
}

type Result = Parameters<Provider["interactionResult"]>[2];

async function goOn(request: Request, provider: Provider, result: Result): Promise<Response> {
  const { incoming, outgoing } = toNode(request, "");
  return redirectAnswer(await provider.interactionResult(incoming, outgoing, result));
}

function overAnswer(): Response {
  return pageAnswer({
    title: "This request has ended",
    status: 400,
    body: html`<p>It has been answered, has expired after half an hour, or was made in another browser.</p>
      <p>Start again in the app that sent you here.</p>`,
  });
}
