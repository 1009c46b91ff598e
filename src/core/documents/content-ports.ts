import type { Metadata } from "../types.js";

/** Where in its source a piece of text stands. A format gives what it knows. */
export interface Place {
  /** Page of a PDF or an image, from 1. */
  readonly page?: number;
  /** Slide of a presentation, from 1. */
  readonly slide?: number;
  readonly sheet?: string;
  /** Cells of the sheet, such as `A2:D40`. */
  readonly range?: string;
  /** Entry of a feed, mail of a mailbox, record of a list: from 1. */
  readonly entry?: number;
  /** Seconds from the beginning of a recording, up to but not including the second number. */
  readonly time?: readonly [start: number, end: number];
  /** Set in what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: true;
}

/** A piece of what was extracted, in reading order. */
export interface ContentPart {
  /** Markdown: headings, lists, tables with a header row, fenced code. */
  readonly text: string;
  readonly place: Place;
}

/** What a file holds beside its own text, such as an attachment of a mail. */
export interface AttachedFile {
  readonly name: string | null;
  /** `type/subtype` as the file around it says, or null. */
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
}

/** A stretch of a recording, to be written down. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** Seconds from the beginning of the whole recording. Stretches follow each other and overlap. */
  readonly start: number;
  readonly end: number;
  readonly mimeType: string;
  /** With the ending of its format. */
  readonly name: string;
}

/** What was read out of a file. */
export interface ExtractedContent {
  /** The document's type (contract 1.14), such as `pdf` or `webpage`. */
  readonly type: string;
  /** What the file itself says about itself; null where it says nothing. */
  readonly title: string | null;
  readonly author: string | null;
  /** ISO date or date-time that the content is from. */
  readonly date: string | null;
  /** Its canonical address. */
  readonly url: string | null;
  /** Address of a picture that stands for it. */
  readonly image: string | null;
  readonly parts: readonly ContentPart[];
  readonly attachments: readonly AttachedFile[];
  /** What is said in it, as sound; whoever reads the file has it written down and puts it behind the parts. */
  readonly recordings?: readonly Recording[];
  /** What else is known of it, for the metadata of its document. */
  readonly metadata: Metadata;
  /** True for what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: boolean;
  /** What a reader should know of how it was read: a wrong label, what was cut or left out. Sentences. */
  readonly notes: readonly string[];
}

/** What is known of a file beside its bytes. */
export interface FileFacts {
  readonly name: string | null;
  /** What it is said to be, `type/subtype`, or null; nobody has to tell the truth. */
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

/** A file of this machine to be read, of which nothing is held. */
export interface FileOnDisk extends FileFacts {
  readonly path: string;
}

/** How far reading has come. */
export interface ReadingProgress {
  readonly unit: "page" | "slide" | "sheet" | "entry" | "second";
  readonly done: number;
  /** Null where it is not known beforehand. */
  readonly total: number | null;
}

/** A program of the machine that reading some files needs. */
export interface ReadingProgram {
  readonly name: string;
  /** What is read with it. */
  readonly purpose: string;
  readonly isThere: boolean;
  /** What of its purpose is left where it is missing. */
  readonly withoutIt: string;
  /** How it is installed on Debian and Ubuntu, macOS and Windows: one sentence. */
  readonly howToInstall: string;
  /** What the settings ask for and it does not have, and what to do: sentences. Null for nothing. */
  readonly lacks: string | null;
}

/** Reads files of every known kind. One port, so that it can be kept apart from the rest of the process. */
export interface ContentExtractor {
  /**
   * Whether files like this are read, by what it is called and its beginning, of archives also its end; says nothing of
   * whether it is whole.
   */
  accepts(file: SourceFile | FileOnDisk): Promise<boolean>;
  /** Endings of the names of files that are read, in lower case without the dot; plain text may have any other. */
  readonly endings: readonly string[];
  /** The programs that it has use for, whether they are there or not. Everything else is read without them. */
  programs(): Promise<readonly ReadingProgram[]>;
  /**
   * Reads one file. What it is is found out from its bytes first, then from what it is said to be, then from its name.
   * @throws AppError `unsupported_type` for a kind that is not read, `too_large` for a file beyond a limit, `invalid` for one that is
   *   damaged, encrypted or empty, `unsupported` for one that needs a program or a service that is missing; with a reason for
   *   whoever sent it
   */
  extract(
    file: SourceFile | FileOnDisk,
    options: {
      /** Opens an encrypted file; never kept. */
      readonly password?: string | undefined;
      /** Whose file it is, such as its container: files are read one by one, and each of those who wait has a turn. */
      readonly queue?: string;
      readonly signal: AbortSignal;
      /** Its turn has come, after however long it waited; once more where it has to be read anew. */
      readonly onTurn?: () => void;
      readonly onProgress?: (progress: ReadingProgress) => void;
    },
  ): Promise<ExtractedContent>;
  close(): Promise<void>;
}

/** The file of a document, and what reading it gave. It counts as long as the document names the file. */
export interface FileReading {
  /** The file is at `/files/{key}`; for what was fetched, the address that it was fetched from. */
  readonly fileKey: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** Null until it was read. */
  readonly outcome: ReadingOutcome | null;
  /** What the one before gave, while this one is still to be read: until then the document says what that said. */
  readonly former: ReadingOutcome | null;
}

/** What is known of a file that was read, beside the text of its document. */
export interface ReadingOutcome {
  /** Where the text from each place on comes from: offsets in the content, ascending. */
  readonly places: readonly (readonly [offset: number, place: Place])[];
  readonly notes: readonly string[];
  /** What the file calls itself. */
  readonly title: string | null;
  /** Address of a picture that stands for it. */
  readonly image: string | null;
  /** What of the document's metadata the file says, and nobody else: the next file replaces it. */
  readonly metadata?: Metadata;
  /** The date that the document has from it, if it has one from there. */
  readonly date?: string;
  /** True for what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: boolean;
  /** The revision of the document, where this gave the text and the date that it had before. */
  readonly unchangedIn?: number;
  /** True where the same file is read once more: a reading that fails leaves what this one gave. */
  readonly isOfSameFile?: true;
  /** Why the same file could not be read once more afterwards. */
  readonly notReadAgain?: string;
  /** ISO. */
  readonly startedAt: string;
  /** ISO. */
  readonly endedAt: string;
}

/** How far the reading of a document's file is, while it is being read. */
export interface RunningReading {
  /** ISO. */
  readonly startedAt: string;
  readonly progress: ReadingProgress | null;
}
