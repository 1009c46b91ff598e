/** A word that a shell reads back as one argument (POSIX quoting), for commands that are printed to be typed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
