import { AppError } from "../../core/errors.js";
import { clientSchema } from "../../core/index.js";
import { randomSecret } from "../../lib/crypto.js";
import { isOwnOrigin } from "../pages/session.js";
import { readCallback } from "./callback.js";
import { labelOf } from "./known-clients.js";
import { type Handler, jsonAnswer } from "./visit.js";

/**
 * `GET /v3/auth/key` (contract 6.6): a page of this server fetches a client's key, as the signed-in owner. It creates a key, so
 * a request has to prove that such a page sent it.
 */
export const makeKeyForPage: Handler = async ({ request, url }, { core, sessions, allowed }) => {
  const { headers } = request;
  const isFromPage = headers.get("sec-fetch-site") === "same-origin" || headers.get("origin") !== null;
  if (!isFromPage || !isOwnOrigin(headers, allowed) || headers.get("sec-fetch-mode") === "navigate")
    throw new AppError(
      "forbidden",
      "Only pages of this server may request a key here. Use POST /v3/auth/agent-key with a key of the whole organisation.",
    );
  const owner = await sessions.owner(request);
  if (!owner) throw new AppError("unauthorized", "You are not signed in.");
  const callback = url.searchParams.get("callback");
  if (callback !== null) readCallback(callback);
  const named = url.searchParams.get("client");
  const client = named ? clientSchema.safeParse(named) : undefined;
  if (client?.success === false) throw new AppError("invalid", `client: ${client.error.issues[0]?.message}`);
  const name = client === undefined ? "unknown program" : (labelOf(client.data) ?? client.data);
  const kind = client === undefined ? "agent" : "plugin";
  const { keys } = await core.connectClients(
    { actor: owner.actor },
    { request: randomSecret(), clients: [{ client: client?.data ?? null, kind, name }] },
  );
  return jsonAnswer({ key: keys[0]?.secret });
};
