import { count } from "../../../lib/count.js";
import type { Access, Cli } from "../cli.js";
import { printableLine } from "../style.js";
import { waitUntilUnderstood } from "../wait.js";
import { fileOutcomeOf, fileRefusalOf, type Adding, type FileOutcome, type Listener } from "./add-files.js";
import { customIdFields } from "./names.js";

interface AddingPages extends Omit<Adding, "files"> {
  readonly addresses: readonly string[];
}

/**
 * Adds the pages of addresses one after another; one that fails does not stop the others.
 * @param onSent is told of each one that is done
 */
export async function addPages(
  cli: Cli,
  access: Access,
  { addresses, ...adding }: AddingPages,
  onSent?: Listener["onSent"],
): Promise<readonly FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  if (addresses.length === 0) return outcomes;
  const progress = cli.output.progress(`adding ${count(addresses.length, "page")}`);
  try {
    for (const address of new Set(addresses)) {
      const onState = (state: string) => progress.update(`${printableLine(address)}: ${state}`);
      const outcome = await addPage(access, address, { ...adding, onState });
      outcomes.push(outcome);
      onSent?.(outcome.outcome !== "failed");
    }
    return outcomes;
  } finally {
    progress.stop();
  }
}

async function addPage(
  { core, newWrite }: Access,
  address: string,
  { shared, waits, onState }: Omit<Adding, "files"> & { readonly onState: (state: string) => void },
): Promise<FileOutcome> {
  const input = { ...shared, content: address, ...customIdFields(address) };
  const call = newWrite();
  try {
    const receipt = waits ? await waitUntilUnderstood(core, call, input, onState) : await core.addDocument(call, input);
    return fileOutcomeOf(address, receipt);
  } catch (error) {
    return fileRefusalOf(address, error);
  }
}
