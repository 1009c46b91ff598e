import { createHash } from "node:crypto";
import type { Row } from "./table-shape.js";

/** A hash of many rows, the same whichever database they were read from. */
export interface RowDigest {
  add(rows: readonly Row[]): void;
  /** In hexadecimal digits. */
  end(): string;
}

/** Each value is hashed with its kind and length, so that no two lists of rows hash alike. */
export function createRowDigest(): RowDigest {
  const hash = createHash("sha256");
  let text = "";
  const flush = (): void => {
    hash.update(text);
    text = "";
  };
  return {
    add(rows) {
      for (const row of rows) {
        text += `r${row.length};`;
        for (const value of row) {
          if (value === null) text += "n;";
          else if (typeof value === "number") text += `d${value};`;
          else if (typeof value === "string") text += `t${value.length}:${value}`;
          else {
            text += `b${value.byteLength}:`;
            flush();
            hash.update(value);
          }
        }
        flush();
      }
    },
    end: () => hash.digest("hex"),
  };
}

export function digestOf(rows: readonly Row[]): string {
  const digest = createRowDigest();
  digest.add(rows);
  return digest.end();
}
