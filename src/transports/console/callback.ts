import { AppError } from "../../core/errors.js";

/** Where the answer to an approval goes: a server that a program on the owner's machine runs for the moment. */
export interface Callback {
  /** As it was sent; its own query is kept. */
  readonly address: string;
  /** The source with which a Content-Security-Policy allows submitting there. */
  readonly formTarget: string;
}

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?\/callback(?:\?([^#\s\\]*))?$/;
const DESKTOP = /^supermemory:\/\/auth-callback\?([^#\s\\]*)$/;
const LONGEST = 2_000;
/** Printable ASCII only: different programs read anything else differently. */
const PRINTABLE = /^[\x21-\x7e]*$/;
/** Parameters in which this server answers. A callback that contains one already would be read instead of the answer. */
const ANSWERS = ["apikey", "api_key", "keys", "errors", "error", "api_url", "api_base_url"];

/**
 * Reads a callback of a program on the owner's machine: `http`, this machine by name, path `/callback`, any port, nothing before
 * the host and nothing that could be taken for an answer (contract 7.1).
 * @throws AppError `invalid`
 */
export function readCallback(address: string | null): Callback {
  const [, host = "", port, query = ""] = matchOf(LOOPBACK, address);
  if (address === null || host === "" || Number(port ?? 80) > 65_535 || Number(port ?? 80) < 1)
    throw new AppError(
      "invalid",
      "The callback address does not belong to a program on your machine: it must be http://127.0.0.1:PORT/callback, or the same address with localhost. Nothing was sent.",
    );
  refuseAnswers(query);
  // A policy cannot name an IPv6 address.
  const formTarget = host === "[::1]" ? "http:" : `http://${host}${port === undefined ? "" : `:${port}`}`;
  return { address, formTarget };
}

/** Reads the callback of a desktop app, which must have a `state`. @throws AppError `invalid` */
export function readDesktopCallback(address: string | null): Callback {
  const [, query] = matchOf(DESKTOP, address);
  const callback =
    address !== null && query !== undefined ? { address, formTarget: "supermemory:" } : readCallback(address);
  const parameters = new URLSearchParams(query ?? callback.address.split("?")[1] ?? "");
  refuseAnswers(parameters.toString());
  if (!parameters.get("state"))
    throw new AppError("invalid", "The app did not send a `state`, so it could not tell the answer from a forged one.");
  return callback;
}

function matchOf(pattern: RegExp, address: string | null): readonly (string | undefined)[] {
  if (address === null || address.length > LONGEST || !PRINTABLE.test(address)) return [];
  return pattern.exec(address) ?? [];
}

function refuseAnswers(query: string): void {
  const names = [...new URLSearchParams(query).keys()].map((name) => name.toLowerCase());
  const taken = ANSWERS.find((answer) => names.includes(answer));
  if (taken !== undefined) throw new AppError("invalid", `The callback address already contains \`${taken}\`.`);
}

/** The callback with an answer appended to its own query. */
export function withAnswer({ address }: Callback, answer: Readonly<Record<string, string>>): string {
  const joint = address.endsWith("?") || address.endsWith("&") ? "" : address.includes("?") ? "&" : "?";
  return `${address}${joint}${new URLSearchParams(answer).toString()}`;
}

/** Encodes several values in one parameter (contract 7.1). */
export function encodeValues(values: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}
