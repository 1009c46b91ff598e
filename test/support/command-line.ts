import { PassThrough, Readable, Writable } from "node:stream";
import { type CliIo, runCli, type Starters } from "../../src/transports/cli/index.js";
import { openCore } from "./open-core.js";

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly stdin?: string | Buffer;
  readonly io?: Partial<CliIo>;
  readonly starters?: Partial<Starters>;
}

export const TEST_VERSION = "1.2.3-test";

/** Ways to run commands over a real store in the configured folder, opened for every command as in real use. */
export function startersFor(dataDirectory: string): Starters {
  return {
    version: TEST_VERSION,
    async openDoor({ settings }) {
      return openCore({ dataDirectory: settings["RECOLLECT_DATA_DIR"] ?? dataDirectory });
    },
    serve: () => Promise.reject(new Error("this test serves nothing")),
    surroundings: () => Promise.reject(new Error("this test has no clients around it")),
    runningService: () => Promise.resolve(null),
    openInBrowser: () => Promise.resolve(false),
    serveMcp: () => Promise.reject(new Error("this test serves no MCP")),
    backUp: () => Promise.reject(new Error("this test backs up nothing")),
    move: () => Promise.reject(new Error("this test moves nothing")),
  };
}

/** Runs one command line in this process and captures its output. */
export async function runCommand(
  dataDirectory: string,
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const stdout = collect();
  const stderr = collect();
  const starters = { ...startersFor(dataDirectory), ...options.starters };
  const code = await runCli(argv, starters, {
    stdin: options.stdin === undefined ? new PassThrough() : Readable.from([options.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    isTerminal: false,
    ...options.io,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(): { stream: Writable; text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => parts.join("") };
}

/** The response of `search --json`, as far as tests look at it: the API's shape. */
export interface FoundTexts {
  readonly results: readonly { readonly id: string; readonly memory?: string; readonly chunk?: string }[];
}

/** The texts of the results, best first. */
export function textsOf({ results }: FoundTexts): string[] {
  return results.map(({ memory, chunk }) => memory ?? chunk ?? "");
}

/** The output of a command with `--json`; fails unless standard output is exactly one line of JSON. */
export function parseAnswer<T>(result: CommandResult): T {
  const lines = result.stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "")
    throw new Error(`standard output is not one line: ${JSON.stringify(result)}`);
  return JSON.parse(lines[0] ?? "") as T;
}
