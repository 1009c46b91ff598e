import Provider, { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import * as z from "zod";
import type { Core, Call } from "../../core/index.js";
import { AUTHORIZE_PATH } from "./paths.js";

/** Seconds that a registered app is remembered if it was never authorised. */
const UNUSED_CLIENT_SECONDS = 86_400;

/** A client's name may be the address of its document; all others are short. */
const LONGEST_NAME = 2_048;

const payloadSchema = z.record(z.string(), z.unknown());

/** A code or token that a request used up, and what it is exchanged for. */
interface Trade {
  readonly kind: string;
  readonly secret: string;
  readonly save: object[];
}

/** Trades of the requests being answered. */
const trades = new WeakMap<object, Trade>();

/**
 * Stores what a request traded in one transaction: an app whose code or token was used up while the store failed could only
 * return with the same one, and would be taken for a thief.
 * @throws InvalidGrant when somebody else was first
 */
export async function keepTrade(request: object, { core, call }: Pick<RecordsOptions, "core" | "call">): Promise<void> {
  const trade = trades.get(request);
  if (!trade) return;
  const { isFirst } = await core.consumeOAuthRecord(call, trade);
  if (!isFirst) throw new errors.InvalidGrant("it has already been used");
}

export interface RecordsOptions {
  readonly core: Core;
  readonly call: Call;
  /** Records stored under one address of this server are unknown under another. */
  readonly issuer: string;
}

/**
 * Stores what the protocol library wants stored. Codes, tokens and cookies are names of records, of which only hashes are
 * stored; so they are left out of the content too.
 */
export function createRecords({ core, call, issuer }: RecordsOptions): (kind: string) => Adapter {
  const named = (name: string) => `${issuer} ${name}`;
  return (kind) => {
    const read = async (wanted: object, id: string): Promise<AdapterPayload | undefined> => {
      // No record has a name this long.
      if (id.length > LONGEST_NAME) return undefined;
      const { found } = await core.findOAuthRecord(call, { kind, ...wanted });
      if (!found) return undefined;
      const payload = payloadSchema.parse(JSON.parse(found.payload));
      return {
        ...payload,
        ...(kind !== "Client" && { jti: id }),
        ...(kind === "Interaction" && { returnTo: `${issuer}${AUTHORIZE_PATH}/${id}` }),
        ...(found.isConsumed && { consumed: true }),
      };
    };
    return {
      async upsert(id, payload, expiresIn) {
        const record = {
          kind,
          secret: named(id),
          uid: payload.uid === undefined ? undefined : named(payload.uid),
          grantId: kind === "Grant" ? id : payload.grantId,
          payload: JSON.stringify(withoutSecrets(payload)),
          expiresInSeconds: expiresIn ?? (kind === "Client" ? UNUSED_CLIENT_SECONDS : undefined),
        };
        const trade = Provider.ctx && trades.get(Provider.ctx);
        if (trade) trade.save.push(record);
        else await core.saveOAuthRecord(call, record);
      },
      find: (id) => read({ secret: named(id) }, id),
      findByUid: (uid) => read({ uid: named(uid) }, uid),
      findByUserCode: () => Promise.resolve(undefined),
      consume(id) {
        if (!Provider.ctx) throw new Error("A code or token can be used up only in a request");
        trades.set(Provider.ctx, { kind, secret: named(id), save: [] });
        return Promise.resolve();
      },
      async destroy(id) {
        await core.dropOAuthRecords(call, kind === "Grant" ? { grantId: id } : { kind, secret: named(id) });
      },
      async revokeByGrantId(grantId) {
        await core.dropOAuthRecords(call, { kind, grantId });
      },
    };
  };
}

function withoutSecrets({ jti: _jti, returnTo: _returnTo, consumed: _consumed, ...payload }: AdapterPayload): object {
  const { session } = payload;
  return session === undefined ? payload : { ...payload, session: { ...session, cookie: undefined } };
}
