// A process of its own for tests of locks and crashes. It says on standard output what it has done, a line each.
import { writeSync } from "node:fs";

const [command, place, detail] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);

if (command === "hold") await hold(place, detail);
else if (command === "write") await write(place, detail);
else throw new Error(`There is no command ${command}`);

/** Holds a lock on a SQLite file, or reads it as it is at this moment, until standard input ends. */
async function hold(file, mode) {
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));
  const connection = new DatabaseSync(file);
  connection.exec(`begin ${mode}`);
  if (mode === "immediate") connection.exec("create table held (x)");
  if (mode === "deferred") connection.exec("select count(*) from sqlite_schema");
  say("held");
  process.stdin.resume();
  process.stdin.on("end", () => {
    connection.exec("rollback");
    process.exit(0);
  });
}

/** Adds documents as the core does, for ever, each with its journal entry and job; says each id once it is committed. */
async function write(dataDirectory, name) {
  const { createSqliteStore } = await import("../../dist/adapters/store/store.js");
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
  const organization = store.organizationId;
  for (let number = 0; ; number++) {
    const id = `${name}${String(number).padStart(22 - name.length, "0")}`;
    await store.transaction(async (repositories) => {
      await repositories.documents.insert(organization, {
        id,
        customId: `custom-${id}`,
        containerTags: ["a", `b${number % 7}`],
        content: `${id} `.repeat(1 + ((number * 37) % 400)),
        title: null,
        type: "text",
        status: "queued",
        dreamingStatus: "dreaming",
        taskType: "memory",
        dreaming: "dynamic",
        metadata: { number },
        source: null,
        filepath: null,
        documentDate: null,
        origin: "user",
        facts: null,
        rememberAsIs: false,
      });
      const [chunk] = await repositories.chunks.replace(organization, id, 1, [
        { id, content: id, context: "", metadata: null },
      ]);
      const containers = await repositories.containers.ofDocument(organization, id);
      const containerIds = containers.map((container) => container.id);
      await repositories.units.indexText({ unit: chunk.seq * 2, containerIds, text: id, context: "" });
      await repositories.journal.append(organization, [
        {
          batchId: id,
          actor: "test",
          action: "document.added",
          subject: "document",
          subjectId: id,
          containerTag: "a",
          cause: null,
          before: null,
          after: null,
        },
      ]);
      await repositories.jobs.enqueue([
        { kind: "extract", payload: { documentId: id, revision: 1 }, group: "a", key: id },
      ]);
    });
    say(id);
    // Now and then the log moves into the file, so that a kill meets that too.
    if (number % 25 === 24) await store.health({ deep: false });
  }
}
