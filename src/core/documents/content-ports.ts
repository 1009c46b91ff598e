import type { Metadata } from "../types.js";

/** Where a piece of text is in its source. Each format sets what it knows. */
export interface SourcePlace {
  /** Page of a PDF or an image, from 1. */
  readonly page?: number;
  /** Slide of a presentation, from 1. */
  readonly slide?: number;
  readonly sheet?: string;
  /** Cells of the sheet, such as `A2:D40`. */
  readonly range?: string;
  /** Entry of a feed, mail of a mailbox, or record of a list, from 1. */
  readonly entry?: number;
  /** Seconds from the start of a recording, up to but excluding the second number. */
  readonly time?: readonly [start: number, end: number];
  /** Set for what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: true;
}

/** A piece of extracted content, in reading order. */
export interface ContentPart {
  /** Markdown: headings, lists, tables with a header row, fenced code. */
  readonly text: string;
  readonly place: SourcePlace;
}

/** A file inside another, such as an attachment of a mail. */
export interface AttachedFile {
  readonly name: string | null;
  /** `type/subtype` according to the enclosing file, or null. */
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
}

/** A section of a recording, to be transcribed. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** Seconds from the start of the whole recording. Sections follow each other and overlap. */
  readonly start: number;
  readonly end: number;
  readonly mimeType: string;
  /** With the extension of its format. */
  readonly name: string;
}

/** The content read from a file. */
export interface ExtractedContent {
  /** The document's type (contract 1.14), such as `pdf` or `webpage`. */
  readonly type: string;
  /** The title that the file itself gives; null if none. */
  readonly title: string | null;
  readonly author: string | null;
  /** ISO date or date-time of the content. */
  readonly date: string | null;
  /** Its canonical address. */
  readonly url: string | null;
  /** URL of a picture that represents it. */
  readonly image: string | null;
  readonly parts: readonly ContentPart[];
  readonly attachments: readonly AttachedFile[];
  /** Speech in it, as audio; the reader of the file has it transcribed and appended to the parts. */
  readonly recordings?: readonly Recording[];
  /** Other facts about it, for the metadata of its document. */
  readonly metadata: Metadata;
  /** True for what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: boolean;
  /** What a person should know about how it was read: a wrong label, what was cut or left out. Sentences. */
  readonly notes: readonly string[];
}

/** What is known about a file besides its bytes. */
export interface FileFacts {
  readonly name: string | null;
  /** Its declared type, `type/subtype`, or null; it may be wrong. */
  readonly mimeType: string | null;
  /** The `charset` that came with the type, or null. */
  readonly charset: string | null;
  /** Where it was fetched from, or null. */
  readonly url: string | null;
}

/** A file to be read. */
export interface SourceFile extends FileFacts {
  readonly bytes: Uint8Array;
}

/** A local file to be read, without loading it into memory. */
export interface FileOnDisk extends FileFacts {
  readonly path: string;
}

/** How far reading has progressed. */
export interface ReadingProgress {
  readonly unit: "page" | "slide" | "sheet" | "entry" | "second";
  readonly done: number;
  /** Null if it is not known beforehand. */
  readonly total: number | null;
}

/** A local program needed for reading some files. */
export interface ReadingProgram {
  readonly name: string;
  /** What is read with it. */
  readonly purpose: string;
  readonly isThere: boolean;
  /** What remains possible without it. */
  readonly withoutIt: string;
  /** How to install it on Debian and Ubuntu, macOS and Windows: one sentence. */
  readonly howToInstall: string;
  /** What the settings require that it lacks, and what to do: sentences. Null for nothing. */
  readonly lacks: string | null;
}

/** Reads files of every known type. One port, so that it can be isolated from the rest of the process. */
export interface ContentExtractor {
  /**
   * Whether files like this are read, judging by its name and its beginning, and for archives also its end; says nothing about
   * whether it is intact.
   */
  accepts(file: SourceFile | FileOnDisk): Promise<boolean>;
  /** Extensions of the files that are read, in lower case without the dot; plain text may have any other. */
  readonly endings: readonly string[];
  /** The programs that it can use, installed or not. Everything else is read without them. */
  programs(): Promise<readonly ReadingProgram[]>;
  /**
   * Reads one file. Its type is determined from its bytes first, then from its declared type, then from its name.
   * @throws AppError `unsupported_type` for a type that is not read, `too_large` for a file beyond a limit, `invalid` for one
   * that is damaged, encrypted or empty, `unsupported` for one that needs a program or a service that is missing; with a reason
   * for the sender
   */
  extract(
    file: SourceFile | FileOnDisk,
    options: {
      /** Opens an encrypted file; never stored. */
      readonly password?: string | undefined;
      /** The queue of the file, such as its container: files are read one by one, and queues take turns. */
      readonly queue?: string;
      readonly signal: AbortSignal;
      /** Called when its turn has come, however long it waited; again if it has to be read anew. */
      readonly onTurn?: () => void;
      readonly onProgress?: (progress: ReadingProgress) => void;
    },
  ): Promise<ExtractedContent>;
  close(): Promise<void>;
}

/** The file of a document, and the outcome of reading it. Valid as long as the document names the file. */
export interface FileReading {
  /** The file is at `/files/{key}`; for fetched content, the address that it was fetched from. */
  readonly fileKey: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** Null until it has been read. */
  readonly outcome: ReadingOutcome | null;
  /** The outcome of the previous file while this one is still to be read: until then the document keeps that content. */
  readonly former: ReadingOutcome | null;
}

/** What is known about a file that was read, besides the text of its document. */
export interface ReadingOutcome {
  /** The source of the text from each offset on: offsets in the content, ascending. */
  readonly places: readonly (readonly [offset: number, place: SourcePlace])[];
  readonly notes: readonly string[];
  /** The file's own title. */
  readonly title: string | null;
  /** URL of a picture that represents it. */
  readonly image: string | null;
  /** The part of the document's metadata that comes only from the file: the next file replaces it. */
  readonly metadata?: Metadata;
  /** The document's date, if it comes from the file. */
  readonly date?: string;
  /** True for what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: boolean;
  /** The revision of the document for which this gave the same text and date as before. */
  readonly unchangedIn?: number;
  /** True if the same file is read again: a failed reading keeps this outcome. */
  readonly isOfSameFile?: true;
  /** Why the same file could not be read again afterwards. */
  readonly notReadAgain?: string;
  /** ISO. */
  readonly startedAt: string;
  /** ISO. */
  readonly endedAt: string;
}

/** The progress of reading a document's file. */
export interface RunningReading {
  /** ISO. */
  readonly startedAt: string;
  readonly progress: ReadingProgress | null;
}
