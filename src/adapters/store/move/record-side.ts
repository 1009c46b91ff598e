import type { RecordDatabase } from "../record-executor.js";
import type { KeyRange, MovedValue, Row, TableShape } from "./table-shape.js";

/** Rows in key order, with replacements for what the other database could not hold. */
export interface ReadRows {
  readonly rows: readonly Row[];
  /** How many of them contain a replacement. */
  readonly replaced: number;
}

/** A statement in SQLite's dialect. */
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
  /** The highest row number that the database has assigned, or may have assigned; 0 for none. */
  highest(table: TableShape): Promise<number>;
  /** Runs a statement in SQLite's dialect. */
  query<R>(statement: string, parameters?: readonly MovedValue[]): Promise<R[]>;
  close(): Promise<void>;
}

export interface SourceSide extends RecordSide {
  /** Runs work whose reads all see the same snapshot. */
  steadily<T>(work: () => Promise<T>): Promise<T>;
}

/** A database that a record is moved to and that nobody serves yet. */
export interface TargetSide extends RecordSide {
  remove(table: TableShape, range: KeyRange): Promise<void>;
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Makes the database number further rows above this one. */
  continueAfter(table: TableShape, highest: number): Promise<void>;
  /** Runs statements in SQLite's dialect as one transaction. */
  write(statements: readonly MovedStatement[]): Promise<void>;
}
