import { AppError } from "../../core/errors.js";
import { clientSchema } from "../../core/index.js";
import { randomSecret, equalSecrets } from "../../lib/crypto.js";
import { choiceFields, readChoice } from "../pages/choice.js";
import { csrfField, type FormFields, formToken, hiddenField, readPageForm, requireCsrf } from "../pages/forms.js";
import { type Html, html, shown } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import type { Owner } from "../pages/session.js";
import { type Callback, encodeValues, readCallback, readDesktopCallback, withAnswer } from "./callback.js";
import { labelOf } from "./known-clients.js";
import { type Handler, ownerFooter, type ConsoleContext, type Visit } from "./visit.js";

const MOST_CLIENTS = 20;
/** A page left open for longer has to be opened again. */
const OPEN_MS = 60 * 60_000;

/** What a program asks for. */
interface AccessRequest {
  readonly callback: Callback;
  /** Names of the programs; null for one that does not say. */
  readonly clients: readonly (string | null)[];
  /** True when each client gets a key of its own. */
  readonly isList: boolean;
  readonly kind: "agent" | "plugin";
  readonly hostname: string;
  readonly os: string;
  readonly cwd: string;
  readonly version: string;
}

function readAccessRequest({ url }: Visit): AccessRequest {
  const { searchParams, pathname } = url;
  const isDesktop = pathname === "/auth/desktop";
  const list = searchParams.get("clients");
  const client = searchParams.get("client");
  const named = (list ?? client ?? "").split(",").filter((name) => name.trim() !== "");
  if (named.length > MOST_CLIENTS)
    throw new AppError("invalid", `At most ${MOST_CLIENTS} clients can be connected at a time.`);
  const clients = [...new Set(named.map(readClient))];
  const unnamed = isDesktop ? "desktop" : pathname === "/auth/agent-connect" ? "cli" : null;
  const text = (name: string) => shown(searchParams.get(name) ?? "");
  return {
    callback: (isDesktop ? readDesktopCallback : readCallback)(searchParams.get("callback")),
    clients: clients.length > 0 ? clients : [unnamed],
    isList: list !== null && clients.length > 0,
    kind: clients.length > 0 && !isDesktop ? "plugin" : "agent",
    hostname: text("hostname"),
    os: text("os"),
    cwd: text("cwd"),
    version: text("cli_version"),
  };
}

function readClient(name: string): string {
  const read = clientSchema.safeParse(name.trim());
  if (read.success) return read.data;
  throw new AppError(
    "invalid",
    `The program calls itself ${JSON.stringify(shown(name, 80))}, which is not a valid client name.`,
  );
}

/** Shows who asks for what, and lets the owner choose. */
export const showConnect: Handler = async (visit, surroundings) => {
  const asked = readAccessRequest(visit);
  const owner = await surroundings.sessions.requireOwner(visit.request);
  if (owner instanceof Response) return owner;
  return connectPage(visit, surroundings, { asked, owner });
};

interface ConnectPage {
  readonly asked: AccessRequest;
  readonly owner: Owner;
  readonly objection?: string;
  /** The form as it was submitted. */
  readonly chosen?: FormFields;
}

async function connectPage(
  { url }: Visit,
  { core }: ConsoleContext,
  { asked, owner, objection, chosen }: ConnectPage,
): Promise<Response> {
  const { containers } = await core.listContainers({ actor: owner.actor });
  const names = asked.clients.map(nameOf);
  const who = names.length === 1 ? names[0] : `${names.length} programs`;
  return pageAnswer({
    title: `${who} ${names.length === 1 ? "asks" : "ask"} to use your memory`,
    status: objection === undefined ? 200 : 400,
    footer: ownerFooter(owner),
    formTargets: [asked.callback.formTarget],
    body: html`${objection !== undefined && html`<p class="warning" role="alert">${objection}</p>`}
      ${asked.clients.some((client) => client === null || labelOf(client) === null) && html`<p class="warning">This server does not know this program. Approve only what you started yourself.</p>`}
      ${askerOf(asked)}
      <form method="post" action="${url.pathname + url.search}">
        ${csrfField(owner.csrf)}${hiddenField("request", newRequest(url, owner))}
        ${choiceFields({ containers: containers.map(({ tag }) => tag), chosen })}
        <div class="actions">
          <button class="main" name="decision" value="approve">Approve</button>
          <button name="decision" value="decline">Decline</button>
        </div>
      </form>
      <p class="soft">
        The program gets ${asked.isList ? "a separate key for each client" : "its own key"}, ${wayTo(asked.callback)}.
        You can revoke it at any time with <code>recollect keys revoke</code>. If your browser can no longer reach the
        program, the program has stopped waiting: start again there.
      </p>`,
  });
}

