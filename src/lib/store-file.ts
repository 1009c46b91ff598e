/** The name of the store's file in a data folder: any folder with one is a data folder. */
export const STORE_FILE = "recollect.db";
