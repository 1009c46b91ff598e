import type { RecordDatabase } from "../record-executor.js";
import type { KeyRange, MovedValue, Row, TableShape } from "./table-shape.js";

/** Rows in the order of their key, with what of them the other database could not hold replaced. */
export interface ReadRows {
  readonly rows: readonly Row[];
  /** How many of them hold a replacement. */
  readonly replaced: number;
}

/** A statement of SQLite's dialect. */
export interface MovedStatement {
  readonly statement: string;
  readonly parameters: readonly MovedValue[];
}

/** A database that a record is moved from, or compared with. */
export interface RecordSide {
  readonly database: RecordDatabase;
  /** Names it in messages, without a password. */
  readonly place: string;
  shapes(): Promise<readonly TableShape[]>;
  read(table: TableShape, range: KeyRange, limit: number): Promise<ReadRows>;
  /** The highest number that the database gave to a row, or may have given; 0 for none. */
  highest(table: TableShape): Promise<number>;
  /** Runs a statement of SQLite's dialect. */
  query<R>(statement: string, parameters?: readonly MovedValue[]): Promise<R[]>;
  close(): Promise<void>;
}

export interface SourceSide extends RecordSide {
  /** All that is read meanwhile is of one moment. */
  steadily<T>(work: () => Promise<T>): Promise<T>;
}

/** A database that a record is moved to, and that nobody serves yet. */
export interface TargetSide extends RecordSide {
  remove(table: TableShape, range: KeyRange): Promise<void>;
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Numbers that the database gives to rows from here on are above this one. */
  continueAfter(table: TableShape, highest: number): Promise<void>;
  /** Statements of SQLite's dialect as one transaction. */
  write(statements: readonly MovedStatement[]): Promise<void>;
}
