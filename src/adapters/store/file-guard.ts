import { dirname } from "node:path";
import { AppError } from "../../core/errors.js";
import { identityAt } from "../../lib/file-identity.js";

const LOOK_EVERY_MS = 1_000;

/** Watches that the files of an open store stay where they were opened: SQLite would go on writing to removed files. */
export interface FileGuard {
  /** @throws AppError `unavailable` once one of them has been removed, moved or replaced, and from then on */
  require(): void;
  /** Like `require`, without throwing. */
  isInPlace(): boolean;
  /** Resolves when `require` begins to throw: at its next call, or within a second at the latest. */
  readonly lost: Promise<AppError>;
  close(): void;
}

/** The store must be open: the first statement creates its log. */
export function guardFiles(file: string): FileGuard {
  const paths = [file, `${file}-wal`];
  const opened = paths.map(identityAt);
  let loss: AppError | undefined;
  let tell: (loss: AppError) => void = () => undefined;
  const lost = new Promise<AppError>((resolve) => (tell = resolve));

  function isInPlace(): boolean {
    if (loss) return false;
    const missing = paths.find((path, index) => identityAt(path) !== opened[index]);
    if (missing === undefined) return true;
    clearInterval(looking);
    tell((loss = describeLoss(file, missing)));
    return false;
  }

  const looking = setInterval(isInPlace, LOOK_EVERY_MS).unref();
  return {
    require() {
      if (!isInPlace() && loss) throw loss;
    },
    isInPlace,
    lost,
    close: () => clearInterval(looking),
  };
}

function describeLoss(file: string, missing: string): AppError {
  const folder = dirname(file);
  const log = `${file}-wal`;
  const advice =
    missing === log
      ? "Start it again, and leave that file alone while it runs."
      : `Put the correct folder there, and start it again. If only the store was restored from a backup, first remove the log ${log}, which belongs to the previous store.`;
  return new AppError(
    "unavailable",
    `The data folder ${folder} was removed, moved or replaced while this process served it: the file ${missing} is no longer the one that was opened. What was just written may be lost. Nothing more is written, and this process ends. ${advice}`,
    { paths: [log, file, folder] },
  );
}
