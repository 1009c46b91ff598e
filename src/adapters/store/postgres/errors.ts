import pg from "pg";
import { AppError } from "../../../core/errors.js";
import { isMissingFile } from "../../../lib/file-identity.js";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const FULL = /^53[12]00$/;
const TOO_MANY = /^53300$/;
const GONE = /^(?:08|57P|25P0[34])/;
const TOO_SLOW = /^57014/;
const REFUSED = /^(?:28|3D000|42501)/;
const READ_ONLY = /^25006$/;

/** Turns what PostgreSQL or the connection to it throws into an error that says what to do; leaves errors of statements alone. */
export function describePostgresError(error: unknown, place: string): unknown {
  if (error instanceof AppError) return error;
  if (lacksPassword(error))
    return new AppError(
      "unavailable",
      `The database ${place} asks for a password, and none was given. Put it in the address of the database, or in PGPASSWORD.`,
      { cause: error, paths: [place] },
    );
  if (isMissingCertificate(error))
    return new AppError(
      "unavailable",
      `The database ${place} was not contacted. A file named in its address was not found (${error.message}).`,
      { cause: error, paths: [place] },
    );
  if (!(error instanceof pg.DatabaseError)) return isOfConnection(error) ? unreachable(error, place) : error;
  const { code = "", message } = error;
  if (FULL.test(code))
    return new AppError(
      "storage_full",
      `The database ${place} cannot grow: its disk or memory is full. Nothing was changed. Free some space and try again.`,
      { cause: error, paths: [place] },
    );
  if (REFUSED.test(code))
    return new AppError(
      "unavailable",
      `The database ${place} refuses this service (${message}). Check the user, the password and the name of the database in its address, and the rights of the user.`,
      { cause: error, paths: [place, `(${message})`] },
    );
  if (READ_ONLY.test(code))
    return new AppError(
      "unavailable",
      `The database ${place} is read-only. Nothing was written. Use the address of the primary server.`,
      { cause: error, retryAfter: 5, paths: [place] },
    );
  if (TOO_SLOW.test(code))
    return new AppError(
      "unavailable",
      `The database ${place} ended a statement that took longer than its statement_timeout (${message}). Nothing was changed. Raise that setting for the user.`,
      { cause: error, paths: [place] },
    );
  if (TOO_MANY.test(code) || GONE.test(code)) return unreachable(error, place);
  return error;
}

/** Whether a statement was ended for taking longer than the time it had. */
export function isStatementTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof pg.DatabaseError && TOO_SLOW.test(cause.code ?? "");
}

function unreachable(cause: unknown, place: string): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    "unavailable",
    `The database ${place} cannot be reached (${reason}). What was not confirmed may not have been written. Try again.`,
    { cause, retryAfter: 2, paths: [place, `(${reason})`] },
  );
}

/** Recognised by the library's wording. */
function lacksPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a/.test(error.message);
}

/** The library reads the certificates and keys that a URL names when it opens a connection. */
function isMissingCertificate(error: unknown): error is Error {
  return isMissingFile(error) && error instanceof Error && "syscall" in error && error.syscall === "open";
}

const CONNECTION_CODES =
  /^(?:ECONN|EPIPE|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|CERT_|ERR_TLS|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/;

/** What the library throws, without a code, when a connection ends during a statement or cannot be made in time. */
const CONNECTION_WORDS =
  /Connection terminated|timeout (?:expired|exceeded)|not queryable|Client was closed|does not support SSL|SASL/i;

function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return CONNECTION_CODES.test(code) || CONNECTION_WORDS.test(error.message);
}
