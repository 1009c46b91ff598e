import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import { oneLine } from "../../lib/one-line.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { JobDraft, JobHandler, OwnerMail } from "../ports.js";
import type { Connection, ConnectionState } from "../types.js";

/** States in which a connection is waiting for its owner. */
const TOLD = ["reconnect", "held"] as const;

/** Spread over about half a day, in case the mail server cannot be reached. */
const ATTEMPTS = 14;
const LONGEST_MS = 60_000;

const newsSchema = z.object({ connectionId: z.string(), state: z.enum(TOLD), since: z.string() });
type News = z.output<typeof newsSchema>;

/** The job that mails the owner that a connection is waiting for them; null for a state that is not reported. */
export function newsJob({ id }: Pick<Connection, "id">, state: ConnectionState, since: string): JobDraft | null {
  const told = TOLD.find((one) => one === state);
  if (told === undefined) return null;
  const payload: News = { connectionId: id, state: told, since };
  return { kind: "tell-of-connection", payload, group: `connection:${id}`, maxAttempts: ATTEMPTS };
}

/** Mails what still applies, once; without a mail server, the log, `status` and `doctor` report it. */
export function createNewsJob(context: CoreContext): JobHandler<News> {
  const { store, mailer, log } = context;
  return {
    schema: newsSchema,
    slots: 1,
    timeoutMs: LONGEST_MS,
    async run(news, { job, signal }) {
      const connection = await store.connections.byId(store.organizationId, news.connectionId);
      if (!mailer || connection?.state !== news.state) return;
      try {
        await mailer.send(mailOf(connection, news), signal);
      } catch (error) {
        const mayPass = error instanceof AppError && error.kind === "unavailable" && job.attempt < job.maxAttempts;
        if (mayPass || !(error instanceof AppError)) throw error;
        log.warn("the owner could not be told by mail that a connection is waiting", {
          connection: connection.id,
          error,
        });
        return;
      }
      log.info("the owner was told by mail that a connection is waiting", { connection: connection.id });
    },
  };
}

function mailOf({ id, provider, account, problem }: Connection, { state, since }: News): OwnerMail {
  const name = account === null ? provider : `${provider} (${oneLine(account)})`;
  const [what, command] = {
    reconnect: [
      "has to be signed in again. Until then its documents stay as they are, and nothing new is added.",
      `recollect connections reconnect ${id}`,
    ],
    held: [
      "would remove so many documents that it asks first. Until you agree they stay; everything else continues.",
      `recollect connections sync ${id} --confirm-removals`,
    ],
  }[state];
  const question = state === "held" ? "is waiting for your agreement" : "has to be signed in again";
  return {
    subject: `Recollect: the connection to ${name} ${question}`,
    text: [
      `The connection to ${name} ${what}`,
      "",
      ...(problem === null ? [] : [oneLine(problem), ""]),
      `  ${command}`,
      "",
    ].join("\n"),
    id: sha256(`${id} ${state} ${since}`).slice(0, 32),
  };
}
