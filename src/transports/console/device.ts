import * as z from "zod";
import { AppError } from "../../core/errors.js";
import { readBodyText } from "../../lib/request-body.js";
import { choiceFields, readChoice } from "../pages/choice.js";
import { csrfField, type FormFields, hiddenField, readPageForm, requireCsrf } from "../pages/forms.js";
import { html, shown } from "../pages/html.js";
import { pageAnswer } from "../pages/layout.js";
import type { Owner } from "../pages/session.js";
import { labelOf } from "./known-clients.js";
import { type Handler, jsonAnswer, ownerFooter, type ConsoleContext } from "./visit.js";
import { parseLimitedJson } from "../../lib/limited-json.js";

const MOST_BYTES = 16 * 1024;

/** `POST /auth/device/code`: a program without a browser asks (after RFC 8628 §3.1). */
export const startDevice: Handler = async ({ request, callerAddress }, { core, anyone, sessions }) => {
  const asked = await readFields(request);
  const { deviceCode, userCode, expiresIn, interval } = await core.startDevice(anyone, {
    ...asked,
    from: callerAddress,
  });
  const page = `${sessions.baseUrl(request)}/auth/device`;
  return jsonAnswer({
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: expiresIn,
    interval,
  });
};

const tokenSchema = z.object({ device_code: z.string() });
const ERRORS = {
  pending: ["authorization_pending", "The owner has not answered yet."],
  too_soon: ["slow_down", "Poll at most every 5 seconds."],
  declined: ["access_denied", "The owner declined."],
  expired: ["expired_token", "This code is unknown, has been used, or has expired (codes last 10 minutes)."],
} as const;

/** `POST /auth/device/token`: the program asks whether it has been approved (after RFC 8628 §3.4). */
export const pollDevice: Handler = async ({ request }, { core, anyone, sessions }) => {
  const { device_code: deviceCode } = tokenSchema.parse(await readFields(request).then(requireDeviceCode));
  const polled = await core.pollDevice(anyone, { deviceCode });
  if (polled.state === "approved") return jsonAnswer({ apikey: polled.secret, api_url: sessions.baseUrl(request) });
  const [error, description] = ERRORS[polled.state];
  return jsonAnswer({ error, error_description: description, message: description }, 400);
};

function requireDeviceCode(fields: Record<string, unknown>): Record<string, unknown> {
  if (typeof fields["device_code"] === "string") return fields;
  throw new AppError("invalid", "device_code: must be the string that POST /auth/device/code returned.");
}

/** Fields of a JSON body or of a form. */
async function readFields(request: Request): Promise<Record<string, unknown>> {
  const text = await readBodyText(request, MOST_BYTES);
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return Object.fromEntries(new URLSearchParams(text));
  if (text.trim() === "") return {};
  const read = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new AppError("invalid", "The body must be a JSON object.");
}

function parseJson(text: string): unknown {
  try {
    return parseLimitedJson(text);
  } catch (error) {
    throw new AppError("invalid", "The body is not JSON.", { cause: error });
  }
}

/** Asks for the code; with the code, shows who is asking. */
export const showDevice: Handler = async ({ request, url }, surroundings) => {
  const owner = await surroundings.sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const typed = url.searchParams.get("user_code");
  if (!typed) return codePage(owner);
  return devicePage(surroundings, owner, { typed });
};

function codePage(owner: Owner, objection?: AppError): Response {
  return pageAnswer({
    title: "Connect another machine",
    status: objection === undefined ? 200 : objection.kind === "rate_limited" ? 429 : 404,
    footer: ownerFooter(owner),
    body: html`${objection && html`<p class="warning" role="alert">${objection.message}</p>`}
      <p>A program on a machine without a browser shows a code of eight letters. Enter it here.</p>
      <form method="get" action="/auth/device">
        <label class="field code"
          >Code
          <input
            type="text"
            name="user_code"
            required
            maxlength="20"
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck="false"
            placeholder="XXXX-XXXX"
            autofocus
        /></label>
        <div class="actions"><button class="main">Continue</button></div>
      </form>`,
  });
}

async function devicePage(
  { core }: ConsoleContext,
  owner: Owner,
  { typed, objection, chosen }: { readonly typed: string; readonly objection?: string; readonly chosen?: FormFields },
): Promise<Response> {
  const call = { actor: owner.actor };
  const found = await core.findDevice(call, { userCode: typed }).catch(asRefusal);
  if (found instanceof AppError) return codePage(owner, found);
  if (found.state !== "pending") return donePage(owner, found.state === "approved");
  const { client, hostname, os, cwd } = found.asker;
  const { containers } = await core.listContainers(call);
  const label = client === null ? null : labelOf(client);
  const name = label ?? (client === null ? "An unknown program" : `Unknown program “${client}”`);
  const rows = [
    hostname && (["Machine", os ? `${hostname} (${os})` : hostname] as const),
    cwd && (["Folder", cwd] as const),
  ].filter((row) => typeof row === "object" && row !== null);
  return pageAnswer({
    title: `${name} asks to use your memory`,
    status: objection === undefined ? 200 : 400,
    footer: ownerFooter(owner),
    body: html`${objection !== undefined && html`<p class="warning" role="alert">${objection}</p>`}
      <p class="warning">
        Approve only if you started this yourself, a moment ago, on the machine that shows this code. Never approve a
        code that somebody sent you.
      </p>
      ${
        rows.length > 0 &&
        html`<p>This is what it says about itself:</p>
          <dl>
            ${rows.map(
              ([term, words]) =>
                html`<dt>${term}</dt>
                  <dd>${shown(words)}</dd>`,
            )}
          </dl>`
      }
      <form method="post" action="/auth/device">
        ${csrfField(owner.csrf)}${hiddenField("user_code", typed)}
        ${choiceFields({ containers: containers.map(({ tag }) => tag), chosen })}
        <div class="actions">
          <button class="main" name="decision" value="approve">Approve</button>
          <button name="decision" value="decline">Decline</button>
        </div>
      </form>`,
  });
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError && (error.kind === "not_found" || error.kind === "rate_limited")) return error;
  throw error;
}

/** Approves or declines the request. */
export const answerDevice: Handler = async ({ request }, surroundings) => {
  const { core, sessions } = surroundings;
  const owner = await sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const fields = await readPageForm(request);
  requireCsrf(fields, owner);
  const typed = fields.text("user_code");
  const decision = fields.text("decision");
  if (decision !== "approve" && decision !== "decline") throw new AppError("invalid", "Approve or decline.");
  const call = { actor: owner.actor };
  try {
    const use = decision === "approve" ? readChoice(fields) : {};
    const { approved } = await core.answerDevice(call, { ...use, userCode: typed, approve: decision === "approve" });
    return donePage(owner, approved);
  } catch (error) {
    if (error instanceof AppError && error.kind === "invalid")
      return devicePage(surroundings, owner, { typed, objection: error.message, chosen: fields });
    return codePage(owner, asRefusal(error));
  }
};

function donePage(owner: Owner, approved: boolean): Response {
  return pageAnswer({
    title: approved ? "Approved" : "Declined",
    footer: ownerFooter(owner),
    body: approved
      ? html`<p>The program gets its key within a few seconds. You can close this page.</p>`
      : html`<p>The program gets no key. You can close this page.</p>`,
  });
}
