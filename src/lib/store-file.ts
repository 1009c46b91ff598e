/** The name of the file in a data folder that holds what is remembered: whatever has one is a data folder. */
export const STORE_FILE = "recollect.db";