function wayTo({ address }: Callback): string {
  const { protocol, host } = new URL(address);
  return protocol === "http:" ? `at this machine’s address ${host}` : "through a link that opens it";
}

function nameOf(client: string | null): string {
  if (client === null) return "An unknown program";
  return labelOf(client) ?? `Unknown program “${client}”`;
}

function askerOf({ clients, hostname, os, cwd, version }: AccessRequest): Html {
  const rows = [
    clients.length > 1 && (["Programs", clients.map(nameOf).join(", ")] as const),
    hostname !== "" && (["Machine", os === "" ? hostname : `${hostname} (${os})`] as const),
    cwd !== "" && (["Folder", cwd] as const),
    version !== "" && (["Version", version] as const),
  ].filter((row) => row !== false);
  if (rows.length === 0) return html`<p>It does not say where the request comes from.</p>`;
  return html`<p>This is what it says about itself:</p>
    <dl>
      ${rows.map(
        ([term, words]) =>
          html`<dt>${term}</dt>
            <dd>${words}</dd>`,
      )}
    </dl>`;
}

/**
 * Identifies one opening of the page in one browser, so that an approval counts once, for what was shown, and only for a limited
 * time.
 */
function newRequest({ pathname, search }: URL, { token }: Owner): string {
  const id = `${Date.now().toString(36)}-${randomSecret(16)}`;
  return `${id}.${formToken(token, `request:${id}:${pathname}${search}`)}`;
}

function requireRequest(fields: FormFields, { pathname, search }: URL, { token }: Owner): string {
  const [id = "", mark = ""] = fields.text("request").split(".");
  const isOurs = equalSecrets(mark, formToken(token, `request:${id}:${pathname}${search}`));
  const openedAt = Number.parseInt(id.split("-")[0] ?? "", 36);
  if (isOurs && Date.now() - openedAt < OPEN_MS) return id;
  throw new AppError(
    "forbidden",
    "This page was open for too long, or was not opened in this browser. Start again in the program that asked.",
  );
}

/** Sends the owner's answer to the program. */
export const doConnect: Handler = async (visit, surroundings) => {
  const { request, url } = visit;
  const { core, sessions } = surroundings;
  const asked = readAccessRequest(visit);
  const owner = await sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const fields = await readPageForm(request);
  requireCsrf(fields, owner);
  const requestId = requireRequest(fields, url, owner);
  const decision = fields.text("decision");
  if (decision === "decline") return redirectAnswer(withAnswer(asked.callback, declined(asked)));
  if (decision !== "approve") throw new AppError("invalid", "Approve or decline.");
  try {
    const { keys } = await core.connectClients(
      { actor: owner.actor },
      { ...readChoice(fields), request: requestId, clients: asked.clients.map((client) => keyFor(asked, client)) },
    );
    const answer = { ...keysOf(asked, keys), api_url: sessions.baseUrl(request) };
    return redirectAnswer(withAnswer(asked.callback, answer));
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    return connectPage(visit, surroundings, { asked, owner, objection: error.message, chosen: fields });
  }
};

function keyFor({ kind, hostname, cwd }: AccessRequest, client: string | null) {
  const places = [hostname !== "" && `on ${hostname}`, cwd !== "" && `in ${cwd}`].filter((place) => place !== false);
  return {
    client,
    kind,
    name: shown([client === null ? "unknown program" : (labelOf(client) ?? client), ...places].join(" "), 200),
  };
}

function keysOf(
  { isList }: AccessRequest,
  keys: readonly { client: string | null; secret: string }[],
): Record<string, string> {
  if (!isList) return { apikey: keys[0]?.secret ?? "" };
  return { keys: encodeValues(Object.fromEntries(keys.map(({ client, secret }) => [client ?? "", secret]))) };
}

function declined({ isList, clients }: AccessRequest): Record<string, string> {
  if (!isList) return { error: "access_denied" };
  const words = Object.fromEntries(clients.map((client) => [client ?? "", "The owner declined."]));
  return { error: "access_denied", errors: encodeValues(words) };
}
