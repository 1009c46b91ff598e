// What a peer uses of better-sqlite3, over a SQLite that needs no build. It is copied to where the peer looks for it; the
// file beside it says where that SQLite is.
const { DatabaseSync } = require(require("./sqlite.json").folder);

class Statement {
  #statement;

  constructor(statement) {
    this.#statement = statement;
  }

  run(...parameters) {
    return this.#statement.run(...parameters);
  }

  /** Bytes come as `Buffer`, as the peer knows them; the memory is shared, not copied. */
  all(...parameters) {
    return this.#statement.all(...parameters).map(withBuffers);
  }

  get(...parameters) {
    const row = this.#statement.get(...parameters);
    return row && withBuffers(row);
  }
}

function withBuffers(row) {
  for (const name in row) {
    const value = row[name];
    if (value instanceof Uint8Array && !Buffer.isBuffer(value))
      row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return row;
}

module.exports = class Database {
  #database;

  constructor(path) {
    this.#database = new DatabaseSync(path);
  }

  exec(sql) {
    this.#database.exec(sql);
    return this;
  }

  prepare(sql) {
    return new Statement(this.#database.prepare(sql));
  }

  transaction(work) {
    return (...parameters) => {
      this.#database.exec("BEGIN");
      try {
        const result = work(...parameters);
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        this.#database.exec("ROLLBACK");
        throw error;
      }
    };
  }

  close() {
    this.#database.close();
  }
};
