// A process that supervises an engine, to be killed by a test. Tells the engine's process id on standard error,
// because standard output must stay empty.
import { createLocalChroma } from "../../dist/adapters/vectors/engine.js";

const [dataDirectory, enginesDirectory] = process.argv.slice(2);
const tell = (event, fields = {}) => process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`);
const log = { debug: tell, info: tell, warn: tell, error: tell };
createLocalChroma({ dataDirectory, enginesDirectory, offline: true, log }).start();
// The engine alone must not keep a process alive.
setInterval(() => undefined, 60_000);
