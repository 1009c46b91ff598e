import { execFileSync, spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { ImapFlow } from "imapflow";
import { findProgram, freePort } from "./proxies.js";
import { waitFor } from "./recollect-process.js";
import { makeSelfSigned } from "./self-signed.js";

export const MAIL_USER = "mia";
export const MAIL_PASSWORD = "a-password-for-tests";
/** The user it runs as when the tests run as root: dovecot does not read mail as root. */
const NOBODY = "nobody";

export interface Dovecot {
  /** Without TLS, or with STARTTLS. */
  readonly port: number;
  readonly tlsPort: number;
  /** To be trusted by clients; it is for `localhost`. */
  readonly certificate: string;
  /** A client signed in as the owner of the mailbox. */
  readonly client: ImapFlow;
  close(): Promise<void>;
}

/** Path of a real mail server on this machine, or undefined if there is none. */
export const DOVECOT = findProgram("dovecot");

/**
 * Starts a mail server with one empty mailbox, its own ports and its own folder.
 * @param capabilities announced in place of all that it supports
 */
export async function startDovecot(program: string, capabilities?: string): Promise<Dovecot> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-mail-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { certificate, key } = makeSelfSigned();
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? NOBODY : userInfo().username;
  const idOf = (...options: string[]) => execFileSync("id", [...options, user], { encoding: "utf8" }).trim();
  const [uid, gid, group] = [Number(idOf("-u")), Number(idOf("-g")), idOf("-gn")];
  await mkdir(join(folder, "mail"));
  const files = {
    "certificate.pem": certificate,
    "key.pem": key,
    users: `${MAIL_USER}:{PLAIN}${MAIL_PASSWORD}:${uid}:${gid}::${join(folder, "mail")}::\n`,
    "dovecot.conf": configurationOf({ folder, port, tlsPort, user, group, capabilities }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await chmod(folder, 0o755);
  if (isRoot) for (const name of ["", "mail", ...Object.keys(files)]) await chown(join(folder, name), uid, gid);
  const child = spawn(program, ["-F", "-c", join(folder, "dovecot.conf")], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    ...(isRoot && { uid, gid }),
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // Killed with all processes that it started: asked to end, it checks only once a second.
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await waitFor(() => child.exitCode === null && greets(port), "dovecot at its port", 15);
    const client = new ImapFlow({
      host: "127.0.0.1",
      port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: MAIL_USER, pass: MAIL_PASSWORD },
      logger: false,
      disableAutoIdle: true,
    });
    await client.connect();
    return {
      port,
      tlsPort,
      certificate,
      client,
      async close() {
        client.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${said}`, { cause: error });
  }
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("data", () => end(true));
    for (const event of ["error", "close"]) socket.once(event, () => end(false));
  });
}

interface Places {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly user: string;
  readonly group: string;
  readonly capabilities: string | undefined;
}

/** It does not change its user or root directory, so it runs as the user who runs the tests. */
function configurationOf({ folder, port, tlsPort, user, group, capabilities }: Places): string {
  return `
protocols = imap
${capabilities === undefined ? "" : `imap_capability = ${capabilities}`}
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = /dev/stderr
default_login_user = ${user}
default_internal_user = ${user}
default_internal_group = ${group}
ssl = yes
ssl_cert = <${folder}/certificate.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 1
mail_location = maildir:~/Maildir
mail_fsync = never
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = passwd-file
  args = ${folder}/users
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
  mailbox Archive {
    auto = create
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;
}
